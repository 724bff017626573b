"""What a build did: counts, times, and every file that is not in the index with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from kb.index.changes import Changes
from kb.types import BuildStage

BuildState = Literal["done", "done_with_problems"]


@dataclass(frozen=True, slots=True)
class FileNote:
    """A file, and what happened to it in which stage."""

    doc_id: str
    stage: BuildStage
    reason: str


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The outcome of a build.

    Attributes:
        generation: what is published now; empty after a dry run that found no index.
        documents: how many are in the index.
        changes: what became of documents since the generation that was published before.
        is_unchanged: nothing had changed, so nothing was written.
        failed: files that should be documents and could not be read.
        skipped: files that are no documents.
        warnings: what was odd about documents that could be read.
        merged: chunks left out because another document holds the same passage.
        embedded: pieces that were embedded now; the others' vectors were known from before.
        stage_ms: wall time of each stage.
    """

    generation: str
    documents: int
    chunks: int
    pieces: int
    changes: Changes = field(default_factory=Changes)
    is_unchanged: bool = False
    merged: int = 0
    embedded: int = 0
    failed: tuple[FileNote, ...] = ()
    skipped: tuple[FileNote, ...] = ()
    warnings: tuple[FileNote, ...] = ()
    stage_ms: Mapping[BuildStage, float] = field(default_factory=dict)
    dry_run: bool = False

    @property
    def state(self) -> BuildState:
        """Whether every document could be read."""
        return "done_with_problems" if self.failed else "done"

    @property
    def total_ms(self) -> float:
        """Wall time of the whole build."""
        return sum(self.stage_ms.values())

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"state": self.state, **asdict(self), "changes": self.changes.as_dict(), "total_ms": self.total_ms}
