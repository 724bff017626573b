"""Stages of a build, timed and told to whoever listens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kb.types import BuildEvent, BuildStage


class Progress:
    """Sends `BuildEvent`s; at most one every tenth of a second while a stage runs, and always its first and last."""

    _INTERVAL_S = 0.1

    def __init__(self, on_event: Callable[[BuildEvent], None]) -> None:
        self._on_event = on_event
        self._stage: BuildStage = "scan"
        self._started = self._told = 0.0
        self.stage_ms: dict[BuildStage, float] = {}

    @contextmanager
    def stage(self, stage: BuildStage, total: int) -> Iterator[None]:
        """Run a stage of `total` steps."""
        self._stage, self._started = stage, time.perf_counter()
        self._tell(0, total, "")
        yield
        self.stage_ms[stage] = self.stage_ms.get(stage, 0.0) + self._elapsed_ms()
        self._tell(total, total, "")

    def step(self, done: int, total: int) -> None:
        """Say how far the stage is; that it is done is said when it ends."""
        if done < total and time.perf_counter() - self._told >= self._INTERVAL_S:
            self._tell(done, total, "")

    def note(self, done: int, total: int, message: str) -> None:
        """Say something that must not get lost: a file that cannot be read."""
        self._tell(done, total, message)

    def _tell(self, done: int, total: int, message: str) -> None:
        self._told = time.perf_counter()
        self._on_event(BuildEvent(self._stage, done, total, round(self._elapsed_ms(), 1), message))

    def _elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1e3
