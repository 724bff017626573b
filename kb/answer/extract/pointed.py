"""Table rows that a question points at by a number, in a file it names: `in sizes.xls, the row for 16`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kb.answer.extract.passage import Passage
from kb.text import fold

_FILE: Final = re.compile(
    r"[^\s，。、：:；;（()）《》「」“”\"'/]+\.(?:xlsx?|csv|tsv|md|rst|txt|pdf|docx?|html?|json|ya?ml)\b", re.ASCII
)
_POINTS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:序号|编号|索引|行号|第)\s?(\d+(?:\.\d+)?)\s?(?:的|那|这|行|号|项|条|处|对应|里|，|,|$)",
        r"(?<![\d.])(\d+(?:\.\d+)?)\s?(?:那|这|号)?一?行",
        r"\b(?:row|index|line|entry|record|item)\s+(?:for |of |no\.? ?|number |with )?(\d+(?:\.\d+)?)\b(?!\.\d)",
    )
)
_MOST: Final = 2
"""A number that stands in more rows points at none."""


def files_named(question: str) -> frozenset[str]:
    """The names of files that a question gives, as they are compared."""
    return frozenset(fold(name) for name in _FILE.findall(question))


def number_pointed_at(question: str) -> str:
    """The number by which a question points at a row; empty if it points at none."""
    found = [match.group(1) for pattern in _POINTS for match in pattern.finditer(question)]
    return found[0] if found else ""


def rows_with(number: str, passages: Iterable[Passage]) -> list[tuple[Passage, int]]:
    """Passages and places among their units of the rows that hold a number in a cell of its own, if these are few."""
    found = [
        (passage, place)
        for passage in passages
        for place, unit in enumerate(passage.units)
        if unit.row is not None and any(cell.shown == number for cell in unit.row.cells)
    ]
    return found if len(found) <= _MOST else []
