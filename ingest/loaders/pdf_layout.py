"""A printed page as what a reader sees from top to bottom: lines and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest.loaders.pdf_cells import PrintedTable
from ingest.loaders.pdf_lines import Line, lines_of
from ingest.loaders.pdf_open_tables import aligned_tables
from ingest.loaders.pdf_page import read_page
from ingest.loaders.pdf_tables import ruled_tables


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page.

    Attributes:
        parts: lines and tables in reading order.
        pictures: how many images it shows.
        chars: how many characters it has, and how many of them no font explains.
    """

    number: int
    height: float
    parts: tuple[Line | PrintedTable, ...]
    pictures: int
    chars: int
    unreadable_chars: int

    @property
    def is_empty(self) -> bool:
        """Whether it shows no text."""
        return not self.parts

    @property
    def lines(self) -> list[Line]:
        """Its lines outside tables."""
        return [part for part in self.parts if isinstance(part, Line)]


def printed_page(page: Any, number: int) -> PrintedPage:
    """A page that pypdfium2 has loaded."""
    content = read_page(page)
    tables = ruled_tables(content.runs, content.rulings)
    free = [run for run in content.runs if not any(table.holds(run) for table in tables)]
    parts = tuple(_in_order(list(_with_aligned(lines_of(free))), tables))
    return PrintedPage(number, content.height, parts, content.pictures, content.chars, content.unreadable_chars)


def _with_aligned(lines: list[Line]) -> Iterator[Line | PrintedTable]:
    position = 0
    for start, end, table in aligned_tables(lines):
        yield from lines[position:start]
        yield table
        position = end
    yield from lines[position:]


def _in_order(parts: list[Line | PrintedTable], tables: list[PrintedTable]) -> Iterator[Line | PrintedTable]:
    """Parts with each table before the first line below it that stands under it."""
    waiting = list(tables)
    for part in parts:
        while waiting and waiting[0].top < part.top and _is_over(waiting[0], part):
            yield waiting.pop(0)
        yield part
    yield from waiting


def _is_over(table: PrintedTable, part: Line | PrintedTable) -> bool:
    return table.left < part.right and part.left < table.right
