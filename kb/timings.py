"""How long each stage of an answer took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from kb.types import STAGES, Stage


class Timings:
    """Collects stage times in milliseconds; a stage that runs twice adds up."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._ms: dict[Stage, float] = {}

    @contextmanager
    def stage(self, name: Stage) -> Iterator[None]:
        """Time the block as one stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, (time.perf_counter() - started) * 1e3)

    def add(self, name: Stage, ms: float) -> None:
        """Add time that was measured elsewhere."""
        self._ms[name] = self._ms.get(name, 0.0) + ms

    def of(self, name: Stage) -> float:
        """Milliseconds of a stage so far."""
        return self._ms.get(name, 0.0)

    def since_start(self) -> float:
        """Milliseconds since this object was made."""
        return (time.perf_counter() - self._started) * 1e3

    def snapshot(self) -> Mapping[Stage, float | None]:
        """Every stage; `None` where it did not run. `total` runs from this object's making to now."""
        values: dict[Stage, float | None] = {stage: self._rounded(stage) for stage in STAGES}
        values["total"] = round(self.since_start(), 3)
        return values

    def _rounded(self, stage: Stage) -> float | None:
        ms = self._ms.get(stage)
        return None if ms is None else round(ms, 3)
