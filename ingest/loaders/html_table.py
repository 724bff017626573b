"""HTML tables as grids: row and column spans expanded, header rows told from data, layout tables recognised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lxml import html

from ingest.loaders.header_row import looks_like_header
from ingest.loaders.pipe_table import joined_lines
from kb.errors import DocumentError

_MAX_SPAN = 1000  # as browsers do
_MAX_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Grid:
    """A table's cells; the first `header_rows` rows name the columns."""

    rows: list[list[str]]
    header_rows: int
    caption: str


def is_layout(table: html.HtmlElement) -> bool:
    """Whether a table only places things on the page."""
    if table.get("role") == "presentation" or table.xpath(".//table | .//pre | .//h1 | .//h2 | .//h3"):
        return True
    if table.xpath(".//td[@class='icon']"):  # an AsciiDoc admonition
        return True
    rows = _rows(table)
    return len(rows) <= 1 and sum(1 for _ in table.iter("td", "th")) <= 1


def grid_of(table: html.HtmlElement, text_of: Callable[[html.HtmlElement], str], max_columns: int) -> Grid:
    """Cells of a table.

    Raises:
        DocumentError: it is too wide or too large once its spans are expanded.
    """
    rows = _rows(table)
    body = _expand([[_Cell.of(cell, text_of) for cell in row if cell.tag in {"td", "th"}] for row in rows], max_columns)
    caption = table.find("caption")
    header_rows = _header_rows(rows, body)
    kept = [row for index, row in enumerate(body) if index < header_rows or any(row)]
    return Grid(kept, header_rows, text_of(caption).replace("\n", " ") if caption is not None else "")


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    row_span: int
    column_span: int

    @classmethod
    def of(cls, cell: html.HtmlElement, text_of: Callable[[html.HtmlElement], str]) -> _Cell:
        text = joined_lines(text_of(cell).split("\n"))
        return cls(text, _span(cell.get("rowspan")), _span(cell.get("colspan")))


def _span(value: str | None) -> int:
    digits = (value or "").strip()
    return min(max(int(digits), 1), _MAX_SPAN) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 1


def _rows(table: html.HtmlElement) -> list[html.HtmlElement]:
    return [row for row in table.iter("tr") if next(row.iterancestors("table"), None) is table]


def _expand(rows: list[list[_Cell]], max_columns: int) -> list[list[str]]:
    grid: list[list[str]] = []
    waiting: dict[int, tuple[int, str]] = {}  # column -> rows still covered from above, text
    cells = 0
    for row in rows:
        line: list[str] = []
        queue = list(row)
        while queue or len(line) in waiting:
            column = len(line)
            if column in waiting:
                left, text = waiting.pop(column)
                line.append(text)
                if left > 1:
                    waiting[column] = (left - 1, text)
                continue
            cell = queue.pop(0)
            alone = len(row) == 1 and cell.column_span > 1  # a title across the whole table is said once
            for offset in range(cell.column_span):
                text = "" if alone and offset else cell.text
                line.append(text)
                if cell.row_span > 1:
                    waiting[column + offset] = (cell.row_span - 1, text)
        cells += len(line)
        if len(line) > max_columns or cells > _MAX_CELLS:
            raise DocumentError(f"It holds a table of more than {max_columns} columns or {_MAX_CELLS} cells.")
        grid.append(line)
    return grid


def _header_rows(rows: list[html.HtmlElement], grid: list[list[str]]) -> int:
    marked = 0
    for row in rows:
        cells = [cell.tag for cell in row if cell.tag in {"td", "th"}]
        if next(row.iterancestors("thead"), None) is None and not (cells and all(tag == "th" for tag in cells)):
            break
        marked += 1
    if marked and marked < len(rows):
        return marked
    return 1 if not marked and len(grid) > 1 and looks_like_header(grid[0], grid[1:]) else 0
