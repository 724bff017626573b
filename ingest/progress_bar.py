"""A build's progress for people: bars on a terminal, a line a stage elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from kb.cli.terminal import console
from kb.types import BuildEvent, BuildStage

_LABELS: dict[BuildStage, str] = {
    "scan": "looking for documents",
    "parse": "reading",
    "chunk": "cutting",
    "embed": "embedding",
    "write": "writing",
    "verify": "verifying",
    "swap": "publishing",
}


class ProgressBar:
    """One bar for each stage, on stderr; call it with each event."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<22}"),
            BarColumn(bar_width=40),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console(stderr=True),
        )
        self._tasks: dict[BuildStage, TaskID] = {}

    def __call__(self, event: BuildEvent) -> None:
        """Show an event."""
        if event.stage not in self._tasks:
            self._tasks[event.stage] = self._progress.add_task(_LABELS[event.stage], total=event.total)
        self._progress.update(self._tasks[event.stage], completed=event.done, total=event.total)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


class PlainLines:
    """Lines on stderr where no bar can be drawn: one when a stage ends, one every few seconds of a long stage.

    Notes about files appear in the report.
    """

    _INTERVAL_S = 10.0

    def __init__(self) -> None:
        self._told = time.monotonic()

    def __call__(self, event: BuildEvent) -> None:
        """Write an event, if it is time."""
        if event.message:
            return
        if event.done == event.total and event.ms:
            self._write(f"{_LABELS[event.stage]}: {event.done} in {event.ms / 1e3:.1f} s")
        elif event.done and time.monotonic() - self._told >= self._INTERVAL_S:
            self._write(f"{_LABELS[event.stage]}: {event.done} of {event.total}")

    def _write(self, line: str) -> None:
        self._told = time.monotonic()
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
