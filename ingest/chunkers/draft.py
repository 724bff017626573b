"""A passage before it gets its id: what the cutting of prose, tables and code have in common."""

from __future__ import annotations

from dataclasses import dataclass

from kb.types import ChunkKind, Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A span that is embedded, and the text that stands for it there."""

    span: Span
    embed_text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage; the attributes are those of `kb.types.Chunk`.

    Attributes:
        prefix: what `Chunk.text` has before the body.
    """

    kind: ChunkKind
    start: int
    end: int
    heading_path: tuple[str, ...]
    pieces: tuple[Piece, ...]
    prefix: str = ""
    caption: str = ""
    page: int | None = None
    page_end: int | None = None
