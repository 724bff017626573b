"""Progress of a build."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BuildStage = Literal["scan", "parse", "chunk", "embed", "write", "verify", "swap"]


@dataclass(frozen=True, slots=True)
class BuildEvent:
    """One line of a build's progress, also written as JSON by a build that runs as a child process."""

    stage: BuildStage
    done: int
    total: int
    ms: float
    message: str = ""
