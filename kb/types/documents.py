"""Documents, their chunks, and places in their text: offsets in code points, half open, `text[start:end]`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Language = Literal["zh", "en"]
BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote"]
ChunkKind = Literal["text", "table", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """A structural unit of a document.

    Attributes:
        kind: what it is; a fenced or indented block is `code`, whatever its lines look like.
        start, end: its span in `Document.text`.
        heading_path: titles of the headings above it, outermost first (its own title not included).
        level: 1–6 for a heading, else 0.
        header_end: for a table, where its header rows end (`start` if it has none), else `start`.
        caption: for a table, the line that names it, if the document gives one.
        page: 1-based page, where the format has pages.
    """

    kind: BlockKind
    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    level: int = 0
    header_end: int = 0
    caption: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One file, read.

    Attributes:
        doc_id: its path relative to the corpus folder, with `/`, NFC-normalised.
        text: the whole text that chunks and citations point into. Markdown and text keep their source
            characters (without front matter); tables of other formats are written as pipe tables.
        media_type: for example `text/markdown`.
        encoding: the encoding that was detected, for example `utf-8` or `gb18030`; empty for binary formats.
        sha256: of the file's bytes, hexadecimal.
        metadata: front matter and what else the format states (`sources`, `as_of`, `published`, `doc_type`, `url`…).
        warnings: what was odd though it could be read ("1 undecodable byte at offset 812").
    """

    doc_id: str
    title: str
    language: Language
    text: str
    blocks: tuple[Block, ...]
    media_type: str
    encoding: str
    sha256: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code points in a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: what is found, shown and cited.

    A chunk is a whole paragraph group, table part or code block. Its `pieces` are the smaller spans that are
    embedded; each becomes one vector, and a hit on any of them is a hit on the chunk.

    Attributes:
        chunk_id: derived from content and place, see `chunk_id_of`.
        doc_id: the document the span belongs to.
        ordinal: position among the document's chunks, from 0.
        kind: `table` and `code` chunks are never mixed with prose.
        start, end: its body's span in `Document.text`; the body is `document.text[start:end]`, character for character.
        text: what is shown and searched; it always ends with the body. Before it stand the header rows, for part of
            a table that was cut, or the opening fence line, for part of a code block that was cut.
        caption: the line that introduces a table or code chunk (its caption or the sentence right above it); not part
            of `text`, searched together with it.
        heading_path: headings above it, outermost first.
        pieces: spans inside [start, end) that are embedded.
        embed_texts: one text per piece, as the embedder gets it (title or heading path, table header, piece), without
            the model's own prefix; each fits the model's window.
        language: the language of this passage (a document may mix both).
        page, page_end: where the format has pages.
        also_in: doc_ids of other documents that hold the same passage.
    """

    chunk_id: str
    doc_id: str
    ordinal: int
    kind: ChunkKind
    start: int
    end: int
    text: str
    heading_path: tuple[str, ...]
    pieces: tuple[Span, ...]
    embed_texts: tuple[str, ...]
    language: Language
    page: int | None = None
    page_end: int | None = None
    also_in: tuple[str, ...] = ()
    caption: str = ""


def chunk_id_of(doc_id: str, start: int, text: str) -> str:
    """A chunk's id: 16 hexadecimal digits of SHA-256 over document, place and text."""
    return hashlib.sha256(f"{doc_id}\x00{start}\x00{text}".encode()).hexdigest()[:16]
