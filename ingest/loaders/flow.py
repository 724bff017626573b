"""A flow of paragraphs, as word processors, slides and printed pages have it, gathered into blocks.

Such formats know no lists and no code, only paragraphs that look like them: neighbours become one block here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from ingest.cleaning import clean, is_blank
from ingest.loaders.builder import TextBuilder
from ingest.loaders.grid import Merge, header_rows_of, spread

_MAX_ITEM_DEPTH = 8
_MAX_HEADING_CHARS = 200


class Flow:
    """Writes paragraphs, list items, lines of code and tables in order."""

    def __init__(self) -> None:
        self.builder = TextBuilder()
        self._waiting: list[str] = []
        self._kind: Literal["item", "code"] = "item"

    def page(self, number: int | None) -> None:
        """What follows stands on this page."""
        if number != self.builder.page:
            self.finish()
            self.builder.page = number

    def heading(self, text: str, level: int) -> None:
        """A heading; a text too long for one is a paragraph."""
        title = " ".join(clean(text).split())
        if len(title) > _MAX_HEADING_CHARS:
            self.paragraph(title)
        elif not is_blank(title):
            self.finish()
            self.builder.heading(title, level)

    def paragraph(self, text: str) -> None:
        """A paragraph of its own."""
        text = _tidy(text)
        if not is_blank(text):
            self.finish()
            self.builder.paragraph(text)

    def item(self, text: str, depth: int = 0, marker: str = "-") -> None:
        """An item of a list; neighbours are one list."""
        text = " ".join(clean(text).split())
        if not is_blank(text):
            self._gather("item", f"{'  ' * min(depth, _MAX_ITEM_DEPTH)}{marker} {text}")

    def code(self, line: str) -> None:
        """A line of code; neighbours are one block."""
        self._gather("code", clean(line).rstrip())

    def table(
        self,
        rows: Sequence[Sequence[str]],
        merges: Iterable[Merge] = (),
        header_rows: int | None = None,
        caption: str = "",
    ) -> None:
        """A table; `header_rows` where the format states them, else they are found. A single cell is a paragraph."""
        width = max(map(len, rows), default=0)
        padded = [[clean(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
        filled = sum(1 for row in padded for cell in row if not is_blank(cell))
        if filled <= 1 or width <= 1:
            for row in padded:
                self.paragraph("\n".join(row))
            return
        self.finish()
        merges = list(merges)
        if header_rows is None or not 0 < header_rows < len(padded):
            header_rows = header_rows_of(padded, merges)
        full = spread(padded, merges, header_rows)
        kept = [row for number, row in enumerate(full) if number < header_rows or any(row)]
        self.builder.table(kept, header_rows, caption)

    def finish(self) -> None:
        """Write the list or code that is being gathered."""
        if not self._waiting:
            return
        text = "\n".join(self._waiting)
        self._waiting.clear()
        if self._kind == "item":
            self.builder.list(text)
        elif not is_blank(text):
            self.builder.code(text.strip("\n"))

    def _gather(self, kind: Literal["item", "code"], line: str) -> None:
        if self._kind != kind:
            self.finish()
            self._kind = kind
        self._waiting.append(line)


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in clean(text).split("\n"))
    return "\n".join(line for line in lines if line)
