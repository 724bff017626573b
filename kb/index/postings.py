"""One BM25 leg: for each term, the chunks that hold it and what it adds to their scores.

Own code over numpy instead of a library, because the leg needs three things at once that none gives: scores of all
chunks (the fusion mixes scores, not ranks), each term's idf (to divide by the query's best possible score), and the
same bytes for the same input. bm25s comes nearest, but at 100,000 chunks it needs 1.3 GB to build, keeps its
vocabulary as a dictionary in memory and writes its own version and backend into its files; the tests hold this leg
against it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.index.arrays import load_array, save_array
from kb.index.terms import TermNumbers, counted

K1: Final = 1.5
"""How fast repeated terms stop counting."""
B: Final = 0.75
"""How much long chunks are held back."""

_REMEMBERED_TERMS: Final = 16384


class Postings:
    """BM25 over one way of cutting text into terms; read only, mapped from disk."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        starts: NDArray[np.int64],
        rows: NDArray[np.int32],
        weights: NDArray[np.float32],
        chunks: int,
    ) -> None:
        self._vocabulary = vocabulary
        self._starts = starts
        self._rows = rows
        self._weights = weights
        self._chunks = chunks

    def idf(self, term: str) -> float:
        """Weight of a term; an unseen one has the weight of a term seen once, the highest there is."""
        number = self._vocabulary.find(term)
        seen = 1 if number is None else int(self._starts[number + 1] - self._starts[number])
        return _idf(seen, self._chunks)

    def frequency(self, term: str) -> int:
        """In how many chunks the term stands."""
        number = self._vocabulary.find(term)
        return 0 if number is None else int(self._starts[number + 1] - self._starts[number])

    def holds(self, term: str, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which of some chunks hold the term."""
        number = self._vocabulary.find(term)
        if number is None:
            return np.zeros(len(rows), np.bool_)
        with_term = self._rows[int(self._starts[number]) : int(self._starts[number + 1])]
        places = np.searchsorted(with_term, rows)
        return np.asarray(with_term[np.minimum(places, len(with_term) - 1)] == rows, np.bool_)

    def scores(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of every chunk for a query, divided by the best the query could reach: 0–1."""
        total = np.zeros(self._chunks, np.float32)
        best = 0.0
        for term, count in Counter(terms).items():
            number = self._vocabulary.find(term)
            if number is None:
                best += count * _idf(1, self._chunks)
                continue
            start, end = int(self._starts[number]), int(self._starts[number + 1])
            best += count * _idf(end - start, self._chunks)
            total[self._rows[start:end]] += np.float32(count) * self._weights[start:end]
        return total / np.float32(best) if best > 0 else total

    @classmethod
    def build(cls, texts: Iterable[Sequence[str]]) -> Postings:
        """Count terms; `texts` gives each chunk's terms in the order of the rows."""
        numbers = TermNumbers()
        return cls.of([numbers.count(text) for text in texts], numbers)

    @classmethod
    def of(cls, texts: Sequence[bytes], numbers: TermNumbers) -> Postings:
        """Add up terms that were counted before: `numbers.count` of each chunk, in the order of the rows.

        Which numbers the terms have does not show in the result.
        """
        rows, terms, counts = counted(texts)
        used = np.flatnonzero(np.bincount(terms, minlength=len(numbers.terms)))
        encoded = [numbers.terms[number].encode() for number in used.tolist()]
        by_bytes = sorted(range(len(encoded)), key=encoded.__getitem__)
        place = np.empty(len(numbers.terms), np.int32)
        place[used[by_bytes]] = np.arange(len(encoded), dtype=np.int32)
        by_term = place[terms]
        # By term, and within a term by row: one number for both, as sorting numbers is much faster than an argsort.
        order = np.sort(by_term.astype(np.int64) << 32 | np.arange(len(by_term))) & 0xFFFFFFFF
        seen = np.bincount(by_term, minlength=len(encoded))
        lengths = np.bincount(rows, weights=counts, minlength=len(texts)).astype(np.int64)
        return cls(
            Vocabulary.of_encoded([encoded[number] for number in by_bytes]),
            np.concatenate([[0], np.cumsum(seen)]).astype(np.int64),
            rows[order],
            _weights(by_term, rows, counts.astype(np.float32), seen, lengths)[order],
            len(texts),
        )

    def save(self, folder: Path, name: str) -> None:
        """Write the leg's files, each starting with `name`."""
        self._vocabulary.save(folder, name)
        save_array(folder / f"{name}.starts.npy", self._starts)
        save_array(folder / f"{name}.rows.npy", self._rows)
        save_array(folder / f"{name}.weights.npy", self._weights)

    @classmethod
    def open(cls, folder: Path, name: str, chunks: int) -> Postings:
        """Map the files that `save` wrote."""
        return cls(
            Vocabulary.open(folder, name),
            load_array(folder / f"{name}.starts.npy"),
            load_array(folder / f"{name}.rows.npy"),
            load_array(folder / f"{name}.weights.npy"),
            chunks,
        )


class Vocabulary:
    """Terms in the order of their UTF-8 bytes, in one mapped block; found by bisection, so few are kept in memory.

    Attributes:
        find: the number of a term, or None.
    """

    def __init__(self, block: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self._block = block
        self._offsets = offsets
        # Slicing a mapped array costs microseconds, a memoryview a tenth of that; a search does it hundreds of times.
        self._bytes = block.data
        self._bounds = offsets.data
        # Questions are made of the same few thousand terms.
        self.find = lru_cache(maxsize=_REMEMBERED_TERMS)(self._find)

    @classmethod
    def of(cls, terms: Sequence[str]) -> Vocabulary:
        """From terms sorted by their UTF-8 bytes."""
        return cls.of_encoded([term.encode() for term in terms])

    @classmethod
    def of_encoded(cls, encoded: Sequence[bytes]) -> Vocabulary:
        """The same for terms in UTF-8."""
        offsets = np.concatenate([[0], np.cumsum([len(term) for term in encoded])]).astype(np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, number: int) -> bytes:
        return bytes(self._bytes[self._bounds[number] : self._bounds[number + 1]])

    def _find(self, term: str) -> int | None:
        wanted = term.encode("utf-8", "replace")
        number = bisect_left(self, wanted)
        return number if number < len(self) and self[number] == wanted else None

    def save(self, folder: Path, name: str) -> None:
        """Write the block and its offsets."""
        save_array(folder / f"{name}.terms.npy", self._block)
        save_array(folder / f"{name}.term_offsets.npy", self._offsets)

    @classmethod
    def open(cls, folder: Path, name: str) -> Vocabulary:
        """Map the files that `save` wrote."""
        return cls(load_array(folder / f"{name}.terms.npy"), load_array(folder / f"{name}.term_offsets.npy"))


def _idf(seen: int, chunks: int) -> float:
    return math.log(1 + (chunks - seen + 0.5) / (seen + 0.5))


def _weights(
    terms: NDArray[np.int32],
    rows: NDArray[np.int32],
    counts: NDArray[np.float32],
    seen: NDArray[np.integer],
    lengths: NDArray[np.int64],
) -> NDArray[np.float32]:
    """What each posting adds to its chunk's score."""
    total = max(int(lengths.sum()), 1)
    frequencies, places = np.unique(seen, return_inverse=True)
    idf = np.array([_idf(chunks, len(lengths)) for chunks in frequencies.tolist()], np.float32)[places]
    damping = (K1 * (1 - B + B * lengths * len(lengths) / total)).astype(np.float32)
    return np.asarray(idf[terms] * counts / (counts + damping[rows]), np.float32)
