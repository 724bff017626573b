"""Documents and chunks as a generation keeps them: encoded once, and written again without being read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kb.index.jsonlines import encode_line
from kb.index.lexical import lexical_text
from kb.index.terms import TermNumbers
from kb.text import bigrams, words
from kb.types import Chunk, Document, Language


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document.

    Attributes:
        sha256: of its file.
        line: all of it, as JSON.
        head: its summary as a JSON object, without what depends on other documents.
    """

    doc_id: str
    sha256: str
    line: bytes
    head: bytes


@dataclass(frozen=True, slots=True)
class ChunkEntry:
    """One chunk.

    Attributes:
        pieces: how many vectors it has.
        line: all of it, as JSON.
        words, bigrams: its search terms, as `TermNumbers.count` gives them.
        also_in: other documents that hold the same passage; `line` says so too.
    """

    chunk_id: str
    doc_id: str
    ordinal: int
    language: Language
    pieces: int
    line: bytes
    words: bytes
    bigrams: bytes
    also_in: tuple[str, ...] = ()

    def shared_with(self, doc_ids: Sequence[str]) -> ChunkEntry:
        """The same where other documents hold the passage too."""
        fields = {**self.fields(), "also_in": list(doc_ids)}
        return replace(self, line=encode_line(fields), also_in=tuple(doc_ids))

    def fields(self) -> dict[str, Any]:
        """What the line says."""
        found: dict[str, Any] = json.loads(self.line.decode("utf-8", "surrogatepass"))
        return found


def document_entry(document: Document) -> DocumentEntry:
    """A document, encoded."""
    head = {
        "doc_id": document.doc_id,
        "title": document.title,
        "language": document.language,
        "media_type": document.media_type,
        "encoding": document.encoding,
        "sha256": document.sha256,
        "characters": len(document.text),
        "metadata": document.metadata,
        "warnings": document.warnings,
    }
    return DocumentEntry(document.doc_id, document.sha256, encode_line(document), encode_line(head).rstrip())


def chunk_entry(chunk: Chunk, numbers: TermNumbers) -> ChunkEntry:
    """A chunk, encoded; `numbers` learns its terms.

    Raises:
        ValueError: if it has no text, no piece or not one text for each piece.
    """
    if not chunk.text.strip() or not chunk.pieces or len(chunk.pieces) != len(chunk.embed_texts):
        raise ValueError(f"chunk {chunk.chunk_id} of {chunk.doc_id!r} has no text, or not one text for each piece")
    text = lexical_text(chunk)
    return ChunkEntry(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        ordinal=chunk.ordinal,
        language=chunk.language,
        pieces=len(chunk.pieces),
        line=encode_line(chunk),
        words=numbers.count(words(text)),
        bigrams=numbers.count(bigrams(text)),
        also_in=chunk.also_in,
    )


def entries_of(
    documents: Iterable[Document], chunks: Iterable[Chunk], numbers: TermNumbers
) -> tuple[list[DocumentEntry], list[ChunkEntry]]:
    """Many of them, encoded."""
    return [document_entry(document) for document in documents], [chunk_entry(chunk, numbers) for chunk in chunks]
