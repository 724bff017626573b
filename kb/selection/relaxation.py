"""The smallest changes to requirements that let more cards pass.

For every smallest set of requirements that some cards fail, and nothing else: the card that needs the least change, and
the bounds that let it in. A bound moves to that card's figure; what is not a bound is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from kb.selection.columns import FAIL, PASS, UNKNOWN, Columns
from kb.selection.evaluation import SKIPPED, Evaluation, combine
from kb.selection.requirement import BOUNDS, Requirement, Value, days_of

_DROPPED = 1.0
"""Cost of giving a requirement up: as much as moving a bound by the factor e."""
_DAYS_LIKE_DROPPED = 3650.0
_MOST = 8


@dataclass(frozen=True, slots=True)
class Change:
    """One requirement relaxed; `to` is `None` where it is dropped."""

    requirement: Requirement
    to: Requirement | None


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Changes that belong together, and the cards that then pass besides.

    Attributes:
        cost: the sum over the changes of |ln(new bound / old bound)|, of days / 3650 for a date, and of 1 for each
            dropped requirement.
    """

    changes: tuple[Change, ...]
    added: tuple[int, ...]
    cost: float


def relaxations(columns: Columns, evaluation: Evaluation, most: int = _MOST) -> tuple[Relaxation, ...]:
    """The smallest relaxations that add cards, least change first."""
    found = [
        relaxed
        for failed, rows in _smallest_failures(evaluation).items()
        if (relaxed := _relaxed(columns, evaluation, failed, rows)) is not None
    ]
    return tuple(sorted(found, key=lambda one: (one.cost, len(one.changes), -len(one.added)))[:most])


def _smallest_failures(evaluation: Evaluation) -> dict[tuple[int, ...], list[int]]:
    """Sets of requirements that cards fail while passing all others, smallest sets only, with their cards."""
    candidates = np.flatnonzero((evaluation.overall == FAIL) & ~(evaluation.verdicts == UNKNOWN).any(axis=0))
    groups: dict[tuple[int, ...], list[int]] = {}
    for row in candidates:
        failed = tuple(int(i) for i in np.flatnonzero(evaluation.verdicts[:, row] == FAIL))
        groups.setdefault(failed, []).append(int(row))
    return {failed: rows for failed, rows in groups.items() if not any(set(other) < set(failed) for other in groups)}


def _relaxed(
    columns: Columns, evaluation: Evaluation, failed: tuple[int, ...], rows: Sequence[int]
) -> Relaxation | None:
    options: list[tuple[float, int, tuple[Change, ...]]] = []
    for row in rows:
        changes, cost = [], 0.0
        for position in failed:
            change, step = _changed(columns, evaluation.requirements[position], row)
            changes.append(change)
            cost += step
        options.append((round(cost, 9), row, tuple(changes)))
    if not options:
        return None
    cost, _, changes_of_best = min(options, key=lambda option: option[:2])
    verdicts = evaluation.verdicts.copy()
    for position, change in zip(failed, changes_of_best, strict=True):
        to = change.to
        verdicts[position] = PASS if to is None else columns.column(to.field).verdicts(to)
    passes = combine(verdicts, len(columns)) == PASS
    added = np.flatnonzero(passes & (evaluation.overall != PASS) & (evaluation.overall != SKIPPED))
    return Relaxation(changes_of_best, tuple(int(row) for row in added), cost)


def distance(columns: Columns, requirement: Requirement, row: int) -> float:
    """The cost of letting a card pass a requirement that it fails."""
    return _changed(columns, requirement, row)[1]


def _changed(columns: Columns, requirement: Requirement, row: int) -> tuple[Change, float]:
    """The least change of a requirement that lets a card pass, and its cost."""
    column = columns.column(requirement.field)
    low, high = column.low[row], column.high[row]
    if requirement.operator not in BOUNDS or np.isnan(low):
        return Change(requirement, None), _DROPPED
    upward = requirement.operator in ("gte", "gt")
    reached = float(low if upward else high)
    value: Value
    if column.kind == "date":
        first, last = days_of(str(requirement.value))
        value = date.fromordinal(int(reached)).isoformat()
        cost = abs((first if upward else last) - reached) / _DAYS_LIKE_DROPPED
    else:
        value, bound = reached, float(requirement.values[0])
        cost = abs(math.log(reached / bound)) if reached > 0 and bound > 0 else _DROPPED
    to = replace(requirement, operator="gte" if upward else "lte", value=value)
    return Change(requirement, to), cost
