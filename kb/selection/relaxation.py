"""The smallest changes to requirements that let more cards pass.

For every smallest set of requirements that some cards fail, and nothing else: the card that needs the least change, and
the bounds that let it in. A bound moves to that card's figure; what is not a bound is dropped. Choices stay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from kb.selection.columns import FAIL, PASS, UNKNOWN, Columns, Floats
from kb.selection.evaluation import SKIPPED, Evaluation, combine, patterns_of
from kb.selection.requirement import BOUNDS, Requirement, days_of

_DROPPED = 1.0
"""Cost of giving a requirement up: as much as moving a bound by the factor e."""
_DAYS_LIKE_DROPPED = 3650.0
_MOST = 8
Rows = NDArray[np.intp]


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
    could = (evaluation.overall == FAIL) & ~(evaluation.verdicts == UNKNOWN).any(axis=0)
    could &= (evaluation.chosen == PASS).all(axis=0)
    rows = np.flatnonzero(could)
    patterns, which = patterns_of(evaluation.verdicts[:, rows] == FAIL)
    found = [
        _relaxed(columns, evaluation, failed, rows[which == position])
        for position, failed in enumerate(patterns)
        if len(rows) and not any(set(other) < set(failed) for other in patterns)
    ]
    return tuple(sorted(found, key=lambda one: (one.cost, len(one.changes), -len(one.added)))[:most])


def _relaxed(columns: Columns, evaluation: Evaluation, failed: tuple[int, ...], rows: Rows) -> Relaxation:
    """The requirements of `failed` relaxed for the card, out of `rows`, that needs the least."""
    costs = sum((_costs(columns, evaluation.requirements[position], rows) for position in failed), np.zeros(len(rows)))
    best = int(rows[np.argmin(np.round(costs, 9))])
    changes = tuple(_changed(columns, evaluation.requirements[position], best) for position in failed)
    verdicts = evaluation.verdicts.copy()
    for position, change in zip(failed, changes, strict=True):
        to = change.to
        verdicts[position] = PASS if to is None else columns.column(to.field).verdicts(to)
    passes = (combine(verdicts, len(columns)) == PASS) & (evaluation.chosen == PASS).all(axis=0)
    added = np.flatnonzero(passes & (evaluation.overall != PASS) & (evaluation.overall != SKIPPED))
    return Relaxation(changes, tuple(int(row) for row in added), float(costs.min()))


def _costs(columns: Columns, requirement: Requirement, rows: Rows) -> Floats:
    """The cost of letting each of those cards pass a requirement."""
    column = columns.column(requirement.field)
    upward = requirement.operator in ("gte", "gt")
    reached = (column.low if upward else column.high)[rows]
    if requirement.operator not in BOUNDS:
        return np.full(len(rows), _DROPPED)
    if column.kind == "date":
        first, last = days_of(str(requirement.value))
        costs: Floats = np.abs((first if upward else last) - reached) / _DAYS_LIKE_DROPPED
    else:
        bound = float(requirement.values[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            costs = np.abs(np.log(reached / bound))
    return np.where(np.isfinite(costs), costs, _DROPPED)


def distance(columns: Columns, requirement: Requirement, row: int) -> float:
    """The cost of letting a card pass a requirement that it fails."""
    return float(_costs(columns, requirement, np.array([row]))[0])


def _changed(columns: Columns, requirement: Requirement, row: int) -> Change:
    """The least change of a requirement that lets a card pass."""
    column = columns.column(requirement.field)
    upward = requirement.operator in ("gte", "gt")
    reached = float(column.low[row] if upward else column.high[row])
    if requirement.operator not in BOUNDS or math.isnan(reached):
        return Change(requirement, None)
    value = date.fromordinal(int(reached)).isoformat() if column.kind == "date" else reached
    return Change(requirement, replace(requirement, operator="gte" if upward else "lte", value=value))
