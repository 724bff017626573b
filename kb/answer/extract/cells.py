"""Cells that a question points at by a row and a column: the very place of its answer, if something stands there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from kb.answer.extract.aspects import Asked, Aspect
from kb.answer.extract.candidate import Candidate, Scores
from kb.answer.extract.table import Header
from kb.answer.extract.terms import Text

_NAMED: Final = 0.95
"""Presence of a term in a row itself."""
_LEAST_NEAR: Final = 0.75
"""Of the weight of what is asked: less in a row and its header together is no cell."""
_LEAST_COVER: Final = 0.85
"""Of the weight of what is asked: the part that a row's label and one of its columns must hold together."""
_LEAST_COLUMN: Final = 0.2
"""The same for what the column holds and nothing else of the row."""
_LEAST_SILENT: Final = 0.12
_SILENT_COVER: Final = 0.75
_NEARLY: Final = 0.9

Shares = Scores
"""Share of each term in the name of each column."""


class Cells:
    """The cells of the candidates of one search.

    Args:
        asked: the question.
        candidates: all units.
        present: how much of each term each of them holds.
    """

    def __init__(self, asked: Asked, candidates: Sequence[Candidate], present: Scores) -> None:
        self._asked = asked
        self._candidates = candidates
        self._present = present
        self._columns: dict[tuple[str, ...], Shares] = {}

    def pointed_at(self, aspect: Aspect) -> Scores:
        """1 for each unit that is the row of a cell which a part of the question points at, else 0."""
        found = np.zeros(len(self._candidates), np.float64)
        asked = np.flatnonzero(aspect.focus)
        if len(asked) < 2:
            return found
        is_near = self._present @ aspect.focus >= _LEAST_NEAR * aspect.focus.sum()
        likely = np.flatnonzero(is_near & (self._present[:, asked] >= _NAMED).any(axis=1))
        for number in map(int, likely):
            row = self._candidates[number].unit.row
            if row is not None and row.header.spans:
                label = self._shares_in(self._candidates[number].unit.label)
                columns = self._shares_of(row.header)
                covers = np.maximum(columns, label) @ aspect.focus
                alone = np.maximum(columns - label, 0) @ aspect.focus
                total = aspect.focus.sum()
                fits = (covers >= _LEAST_COVER * total) & (alone >= _LEAST_COLUMN * total) & (label @ aspect.focus > 0)
                filled = {cell.column for cell in row.cells if not cell.is_empty and cell.span != row.label_span}
                found[number] = any(fits[column] for column in filled if column < len(fits))
        return found

    def is_silent(self, aspect: Aspect, number: int) -> bool:
        """Whether a row is about all that is asked, and the cell for it is empty."""
        item = self._candidates[number]
        row = item.unit.row
        if row is None or not row.header.spans or not aspect.focus.any():
            return False
        own = np.maximum(self._shares_in(item.unit.text), self._shares_in(item.passage.headings))
        columns = self._shares_of(row.header)
        alone = np.maximum(columns - own, 0) @ aspect.focus
        best = float(alone.max(initial=0.0))
        total = float(aspect.focus.sum())
        if best < _LEAST_SILENT * total or float(own @ aspect.focus) + best < _SILENT_COVER * total:
            return False
        filled = {cell.column for cell in row.cells if not cell.is_empty}
        return not any(column in filled for column in np.flatnonzero(alone >= _NEARLY * best))

    def _shares_in(self, text: Text) -> Scores:
        return np.array([term.share_in(text) for term in self._asked.terms], np.float64)

    def _shares_of(self, header: Header) -> Shares:
        if header.names not in self._columns:
            names = _names_of(header)
            self._columns[header.names] = np.array([self._shares_in(name) for name in names]).reshape(
                len(names), len(self._asked.terms)
            )
        return self._columns[header.names]


@lru_cache(maxsize=2048)
def _names_of(header: Header) -> tuple[Text, ...]:
    """The names of a table's columns, to compare."""
    return tuple(Text.of(header.spoken(column)) for column in range(len(header.names)))
