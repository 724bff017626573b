"""Requirements held against every card at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kb.selection.columns import PASS, Columns, Verdicts
from kb.selection.requirement import Requirement

SKIPPED: Final = -1
"""A record that was not asked about: a system, where cards are."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What each card comes to, requirement by requirement.

    Attributes:
        verdicts: one row for each requirement, one column for each card.
        overall: one failure fails a card; without any, one unknown leaves it unknown.
    """

    requirements: tuple[Requirement, ...]
    verdicts: Verdicts
    overall: Verdicts

    def rows(self, verdict: int) -> list[int]:
        """The cards of one overall verdict, in the order of the catalogue."""
        return [int(row) for row in np.flatnonzero(self.overall == verdict)]

    def fields_by_row(self, verdict: int) -> list[tuple[int, tuple[str, ...]]]:
        """The cards of an overall verdict, each with the fields that come to it."""
        rows = np.flatnonzero(self.overall == verdict)
        if not self.requirements or not len(rows):
            return [(row, ()) for row in rows.tolist()]
        # Few patterns, many cards.
        patterns, which = np.unique(self.verdicts[:, rows] == verdict, axis=1, return_inverse=True)
        fields = [
            tuple(dict.fromkeys(one.field for one, is_in in zip(self.requirements, pattern, strict=True) if is_in))
            for pattern in patterns.T
        ]
        return [(row, fields[pattern]) for row, pattern in zip(rows.tolist(), which.ravel().tolist(), strict=True)]

    def of(self, row: int, verdict: int) -> tuple[Requirement, ...]:
        """The requirements that a card comes to `verdict` on."""
        found = np.flatnonzero(self.verdicts[:, row] == verdict)
        return tuple(self.requirements[int(position)] for position in found)

    def count(self, verdict: int) -> int:
        """How many cards come to an overall verdict."""
        return int(np.count_nonzero(self.overall == verdict))


def evaluate(columns: Columns, requirements: Sequence[Requirement]) -> Evaluation:
    """Hold all cards against all requirements; without any, every card passes."""
    verdicts = np.full((len(requirements), len(columns)), PASS, np.int8)
    for position, one in enumerate(requirements):
        verdicts[position] = columns.column(one.field).verdicts(one)
    return Evaluation(tuple(requirements), verdicts, combine(verdicts, len(columns)))


def combine(verdicts: Verdicts, size: int) -> Verdicts:
    """The overall verdict of each card: the worst, where a failure is worse than an unknown."""
    if not len(verdicts):
        return np.full(size, PASS, np.int8)
    overall: Verdicts = verdicts.min(axis=0)
    return overall
