"""Rows of one table that fit a question: "which cards have 288 GB", "有几款是 AMD 的", "which models lack LoRA"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kb.answer.extract.aspects import Asked
from kb.answer.extract.marks import Mark, mark_asked, mark_of
from kb.answer.extract.terms import RARE, Text
from kb.answer.extract.whole_table import WholeTable
from kb.text import fold

_LEAST_COVER: Final = 0.62
"""Of the question's weight: what a table, its rows and what stands above them must hold."""
_LEAST_CROSSING: Final = 0.65
_MARK_PART: Final = 0.6
"""Of a column's cells: how many must be signs for a question to ask for one of them."""
_MOST: Final = 40
_LEAST_ROWS: Final = 2
"""One row is an answer by itself."""
_MOST_MARKED: Final = 400
"""Rows of a table whose signs are read."""
_ALIKE: Final = 0.97

_THING_EN: Final = re.compile(
    r"\b(?:which|what|how many|list(?: all)?(?: of)?(?: the)?)\s+(?:of the\s+)?((?:[\w./-]+\s+){0,3}?[\w-]*[a-z])"
    r"(?=\s+(?:do|does|did|are|is|were|have|has|had|in|on|of|with|support\w*|use\w*|list\w*|offer\w*|come|run|can|cannot"
    r"|reach|need|require|from|that|under|by|for|lack|get|cost|work|belong|appear|share)\b|[?,.]|$)"
)
_WHICH_ZH: Final = r"(?:哪些|哪[几两二三四五六][个款种张块项])"
_COUNT_ZH: Final = r"(?:几|多少)[个款种张块项]"
_NOUN_ZH: Final = r"((?:[a-z0-9-]+ )?[^，。？?,、是有支的能可使采用在不没\s]{1,8})"
_THING_ZH: Final = (
    re.compile(rf"{_WHICH_ZH}\s?{_NOUN_ZH}"),
    re.compile(
        rf"([^，。？?,、的是有里\s]{{1,8}}?)\s?(?:一共|总共|分别|都)?(?:有|是|包括)?(?:{_WHICH_ZH}|{_COUNT_ZH})"
    ),
    re.compile(rf"{_COUNT_ZH}\s?{_NOUN_ZH}"),
)
_MANY_ZH: Final = re.compile(r"(?:几|多少)[款种张项行]|有(?:几|多少)个[？?，,]?")
"""Counts of things that are not named."""
_GENERIC: Final = re.compile(
    r"\b(?:models?|cards?|gpus?|accelerators?|products?|devices?|chips?|entries|rows?|systems?|librar(?:y|ies)|fields?"
    r"|metrics?|parameters?|options?|versions?|releases?|drivers?|architectures?|boards?|types?|names?|ones?)$"
    r"|型号|显卡|[卡款]$|加速[卡器]|模型|产品|芯片|设备|指标|参数|条目|字段|选项|驱动|架构|版本|库$|处理器|^$"
)


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of one table that fit.

    Attributes:
        rows: their numbers in the table.
        why: names of columns, each with what stands there in all of the rows.
        cover: part of the question, by weight, that the table holds.
    """

    table: WholeTable
    rows: tuple[int, ...]
    why: tuple[tuple[str, str], ...]
    cover: float


def asks_for_rows(asked: Asked) -> bool:
    """Whether a question asks to list or to count things, so that a table may tell them."""
    return (asked.form.items or asked.form.count) and bool(_things(asked.text))


def listings(asked: Asked, tables: Iterable[WholeTable]) -> tuple[Listing, ...]:
    """The rows that a question asks to list or to count; empty where it asks for something else, or no table tells.

    Several tables of one document with the same columns are told one after the other.
    """
    found = sorted(filter(None, (_listing(asked, table) for table in tables)), key=lambda item: -item.cover)
    if not found or len(found[0].rows) < _LEAST_ROWS:
        return ()
    best = found[0]
    alike = [item for item in found if _is_alike(item, best)]
    return tuple(sorted(alike, key=lambda item: item.table.block.start))


def _is_alike(item: Listing, best: Listing) -> bool:
    return (
        item.table.document.doc_id == best.table.document.doc_id
        and item.table.header.names == best.table.header.names
        and item.cover >= _ALIKE * best.cover
        and item.why == best.why
    )


def _listing(asked: Asked, table: WholeTable) -> Listing | None:
    if len(table) < _LEAST_ROWS or not table.names:
        return None
    reading = _Reading(asked, table)
    return reading.listing() if reading.is_asked_for_rows() else None


class _Reading:
    """One question, read against one table."""

    def __init__(self, asked: Asked, table: WholeTable) -> None:
        self._asked = asked
        self._table = table
        self._columns = {
            number: [column for column, name in enumerate(table.names) if term.stands_in(name)]
            for number, term in enumerate(asked.terms)
        }
        self._around = {number for number, term in enumerate(asked.terms) if term.stands_in(table.around)}

    def is_asked_for_rows(self) -> bool:
        """Whether what is asked for or counted are the rows: not a property that has a column of its own."""
        return any(self._are_rows(thing) for thing in _things(self._asked.text))

    def _are_rows(self, thing: str) -> bool:
        text = Text.of(thing.rsplit(" ", 1)[-1] if thing.isascii() else thing)
        terms = [number for number, term in enumerate(self._asked.terms) if term.share_in(text) == 1]
        own = any(0 in self._columns[number] for number in terms)
        if not own and any(column for number in terms for column in self._columns[number]):
            return False
        return own or _GENERIC.search(thing) is not None

    def listing(self) -> Listing | None:
        asked, table = self._asked, self._table
        values = self._values(self._wanted - self._around) or self._values(self._wanted & self._around)
        rows = set(range(len(table))).intersection(*values.values())
        column = self._marked_column(values)
        mark = mark_asked(asked.text)
        if column is not None and mark is not None and (mark != "yes" or not values):
            rows = {row for row in rows if _mark(table, row, column) == mark}
        elif not values:
            return None
        elif column is not None and mark == "yes":
            rows = {row for row in rows if _mark(table, row, column) in {"yes", None}}
        if not rows or len(rows) > _MOST or self._lacks_names(values):
            return None
        cover = self._cover(values)
        if cover < _LEAST_COVER:
            return None
        order = tuple(sorted(rows))
        return Listing(table, order, tuple(self._why(order, values, column if mark else None)), cover)

    @property
    def _wanted(self) -> set[int]:
        """Terms that name no column."""
        return {number for number, columns in self._columns.items() if not columns and self._asked.weights[number] > 0}

    def _values(self, wanted: set[int]) -> dict[int, set[int]]:
        """Terms that stand in some rows, and in which; in all of them only where no heading says them."""
        found = {number: self._table.rows_with(self._asked.terms[number]) for number in sorted(wanted)}
        whole = len(self._table)
        return {
            number: rows for number, rows in found.items() if rows and (number not in self._around or len(rows) < whole)
        }

    def _marked_column(self, values: Iterable[int]) -> int | None:
        """The column of signs that the question names, by most of the words that are no value of a row."""
        taken = set(values)
        best, most = None, 0.0
        for column in range(1, len(self._table.names)):
            weight = sum(
                float(self._asked.weights[number])
                for number, columns in self._columns.items()
                if column in columns and number not in taken
            )
            if weight > most and self._is_marked(column):
                best, most = column, weight
        return best

    def _is_marked(self, column: int) -> bool:
        if len(self._table) > _MOST_MARKED:
            return False
        cells = [shown for row in range(len(self._table)) if (shown := _shown(self._table, row, column))]
        return bool(cells) and sum(mark_of(cell) is not None for cell in cells) >= _MARK_PART * len(cells)

    def _lacks_names(self, values: Iterable[int]) -> bool:
        """Whether the table holds a rare name of the question nowhere."""
        held = {*values, *self._around, *(number for number, columns in self._columns.items() if columns)}
        names = (number for number in self._asked.names if self._asked.weights[number] >= RARE)
        return any(number not in held for number in names)

    def _cover(self, values: Iterable[int]) -> float:
        held = {*values, *self._around, *(number for number, columns in self._columns.items() if columns)}
        weights = self._asked.weights
        total = float(weights.sum())
        crossing = sum(float(weights[number]) for number, term in enumerate(self._asked.terms) if term.crosses)
        is_other = self._asked.language == "zh" and all(name.folded.isascii() for name in self._table.names)
        whole = max(crossing, _LEAST_CROSSING * total) if is_other else total
        return sum(float(weights[number]) for number in held) / whole if whole else 0.0

    def _why(self, rows: Sequence[int], values: Iterable[int], column: int | None) -> Iterator[tuple[str, str]]:
        """The columns by which rows were chosen, with what they hold where they all hold the same."""
        found: dict[int, None] = {}
        for number in values:
            in_rows = [set(self._table.columns_with(self._asked.terms[number], row)) for row in rows]
            found.update(dict.fromkeys(sorted(set.intersection(*in_rows))[:1]))
        if column is not None:
            found[column] = None
        for place in found:
            shown = {_shown(self._table, row, place) for row in rows}
            name = self._table.header.name(place)
            if place and name and len(shown) == 1:
                yield name, shown.pop()


def _mark(table: WholeTable, row: int, column: int) -> Mark | None:
    return mark_of(_shown(table, row, column))


def _shown(table: WholeTable, number: int, column: int) -> str:
    """What a cell shows; empty where it says nothing."""
    row = table.row(number)
    cells = row.cells if row is not None else ()
    return next((cell.shown for cell in cells if cell.column == column and not cell.is_empty), "")


def _things(question: str) -> tuple[str, ...]:
    """What a question may ask to list or to count, in its own words, perhaps none; empty where it asks for neither."""
    folded = fold(question)
    if match := _THING_EN.search(folded):
        thing = match.group(1).strip()
        return (thing,) if thing.endswith("s") else ()  # one thing is asked for
    found = [match.group(1).strip() for pattern in _THING_ZH if (match := pattern.search(folded))]
    return (*found, *([""] if not found and _MANY_ZH.search(folded) else ()))
