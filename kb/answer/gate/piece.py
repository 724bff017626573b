"""What of a text is read at once, and what stands above it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.types import Span

ITEM = re.compile(
    r"(\s*)(?:(?:[-*+•·▪●◆■✅✔☑✓➤►▶→»–—]\ufe0f?|\d{1,3}[.)])\s+|\d{1,3}、\s*|[(（]\d{1,3}[)）]\s*|[①-⑳]\s*)"
)
"""The sign that opens an item of a list."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text.

    Attributes:
        span: its place.
        above: headings and lead-ins over it, nearest first.
        follows: it goes on from the piece before it (the next sentence of a paragraph).
        head, label: for a table cell, the cell that heads its column and the one that names its row.
        row: for a table cell, its whole row.
        name: for a table cell, the cell of its row under a heading like "Card", where that is not the first.
        corner: for a table cell, the first cell of the header: what all rows are of (`Resource per SM`).
        columns: of the table.
        is_rest: it goes on in the middle of a sentence that was too long.
    """

    span: Span
    above: tuple[Span, ...] = ()
    follows: bool = False
    head: Span | None = None
    label: Span | None = None
    row: Span | None = None
    name: Span | None = None
    corner: Span | None = None
    columns: int = 0
    is_rest: bool = False

    def __len__(self) -> int:
        return self.span.end - self.span.start

    @property
    def is_cell(self) -> bool:
        """Whether it is a table cell."""
        return self.row is not None
