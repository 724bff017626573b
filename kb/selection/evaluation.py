"""Requirements and choices held against every card at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.selection.choice import Choice
from kb.selection.columns import PASS, Bools, Columns, Verdicts
from kb.selection.requirement import Requirement

_BITS: Final = 62
SKIPPED: Final = -1
"""A record that was not asked about: a system, where cards are."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What each card comes to, requirement by requirement.

    Attributes:
        verdicts: one row for each requirement, one column for each card.
        overall: one failure fails a card; without any, one unknown leaves it unknown.
        choices: of which a card has to meet one alternative each.
        chosen: one row for each choice: the verdict of its best alternative.
    """

    requirements: tuple[Requirement, ...]
    verdicts: Verdicts
    overall: Verdicts
    choices: tuple[Choice, ...]
    chosen: Verdicts

    def rows(self, verdict: int) -> list[int]:
        """The cards of one overall verdict, in the order of the catalogue."""
        return [int(row) for row in np.flatnonzero(self.overall == verdict)]

    def fields_by_row(self, verdict: int) -> list[tuple[int, tuple[str, ...]]]:
        """The cards of an overall verdict, each with the fields that come to it."""
        rows = np.flatnonzero(self.overall == verdict)
        all_verdicts = np.concatenate([self.verdicts, self.chosen])
        of = [*((one.field,) for one in self.requirements), *(choice.fields for choice in self.choices)]
        patterns, which = patterns_of(all_verdicts[:, rows] == verdict)
        fields = [tuple(dict.fromkeys(key for at in found for key in of[at])) for found in patterns]
        return [(row, fields[pattern]) for row, pattern in zip(rows.tolist(), which.tolist(), strict=True)]

    def of(self, row: int, verdict: int) -> tuple[Requirement, ...]:
        """The requirements that a card comes to `verdict` on."""
        found = np.flatnonzero(self.verdicts[:, row] == verdict)
        return tuple(self.requirements[int(position)] for position in found)

    def count(self, verdict: int) -> int:
        """How many cards come to an overall verdict."""
        return int(np.count_nonzero(self.overall == verdict))


def evaluate(columns: Columns, requirements: Sequence[Requirement], choices: Sequence[Choice] = ()) -> Evaluation:
    """Hold all cards against all requirements and choices; without any, every card passes."""
    verdicts = _verdicts(columns, requirements)
    chosen = np.full((len(choices), len(columns)), PASS, np.int8)
    for position, choice in enumerate(choices):
        chosen[position] = best_of(columns, choice)
    overall = np.minimum(combine(verdicts, len(columns)), combine(chosen, len(columns)))
    return Evaluation(tuple(requirements), verdicts, overall, tuple(choices), chosen)


def best_of(columns: Columns, choice: Choice) -> Verdicts:
    """What each card comes to on a choice: the verdict of the alternative that it does best on."""
    each = [combine(_verdicts(columns, one), len(columns)) for one in choice.alternatives]
    best: Verdicts = np.max(np.stack(each), axis=0)
    return best


def _verdicts(columns: Columns, requirements: Sequence[Requirement]) -> Verdicts:
    verdicts = np.full((len(requirements), len(columns)), PASS, np.int8)
    for position, one in enumerate(requirements):
        verdicts[position] = columns.column(one.field).verdicts(one)
    return verdicts


def patterns_of(mask: Bools) -> tuple[list[tuple[int, ...]], NDArray[np.intp]]:
    """The distinct columns of a mask, as the rows that are set, and which of them each column is. They are few."""
    if not mask.size:
        return [()], np.zeros(mask.shape[1], np.intp)
    if len(mask) < _BITS:
        numbers, which = np.unique((1 << np.arange(len(mask))) @ mask, return_inverse=True)
        return [tuple(row for row in range(len(mask)) if int(number) >> row & 1) for number in numbers], which.ravel()
    columns, which = np.unique(mask, axis=1, return_inverse=True)
    return [tuple(int(row) for row in np.flatnonzero(column)) for column in columns.T], which.ravel()


def combine(verdicts: Verdicts, size: int) -> Verdicts:
    """The overall verdict of each card: the worst, where a failure is worse than an unknown."""
    if not len(verdicts):
        return np.full(size, PASS, np.int8)
    overall: Verdicts = verdicts.min(axis=0)
    return overall
