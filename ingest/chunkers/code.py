"""Cutting long code at line ends; what fits is never cut, and every part keeps its opening fence and heading."""

from __future__ import annotations

import re
from functools import partial

from ingest.chunkers.borders import Atom, cut, pack
from ingest.chunkers.context import Context
from ingest.chunkers.draft import Draft, Piece
from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.pieces import PieceCutter
from ingest.chunkers.ruler import Ruler
from kb.types import Block

_FENCE_LINE = re.compile(r"[ \t]*+(?:`{3,}+|~{3,}+)[^\n]*+\n")
_FENCE_LINES = re.compile(r"^[ \t]*+(?:`{3,}+|~{3,}+)[^\n]*+\n?", re.MULTILINE)


class CodeCutter:
    """Cuts the code blocks of one document."""

    def __init__(self, text: str, ruler: Ruler, context: Context, limits: ChunkLimits) -> None:
        self._text = text
        self._ruler = ruler
        self._context = context
        self._limits = limits
        self._pieces_of = PieceCutter(text, ruler, context)

    def passages(self, block: Block, caption: str) -> list[Draft]:
        """Passages of one block."""
        fence = _FENCE_LINE.match(self._text, block.start, block.end)
        opening = fence.group() if fence else ""
        limit = self._limits.passage_columns
        room = max(limit - self._ruler.width(block.start, block.start + len(opening)), limit // 2)
        atoms = cut(self._text, block.start, block.end, self._ruler, room, lines_end=True)
        parts = [Atom(block.start, block.end, atoms[-1].after)]
        if self._ruler.width(block.start, block.end) > limit:
            parts = pack(atoms, self._ruler, room, room)
        return [
            Draft(
                "code",
                part.start,
                part.end,
                block.heading_path,
                tuple(self._pieces(part, block.heading_path, caption)),
                prefix=opening if part.start > block.start else "",
                caption=caption,
                page=block.page,
                page_end=block.page,
            )
            for part in parts
        ]

    def _pieces(self, part: Atom, heading_path: tuple[str, ...], caption: str) -> list[Piece]:
        limit = self._limits.piece_columns
        atoms = cut(self._text, part.start, part.end, self._ruler, limit, lines_end=True)
        embed_text = partial(self._embed_text, heading_path, caption)
        return [
            piece
            for group in pack(atoms, self._ruler, limit, self._limits.piece_target_columns)
            for piece in self._pieces_of.fitting(group.start, group.end, embed_text, lines_end=True)
        ]

    def _embed_text(self, heading_path: tuple[str, ...], caption: str, start: int, end: int) -> str:
        body = _FENCE_LINES.sub("", self._text[start:end]).strip("\n")
        return self._context.embed_text(heading_path, caption, body) if body.strip() else ""
