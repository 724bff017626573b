"""Cutting paragraphs, lists and small code blocks into passages and pieces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ingest.chunkers.borders import Atom, Border, cut, pack
from ingest.chunkers.context import Context, readable
from ingest.chunkers.draft import Draft, Piece
from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.pieces import PieceCutter
from ingest.chunkers.ruler import Ruler
from kb.types import Block


class ProseCutter:
    """Cuts runs of neighbouring blocks of one document."""

    def __init__(self, text: str, ruler: Ruler, context: Context, limits: ChunkLimits) -> None:
        self._text = text
        self._ruler = ruler
        self._context = context
        self._limits = limits
        self._pieces_of = PieceCutter(text, ruler, context)

    def passages(self, blocks: Sequence[Block], heading_path: tuple[str, ...]) -> list[Draft]:
        """Passages of a run of blocks under one heading, none wider than the limit."""
        limit = self._limits.passage_columns
        atoms: list[Atom] = []
        for block in blocks:
            if self._ruler.width(block.start, block.end) <= limit // 2:
                atoms.append(Atom(block.start, block.end, Border.BLOCK))
                continue
            parts = cut(self._text, block.start, block.end, self._ruler, limit, lines_end=block.kind == "code")
            atoms.extend(parts[:-1])
            atoms.append(Atom(parts[-1].start, parts[-1].end, Border.BLOCK))
        groups = pack(atoms, self._ruler, limit, self._limits.passage_target_columns)
        return [self._passage(group, blocks, heading_path) for group in groups]

    def _passage(self, group: Atom, blocks: Sequence[Block], heading_path: tuple[str, ...]) -> Draft:
        inside = [block for block in blocks if block.start < group.end and block.end > group.start]
        pages = [block.page for block in inside if block.page is not None]
        only_code = all(block.kind == "code" for block in inside)
        return Draft(
            "code" if only_code else "text",
            group.start,
            group.end,
            heading_path,
            tuple(self._pieces(group, inside, heading_path)),
            page=min(pages, default=None),
            page_end=max(pages, default=None),
        )

    def _pieces(self, group: Atom, blocks: Sequence[Block], heading_path: tuple[str, ...]) -> list[Piece]:
        atoms: list[Atom] = []
        for block in blocks:
            start, end = max(block.start, group.start), min(block.end, group.end)
            parts = cut(self._text, start, end, self._ruler, self._limits.piece_columns, lines_end=block.kind == "code")
            atoms.extend(parts[:-1])
            atoms.extend(Atom(part.start, part.end, Border.SENTENCE) for part in parts[-1:])
        target = self._limits.piece_target_columns
        pieces: list[Piece] = []
        for part in pack(atoms, self._ruler, self._limits.piece_columns, target):
            pieces.extend(self._pieces_of.fitting(part.start, part.end, partial(self._embed_text, heading_path)))
        return pieces

    def _embed_text(self, heading_path: tuple[str, ...], start: int, end: int) -> str:
        body = readable(self._text[start:end])
        return self._context.embed_text(heading_path, "", body) if body else ""
