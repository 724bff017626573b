"""A pipe table of a document, read row by row and told in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.loaders.markdown import plain
from ingest.loaders.pipe_table import split_row
from kb.types import Block, Span

_CELL = re.compile(r"(?:\\.|[^|\\])*")
# Heads a column whose cells are themselves the names of what stands beside them.
_NAME_COLUMN = re.compile(
    r"参数|参数名称?|项目?|名称|指标|属性|规格|字段|特性|配置项?|parameters?|items?|propert(?:y|ies)|specs?|specifications?"
    r"|attributes?|fields?|features?|keys?|names?|metrics?|",
    re.IGNORECASE,
)
_MAX_LABEL_CHARS = 120


@dataclass(frozen=True, slots=True)
class Row:
    """One row's span.

    Attributes:
        label: its first cell; for a row that leaves it empty, as under a merged cell, the one above.
        starts_group: whether it has a first cell of its own.
    """

    start: int
    end: int
    label: str
    starts_group: bool


@dataclass(frozen=True, slots=True)
class RowCells:
    """A row taken apart.

    Attributes:
        spans: of the cells in the document, each with the pipe before it.
        values: what stands in them, without markup; the first is the row's label.
    """

    row: Row
    spans: tuple[Span, ...]
    values: tuple[str, ...]


class TableText:
    """Header and rows of one table block."""

    def __init__(self, text: str, block: Block) -> None:
        self._text = text
        self._block = block
        header = text[block.start : block.header_end]
        self.header = header if not header or header.endswith("\n") else header + "\n"
        first_line = header.split("\n", 1)[0]
        self.names: list[str] = [plain(name) for name in split_row(first_line)] if first_line else []
        self._is_name_and_value = len(self.names) == 2 and _NAME_COLUMN.fullmatch(self.names[0]) is not None

    def rows(self) -> Iterator[Row]:
        """Rows below the header, in order."""
        label = ""
        position = self._block.header_end
        while position < self._block.end:
            line_end = self._text.find("\n", position, self._block.end)
            line_end = self._block.end if line_end < 0 else line_end
            line = self._text[position:line_end]
            if line.strip():
                first = plain(split_row(line)[0])
                label = first or label
                yield Row(position, line_end, label[:_MAX_LABEL_CHARS], bool(first))
            position = line_end + 1

    def cells(self, row: Row) -> RowCells:
        """The cells of a row."""
        spans: list[Span] = []
        position = row.start
        while position < row.end and self._text[position].isspace():
            position += 1
        while position < row.end:
            inside = position + 1 if self._text[position] == "|" else position
            match = _CELL.match(self._text, inside, row.end)
            end = match.end() if match is not None else row.end
            if end >= row.end and not self._text[inside:end].strip() and spans:
                break  # only the closing pipe is left
            spans.append(Span(position, end))
            position = max(end, position + 1)
        values = [plain(self._text[span.start : span.end].lstrip("|").strip().replace("\\|", "|")) for span in spans]
        values[:1] = [row.label]
        return RowCells(row, tuple(spans), tuple(values))

    def name(self, column: int) -> str:
        """The column's name; empty if it has none."""
        return self.names[column] if column < len(self.names) else ""

    def said(self, cells: RowCells, first: int = 0, last: int | None = None) -> str:
        """Cells of a row in words, `card: K100; cabinet: C-17`; those after the first column begin with the label."""
        if self._is_name_and_value and len(cells.values) == 2 and all(cells.values):
            return ": ".join(cells.values)
        parts = [cells.row.label] if first and cells.row.label else []
        # A row with more cells than there are names lost its spanned header: no name is better than a wrong one.
        is_named = len(cells.values) <= len(self.names)
        for column, value in enumerate(cells.values[first:last], first):
            name = self.name(column) if is_named else ""
            if value:
                parts.append(f"{name}: {value}" if name and name != value else value)
        return "; ".join(parts)

    def part_prefix(self, cells: RowCells, first: int, last: int) -> str:
        """What makes a table of some cells of a row: their names, and before them the label under its name."""
        names: Sequence[str] = [self.name(column) for column in range(first, last)]
        label = ""
        if first:
            names = [self.name(0), *names]
            label = f"| {_escaped(cells.row.label)} "
        if not self.header:
            return label
        return f"| {' | '.join(map(_escaped, names))} |\n{'|---' * len(names)}|\n{label}"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
