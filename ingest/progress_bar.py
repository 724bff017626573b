"""A build's progress for people: bars on a terminal, a line a stage elsewhere."""

from __future__ import annotations

import sys
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


def plain_lines(event: BuildEvent) -> None:
    """One line on stderr when a stage ends; notes appear in the report."""
    if event.done == event.total and event.ms and not event.message:
        sys.stderr.write(f"{_LABELS[event.stage]}: {event.done} in {event.ms / 1e3:.1f} s\n")
