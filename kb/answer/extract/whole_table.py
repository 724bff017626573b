"""A table of a document as a whole, though passages hold it in parts; its rows are read as they are needed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kb.answer.extract.markup import plain
from kb.answer.extract.passage import title_text
from kb.answer.extract.table import Header, TableRow, rows_of
from kb.answer.extract.terms import Term, Text
from kb.text import fold
from kb.types import Block, Document


@dataclass(frozen=True)
class WholeTable:
    """All rows of one table.

    Attributes:
        document: that holds it.
        block: its place there.
    """

    document: Document
    block: Block

    @cached_property
    def header(self) -> Header:
        """The names of its columns."""
        return Header.read(self.document.text, self.block, self.block.caption)

    @cached_property
    def names(self) -> tuple[Text, ...]:
        """The same, to compare."""
        return tuple(Text.of(self.header.spoken(column)) for column in range(len(self.header.names)))

    @cached_property
    def around(self) -> Text:
        """Title and name of the document, headings and caption, to compare."""
        title = title_text(self.document.title, self.document.doc_id)
        above = Text.of(plain("\n".join((*self.block.heading_path, self.block.caption))))
        return Text(f"{title.folded}\n{above.folded}", title.latin | above.latin)

    @property
    def heading(self) -> str:
        """The nearest heading above it; empty where there is none."""
        return self.block.heading_path[-1] if self.block.heading_path else ""

    def __len__(self) -> int:
        return len(self._lines)

    @cached_property
    def _lines(self) -> tuple[tuple[int, int], ...]:
        source, start, found = self.document.text, self.block.header_end, []
        while start < self.block.end:
            end = source.find("\n", start, self.block.end)
            end = self.block.end if end < 0 else end
            found.append((start, end))
            start = end + 1
        return tuple(found)

    def _rows_in(self, start: int, end: int) -> Iterator[TableRow]:
        return rows_of(self.document.text, self.block, self.header, start, end)

    @cached_property
    def _folded(self) -> tuple[str, ...]:
        return tuple(fold(self.document.text[start:end]) for start, end in self._lines)

    @cached_property
    def _read(self) -> dict[int, TableRow | None]:
        return {}

    def row(self, number: int) -> TableRow | None:
        """One row; None for a line that says nothing."""
        if number not in self._read:
            self._read[number] = next(self._rows_in(*self._lines[number]), None)
        return self._read[number]

    def columns_with(self, term: Term, number: int) -> list[int]:
        """The columns in which a row holds a term."""
        row = self.row(number)
        if row is None:
            return []
        found = [cell.column for cell in row.cells if not cell.is_empty and term.stands_in(Text.of(cell.shown))]
        if row.label != row.cells[0].shown and term.stands_in(Text.of(row.label)):
            found.insert(0, 0)
        return found

    def rows_with(self, term: Term) -> set[int]:
        """The rows that hold a term."""
        signs = {term.text, *term.joined, *term.parts, *term.variants.chinese, *term.variants.latin}
        likely = (number for number, line in enumerate(self._folded) if any(sign in line for sign in signs))
        return {number for number in likely if self.columns_with(term, number)}


def table_at(document: Document, position: int) -> WholeTable | None:
    """The table that stands at a position of a document's text; None where none does."""
    blocks = document.blocks
    number = bisect_left(blocks, position + 1, key=lambda block: block.end)
    return WholeTable(document, blocks[number]) if number < len(blocks) and blocks[number].kind == "table" else None


def tables_of(document: Document) -> Iterator[WholeTable]:
    """All tables of a document."""
    return (WholeTable(document, block) for block in document.blocks if block.kind == "table")
