"""The catalogue by column: every card's figures of one field as arrays, made once, so that a filter takes microseconds.

A card may have several figures of a field (versions, sources that disagree), and a figure may be a range. A requirement
passes where all of them meet it over their whole range, fails where none of them meets it anywhere, else is unknown.
A single figure that the catalogue itself calls doubtful decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kb.selection.attributes import ATTRIBUTES, kind_of, segment_of, value_of
from kb.selection.requirement import Requirement, days_of
from kb.selection.series import series_of
from kb.specs.catalog import Catalog
from kb.specs.schema import WHOLE_OF_BOARD, Entry, Figure
from kb.text import fold

FAIL: Final = 0
UNKNOWN: Final = 1
PASS: Final = 2
_TOLERANCE: Final = 1e-9
"""Relative; bounds and figures come through conversions such as TB/s to GB/s."""
_STATED, _LACKS, _SILENT = 0, 1, 2

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Verdicts = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Cell:
    """What one card's record says of one field.

    Attributes:
        spans: low and high of each figure; both ends of a text are its position among the column's words.
        status: whether figures decide, the hardware lacks it, or nothing certain is published.
        is_whole: the figure is of the whole board where the record is of one GPU on it.
    """

    spans: tuple[tuple[float, float], ...]
    status: int
    is_whole: bool = False


class Column:
    """One field of all cards.

    Attributes:
        low, high: the least and the greatest figure of each card; NaN where none is certain.
        has: cards of which any figure is published and not zero.
        is_whole: see `Cell`.
    """

    def __init__(self, field: str, cells: Iterable[Cell], words: Iterable[str]) -> None:
        listed = list(cells)
        self.kind = kind_of(field)
        self.words = tuple(words)
        self._size = len(listed)
        self._card = np.array([row for row, cell in enumerate(listed) for _ in cell.spans], np.intp)
        self._lows: Floats = np.array([low for cell in listed for low, _ in cell.spans], np.float64)
        self._highs: Floats = np.array([high for cell in listed for _, high in cell.spans], np.float64)
        self._status = np.array([cell.status for cell in listed], np.int8)
        self.is_whole: Bools = np.array([cell.is_whole for cell in listed], np.bool_)
        is_figure = self.kind != "text"
        nonzero: Bools = (self._highs != 0) if is_figure else np.ones(len(self._highs), np.bool_)
        self.has: Bools = self._any(nonzero)
        self._is_zero: Bools = self._any(np.ones(len(self._highs), np.bool_)) & ~self.has
        self.low = self._extreme(np.minimum, self._lows, np.inf)
        self.high = self._extreme(np.maximum, self._highs, -np.inf)

    def verdicts(self, requirement: Requirement) -> Verdicts:
        """What each card comes to."""
        if requirement.operator == "exists":
            return self._existence(wanted=bool(requirement.value))
        certain, possible = self._compare(requirement)
        found = np.full(self._size, UNKNOWN, np.int8)
        stated = self._status == _STATED
        found[stated & ~self._any(~certain)] = PASS
        found[stated & ~self._any(possible)] = FAIL
        # What a card lacks is below every bound and above none: a known lack is a failure, except of "is not".
        found[self._status == _LACKS] = PASS if requirement.operator == "not_in" else FAIL
        return found

    def _existence(self, *, wanted: bool) -> Verdicts:
        found = np.full(self._size, UNKNOWN, np.int8)
        found[self.has] = PASS if wanted else FAIL
        found[(self._status == _LACKS) | self._is_zero] = FAIL if wanted else PASS
        return found

    def _compare(self, requirement: Requirement) -> tuple[Bools, Bools]:
        """For each figure whether all of it, and whether any of it, meets the requirement."""
        operator, values = requirement.operator, requirement.values
        if self.kind == "text":
            wanted = {fold(str(value)) for value in values}
            codes = [code for code, word in enumerate(self.words) if fold(word) in wanted]
            among = np.isin(self._lows, codes)
            return (~among, ~among) if operator == "not_in" else (among, among)
        spans = [self._limits(value) for value in values]
        if operator in ("eq", "in", "not_in"):
            inside = _none(self._lows)
            touched = _none(self._lows)
            for first, last in spans:
                inside |= (self._lows >= first) & (self._highs <= last)
                touched |= (self._lows <= last) & (self._highs >= first)
            return (~touched, ~inside) if operator == "not_in" else (inside, touched)
        first, last = spans[0]
        if operator == "gte":
            return self._lows >= first, self._highs >= first
        if operator == "gt":
            return self._lows > last, self._highs > last
        if operator == "lte":
            return self._highs <= last, self._lows <= last
        return self._highs < first, self._lows < first

    def _limits(self, value: float | str) -> tuple[float, float]:
        """The span that a required value stands for: a year all its days, a number what rounding leaves of it."""
        if isinstance(value, str):
            return days_of(value)
        slack = abs(value) * _TOLERANCE
        return value - slack, value + slack

    def _any(self, of_figures: Bools) -> Bools:
        """Cards with at least one such figure."""
        found: Bools = np.bincount(self._card[of_figures], minlength=self._size).astype(np.bool_)
        return found

    def _extreme(self, of: np.ufunc, values: Floats, start: float) -> Floats:
        found = np.full(self._size, start)
        of.at(found, self._card, values)
        found[(self._status != _STATED) | ~np.isfinite(found)] = np.nan
        return found


def _none(like: Floats) -> Bools:
    return np.zeros(len(like), np.bool_)


class Columns:
    """The columns of a catalogue; each is made when it is first asked for, and kept. Safe to share between threads."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.gpu_ids: tuple[str, ...] = tuple(gpu_id for gpu_id, *_ in catalog.names())
        self.row_of = {gpu_id: row for row, gpu_id in enumerate(self.gpu_ids)}
        self.tiers = np.array([tier for *_, tier in catalog.names()], np.int8)
        self._columns: dict[str, Column] = {}

    def __len__(self) -> int:
        return len(self.gpu_ids)

    def column(self, field: str) -> Column:
        """The column of a field or attribute.

        Raises:
            RequestError: there is none.
        """
        found = self._columns.get(field)
        if found is None:
            words: dict[str, int] = {}
            cells = list(self._attributes(field, words) if field in ATTRIBUTES else self._cells(field, words))
            found = self._columns[field] = Column(field, cells, words)
        return found

    def board_counts(self) -> Floats:
        """GPUs on the board for each card; 1 for a plain card."""
        return np.array(list(self.catalog.board_counts()), np.float64)

    @property
    def _first_tier(self) -> int:
        return int(np.count_nonzero(self.tiers == 1))

    def _attributes(self, key: str, words: dict[str, int]) -> Iterator[Cell]:
        kind = kind_of(key)
        for (gpu_id, name, _, tier), boards in zip(self.catalog.names(), self.catalog.board_counts(), strict=True):
            # Of the second tier no record need be built: none has a family.
            known = value_of(self.catalog.get(gpu_id), key) if tier == 1 else None
            value = known if tier == 1 else _of_second_tier(key, gpu_id, name, boards)
            yield Cell((), _SILENT) if value is None else Cell((_span(value, kind, words),), _STATED)

    def _cells(self, field: str, words: dict[str, int]) -> Iterator[Cell]:
        kind = kind_of(field)
        for gpu_id in self.gpu_ids[: self._first_tier]:
            yield cell_of(self.catalog.entry(gpu_id, field), kind, words)
        boards = list(self.catalog.board_counts())[self._first_tier :]
        for (value, lacks), count in zip(self.catalog.second_tier_values(field), boards, strict=True):
            if value is None:
                yield Cell((), _LACKS if lacks else _SILENT)
            else:
                yield Cell((_span(value, kind, words),), _STATED, count > 1 and field == WHOLE_OF_BOARD)


