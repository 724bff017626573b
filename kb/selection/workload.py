"""A workload as a requirement: how many of each card hold it; where no layout of a kind of card does, it fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.selection.columns import FAIL, PASS, UNKNOWN, Columns, Floats, Verdicts
from kb.sizing import Accelerator, Bounds, Layout, Placement, Workload, accelerators_of, estimate_memory
from kb.sizing.decode import Decode, estimate_decode
from kb.sizing.placement import on_each_card, place
from kb.sizing.prefill import Prefill, estimate_prefill
from kb.sizing.roofline import Roof

FIELD: Final = "memory_gb"
"""What must be published of a card for it to be sized."""


@dataclass(frozen=True, slots=True)
class OnCard:
    """A workload on as many of a card as it takes.

    Attributes:
        layout: the smallest that surely holds it.
        each: bytes on the fullest card.
        prefill, decode: bounds of speed; `None` where the card publishes neither rate, and in training.
    """

    card: Accelerator
    layout: Layout
    each: Bounds
    prefill: Prefill | None
    decode: Decode | None


class WorkloadFit:
    """A workload held against every card.

    Attributes:
        counts: how many of each card it takes; NaN where that is unknown or none hold it.
        verdicts: unknown where a card's memory is not published for certain.
    """

    def __init__(self, columns: Columns, workload: Workload) -> None:
        self.workload = workload
        self.memory = estimate_memory(workload)
        self._columns = columns
        self._placements: dict[tuple[float, float, bool], Placement] = {}
        self.counts: Floats = np.full(len(columns), np.nan)
        self.verdicts: Verdicts = np.full(len(columns), UNKNOWN, np.int8)
        column, per = columns.column(FIELD), columns.column("per").low
        # Of differing figures it matters why they differ: each such card stands alone.
        alone = np.where(column.low == column.high, 0.0, np.arange(len(columns)))
        for rows in _alike(column.low, per, alone):
            layout = self._placed(self._card(int(rows[0]))).planned
            self.verdicts[rows] = FAIL if layout is None else PASS
            self.counts[rows] = np.nan if layout is None else layout.cards

    def on(self, row: int) -> OnCard | None:
        """The workload on one kind of card; `None` where no layout holds it."""
        card = self._card(row)
        layout = self._placed(card).planned
        if layout is None:
            return None
        each = on_each_card(self.memory, layout, card)
        if self.workload.trains:
            return OnCard(card, layout, each, None, None)
        workload = self.memory.workload
        roof = Roof.of(workload, card, layout)
        return OnCard(card, layout, each, estimate_prefill(workload, roof), estimate_decode(workload, roof))

    def _card(self, row: int) -> Accelerator:
        """The card, of several memory sizes with the smallest."""
        spec = self._columns.catalog.get(self._columns.gpu_ids[row])
        return min(accelerators_of(spec), key=lambda card: card.memory.value.low)

    def _placed(self, card: Accelerator) -> Placement:
        """The layouts; cards with the same memory share them."""
        key = (card.capacity.low, card.capacity.high, card.spec.per == "system")
        found = self._placements.get(key)
        if found is None:
            found = self._placements[key] = place(self.memory, card)
        return found


def _alike(*figures: Floats) -> list[NDArray[np.intp]]:
    """Rows with the same figures, none of them missing: what holds of one holds of all."""
    stacked = np.stack(figures)
    known = np.flatnonzero(~np.isnan(stacked).any(axis=0))
    if not len(known):
        return []
    _, which = np.unique(stacked[:, known], axis=1, return_inverse=True)
    return [known[which.ravel() == kind] for kind in range(int(which.max()) + 1)]
