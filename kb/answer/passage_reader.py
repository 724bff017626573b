"""Passages, headings and tables of one generation, each read once."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final
from weakref import WeakKeyDictionary

from kb.answer.extract.definition import terms_headed
from kb.answer.extract.passage import Passage, read_passage, title_text
from kb.answer.extract.terms import TermWeights
from kb.answer.extract.whole_table import WholeTable, tables_of
from kb.index.generation import Generation
from kb.types import Chunk

_CACHED_PASSAGES: Final = 2048
_CACHED_TABLES: Final = 32
"""Documents whose tables are kept; each holds its whole text."""
_FEW_NAMED: Final = 2
_FEW_PART: Final = 20
"""One document in so many is few."""
_LONGEST_TERM: Final = 60


def read_ahead(generation: Generation, most: int = _CACHED_PASSAGES) -> None:
    """Read all headings and the first passages of a generation ahead, so that no question waits (0.3 ms each)."""
    reader = reader_of(generation)
    reader.headed("")
    for row in range(min(most, len(generation.chunks))):
        reader.read(generation.chunks[row])


class PassageReader:
    """Reads passages of one generation, each once.

    Attributes:
        weights: of terms in that generation.
    """

    def __init__(self, generation: Generation) -> None:
        self._documents = generation.documents
        self._chunks = generation.chunks
        self.weights = TermWeights(generation.lexical)
        self._read = lru_cache(maxsize=_CACHED_PASSAGES)(self._read_chunk)
        self._tables = lru_cache(maxsize=_CACHED_TABLES)(lambda doc_id: tuple(tables_of(self._documents.get(doc_id))))

    def is_title(self, term: str) -> bool:
        """Whether a term stands in the names of some documents, of few."""
        few = max(_FEW_NAMED, len(self._documents) // _FEW_PART)
        return 0 < len(self._titled.get(term, ())) <= few

    def headed(self, term: str) -> Sequence[int]:
        """Rows of the chunks whose heading is a term; see `terms_headed`."""
        return self._by_heading.get(term, ())

    @cached_property
    def _by_heading(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row in range(len(self._chunks)):
            path = self._chunks[row].heading_path
            if path and len(path[-1]) <= _LONGEST_TERM:
                for term in terms_headed(path[-1]):
                    found.setdefault(term, []).append(row)
        return found

    def read(self, chunk: Chunk) -> Passage:
        """A chunk, read."""
        return self._read(chunk)

    def tables(self, doc_ids: Iterable[str]) -> Iterator[WholeTable]:
        """All tables of some documents."""
        return (table for doc_id in doc_ids for table in self._tables(doc_id))

    def titled(self, names: Iterable[str]) -> list[str]:
        """Documents whose titles or paths hold one of some names that few of them do."""
        return [doc_id for name in names if self.is_title(name) for doc_id in self._titled.get(name, ())]

    @cached_property
    def _titled(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for summary in self._documents.summaries():
            for term in title_text(summary.title, summary.doc_id).latin:
                found.setdefault(term, []).append(summary.doc_id)
        return found

    def _read_chunk(self, chunk: Chunk) -> Passage:
        return read_passage(self._documents.get(chunk.doc_id), chunk)


_READERS: WeakKeyDictionary[Generation, PassageReader] = WeakKeyDictionary()
_LOCK = threading.Lock()


def reader_of(generation: Generation) -> PassageReader:
    """The one reader of a generation."""
    with _LOCK:
        reader = _READERS.get(generation)
        if reader is None:
            reader = _READERS[generation] = PassageReader(generation)
        return reader