def _of_second_tier(key: str, gpu_id: str, name: str, boards: int) -> float | str | None:
    """An attribute of a second-tier card, told without building its record."""
    if key == "segment":
        return segment_of(name, 2)
    if key == "series":
        return series_of(name)
    per = "gpu_of_board" if boards > 1 else "card"
    known: Mapping[str, float | str | None] = {"gpu_id": gpu_id, "tier": 2.0, "per": per, "family": None}
    return known[key]


def cell_of(entry: Entry, kind: str, words: dict[str, int]) -> Cell:
    """The cell of a record's entry; new texts are added to `words`."""
    if entry.state == "not_supported":
        return Cell((), _LACKS)
    spans = tuple(_figure_span(figure, kind, words) for figure in entry.figures)
    doubtful = entry.state == "unresolved" and len(spans) < 2
    is_whole = any("per_card" in figure.qualifiers or figure.unit == "USD" for figure in entry.figures)
    return Cell(spans, _STATED if spans and not doubtful else _SILENT, is_whole)


def _figure_span(figure: Figure, kind: str, words: dict[str, int]) -> tuple[float, float]:
    if figure.value is None:
        return float(figure.low or 0.0), float(figure.high or 0.0)
    return _span(figure.value, kind, words)


def _span(value: Any, kind: str, words: dict[str, int]) -> tuple[float, float]:
    if kind == "text":
        code = float(words.setdefault(str(value), len(words)))
        return code, code
    if kind == "date":
        return days_of(str(value))
    return float(value), float(value)


def judge(entry: Entry, requirement: Requirement) -> int:
    """`PASS`, `FAIL` or `UNKNOWN` for one entry, by the same rules as a column."""
    words: dict[str, int] = {}
    cell = cell_of(entry, kind_of(requirement.field), words)
    return int(Column(requirement.field, [cell], words).verdicts(requirement)[0])
