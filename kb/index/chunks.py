"""The chunks of a generation, by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kb.errors import NotFoundError
from kb.index.arrays import load_array, save_array
from kb.index.documents import DocumentTable
from kb.index.entries import ChunkEntry
from kb.index.jsonlines import JsonLines, write_encoded
from kb.index.layout import CHUNK_DOCUMENTS, CHUNK_IDS, CHUNK_LANGUAGES, CHUNK_OFFSETS, CHUNKS
from kb.types import Chunk, Language, Span

LANGUAGE_CODES: Final[Mapping[Language, int]] = {"zh": 0, "en": 1}
"""How `ChunkTable.languages` writes a language."""

_PARSED_CHUNKS: Final = 4096


class ChunkTable:
    """Chunks by row or id; a chunk is parsed when it is asked for.

    Attributes:
        ids: `Chunk.chunk_id` as a number by row, uint64.
        languages: `LANGUAGE_CODES` by row, uint8.
        documents: number of the chunk's document (its place in `DocumentTable.ids()`) by row, int32.
    """

    def __init__(self, folder: Path, documents: DocumentTable) -> None:
        self._lines = JsonLines(folder / CHUNKS, folder / CHUNK_OFFSETS)
        self.ids: NDArray[np.uint64] = load_array(folder / CHUNK_IDS)
        self._table = documents
        self.languages: NDArray[np.uint8] = load_array(folder / CHUNK_LANGUAGES)
        self.documents: NDArray[np.int32] = load_array(folder / CHUNK_DOCUMENTS)
        self._parse = lru_cache(maxsize=_PARSED_CHUNKS)(self._read)

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, row: int) -> Chunk:
        return self._parse(int(row))

    def doc_id_of(self, row: int) -> str:
        """The document of a chunk, without parsing the chunk."""
        return self._table.ids()[int(self.documents[row])]

    def row_of(self, chunk_id: str) -> int:
        """The row of a chunk.

        Raises:
            NotFoundError: if there is no such chunk.
        """
        try:
            wanted = np.uint64(int(chunk_id, 16))
        except (ValueError, OverflowError):
            raise NotFoundError(f"There is no chunk {chunk_id!r}.") from None
        order = self._order
        place = int(np.searchsorted(self.ids, wanted, sorter=order))
        if place == len(order) or self.ids[order[place]] != wanted:
            raise NotFoundError(f"There is no chunk {chunk_id!r}.")
        return int(order[place])

    def rows_of(self, doc_id: str) -> NDArray[np.int64]:
        """Rows of the chunks that a document holds, those it shares with another document included.

        Raises:
            NotFoundError: if there is no such document.
        """
        summary = self._table.summary(doc_id)
        own = np.arange(summary.first_chunk, summary.first_chunk + summary.chunks, dtype=np.int64)
        return np.concatenate([own, np.array(summary.shared_chunks, np.int64)])

    def forget(self) -> None:
        """Drop the parsed chunks that are kept for reuse."""
        self._parse.cache_clear()

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.ids)

    def _read(self, row: int) -> Chunk:
        fields = self._lines[row]
        tuples = {name: tuple(fields[name]) for name in ("heading_path", "embed_texts", "also_in")}
        return Chunk(**{**fields, **tuples, "pieces": tuple(Span(**piece) for piece in fields["pieces"])})


def write_chunks(chunks: Sequence[ChunkEntry], doc_ids: Sequence[str], folder: Path) -> None:
    """Write chunks in the order given.

    Raises:
        ValueError: if two chunks have the same id.
    """
    ids = np.array([int(chunk.chunk_id, 16) for chunk in chunks], np.uint64)
    if len(np.unique(ids)) != len(ids):
        raise ValueError("two chunks have the same chunk_id")
    numbers = {doc_id: number for number, doc_id in enumerate(doc_ids)}
    write_encoded((chunk.line for chunk in chunks), folder / CHUNKS, folder / CHUNK_OFFSETS)
    save_array(folder / CHUNK_IDS, ids)
    columns: dict[str, NDArray[Any]] = {
        CHUNK_DOCUMENTS: np.array([numbers[chunk.doc_id] for chunk in chunks], np.int32),
        CHUNK_LANGUAGES: np.array([LANGUAGE_CODES[chunk.language] for chunk in chunks], np.uint8),
    }
    for name, values in columns.items():
        save_array(folder / name, values)
