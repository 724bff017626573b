"""Embedded pieces that fit the model's window, whatever the text is made of."""

from __future__ import annotations

from collections.abc import Callable

from ingest.chunkers.borders import cut, pack
from ingest.chunkers.context import Context
from ingest.chunkers.draft import Piece
from ingest.chunkers.ruler import Ruler
from kb.errors import DocumentError
from kb.types import Span


class PieceCutter:
    """Cuts a span finer until the model reads all of each piece's embedded text."""

    def __init__(self, text: str, ruler: Ruler, context: Context) -> None:
        self._text = text
        self._ruler = ruler
        self._context = context

    def fitting(
        self,
        start: int,
        end: int,
        embed_text: Callable[[int, int], str],
        *,
        lines_end: bool = False,
        max_columns: int = 0,
    ) -> list[Piece]:
        """The span as one piece, or as several.

        Args:
            start: of the span.
            end: of the span.
            embed_text: the text that is embedded for a span; empty if there is nothing in it to embed.
            lines_end: as of `borders.cut`.
            max_columns: no piece is wider; 0: only the window limits it.

        Raises:
            DocumentError: a single character is longer than the window.
        """
        embedded = embed_text(start, end)
        if not embedded:
            return []
        width = self._ruler.width(start, end)
        if (not max_columns or width <= max_columns) and self._context.fits(embedded):
            return [Piece(Span(start, end), embedded)]
        narrower = min(width // 2, max_columns) if max_columns else width // 2
        if end - start < 2 or narrower < 1:
            raise DocumentError(f"The single character at offset {start} is longer than the model's window.")
        atoms = cut(self._text, start, end, self._ruler, narrower, lines_end=lines_end)
        return [
            piece
            for part in pack(atoms, self._ruler, narrower, narrower)
            for piece in self.fitting(part.start, part.end, embed_text, lines_end=lines_end, max_columns=max_columns)
        ]
