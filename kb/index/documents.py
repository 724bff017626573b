"""The documents of a generation, with the texts that citations point into."""

from __future__ import annotations

import itertools
import json
import mmap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from kb.errors import NotFoundError
from kb.index.entries import ChunkEntry, DocumentEntry
from kb.index.jsonlines import JsonLines, write_encoded
from kb.index.layout import DOCUMENT_OFFSETS, DOCUMENT_SUMMARIES, DOCUMENTS
from kb.types import Block, Document, Language

_PARSED_DOCUMENTS = 64


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """What a list of documents shows of one.

    Attributes:
        chunks: how many chunks it was cut into.
        first_chunk: row of its first chunk; its chunks stand in a row.
        shared_chunks: rows of other documents' chunks that this document holds too.
        characters: length of its text.
    """

    doc_id: str
    title: str
    language: Language
    media_type: str
    encoding: str
    sha256: str
    characters: int
    chunks: int
    first_chunk: int
    shared_chunks: tuple[int, ...]
    metadata: Mapping[str, Any]
    warnings: tuple[str, ...]


class DocumentTable:
    """Documents by id. All summaries are parsed when one is asked for first, a document when it is."""

    def __init__(self, folder: Path) -> None:
        self._lines = JsonLines(folder / DOCUMENTS, folder / DOCUMENT_OFFSETS)
        with (folder / DOCUMENT_SUMMARIES).open("rb") as file:  # mapped: it may be deleted before they are asked for
            self._summaries_file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._parse = lru_cache(maxsize=_PARSED_DOCUMENTS)(self._read)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._numbers

    def ids(self) -> tuple[str, ...]:
        """All document ids, sorted."""
        return self._ids

    def summaries(self) -> tuple[DocumentSummary, ...]:
        """All summaries, in the order of their ids."""
        return self._summaries

    def summary(self, doc_id: str) -> DocumentSummary:
        """One document's summary.

        Raises:
            NotFoundError: if there is no such document.
        """
        return self._summaries[self._number(doc_id)]

    def get(self, doc_id: str) -> Document:
        """One document, whole.

        Raises:
            NotFoundError: if there is no such document.
        """
        return self._parse(self._number(doc_id))

    @cached_property
    def _summaries(self) -> tuple[DocumentSummary, ...]:
        content = self._summaries_file[:].decode("utf-8", "surrogatepass")
        return tuple(_summary(fields) for fields in json.loads(content))

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return tuple(summary.doc_id for summary in self._summaries)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {doc_id: number for number, doc_id in enumerate(self._ids)}

    def forget(self) -> None:
        """Drop the parsed documents that are kept for reuse."""
        self._parse.cache_clear()

    def _number(self, doc_id: str) -> int:
        number = self._numbers.get(doc_id)
        if number is None:
            raise NotFoundError(f"There is no document {doc_id!r}.", "Run: gpukb index status --documents")
        return number

    def _read(self, number: int) -> Document:
        fields = self._lines[number]
        blocks = tuple(Block(**{**block, "heading_path": tuple(block["heading_path"])}) for block in fields["blocks"])
        return Document(**{**fields, "blocks": blocks, "warnings": tuple(fields["warnings"])})


def write_documents(documents: Sequence[DocumentEntry], chunks: Sequence[ChunkEntry], folder: Path) -> None:
    """Write documents sorted by `doc_id`; `chunks` are sorted by `doc_id` and `ordinal`.

    Raises:
        ValueError: if they do not, or if a chunk's document is missing.
    """
    ids = [document.doc_id for document in documents]
    if any(before >= after for before, after in itertools.pairwise(ids)):
        raise ValueError("documents must be sorted by doc_id, each once")
    places = [(chunk.doc_id, chunk.ordinal) for chunk in chunks]
    if any(before >= after for before, after in itertools.pairwise(places)):
        raise ValueError("chunks must be sorted by doc_id and ordinal, each once")
    rows: dict[str, list[int]] = {doc_id: [] for doc_id in ids}
    shared: dict[str, list[int]] = {doc_id: [] for doc_id in ids}
    for row, chunk in enumerate(chunks):
        if chunk.doc_id not in rows:
            raise ValueError(f"chunk {chunk.chunk_id} belongs to {chunk.doc_id!r}, which is not among the documents")
        rows[chunk.doc_id].append(row)
        for doc_id in chunk.also_in:
            if doc_id in shared:
                shared[doc_id].append(row)
    write_encoded((document.line for document in documents), folder / DOCUMENTS, folder / DOCUMENT_OFFSETS)
    lines = [_summary_line(document.head, rows[document.doc_id], shared[document.doc_id]) for document in documents]
    (folder / DOCUMENT_SUMMARIES).write_bytes(b"[" + b",\n".join(lines) + b"]\n")


def _summary_line(head: bytes, rows: list[int], shared: list[int]) -> bytes:
    places = f'"chunks":{len(rows)},"first_chunk":{rows[0] if rows else 0},"shared_chunks":{shared}'
    return b"%b,%b}" % (head.removesuffix(b"}"), places.encode())


def _summary(fields: dict[str, Any]) -> DocumentSummary:
    return DocumentSummary(
        **{**fields, "shared_chunks": tuple(fields["shared_chunks"]), "warnings": tuple(fields["warnings"])}
    )
