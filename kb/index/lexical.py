"""Lexical search: BM25 over words and over character bigrams, averaged.

Words carry codes and figures whole; bigrams find what the word segmentation of Chinese cut differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kb.index.postings import Postings
from kb.index.terms import TermNumbers
from kb.text import bigrams, words
from kb.types import Chunk

_WORDS = "words"
_BIGRAMS = "bigrams"


def lexical_text(chunk: Chunk) -> str:
    """What lexical search reads of a chunk: its headings, the line that introduces it, then its text."""
    introduction = (chunk.caption,) if chunk.caption else ()
    return "\n".join((*chunk.heading_path, *introduction, chunk.text))


class LexicalIndex:
    """Both legs over all chunks of a generation; safe to share between threads.

    Attributes:
        words, bigrams: the legs, for their term statistics.
    """

    def __init__(self, words_leg: Postings, bigrams_leg: Postings) -> None:
        self.words = words_leg
        self.bigrams = bigrams_leg

    @classmethod
    def build(cls, texts: Sequence[str]) -> LexicalIndex:
        """Index `texts`, one for each row."""
        return cls(
            Postings.build(words(text) for text in texts),
            Postings.build(bigrams(text) for text in texts),
        )

    @classmethod
    def of(cls, word_counts: Sequence[bytes], bigram_counts: Sequence[bytes], numbers: TermNumbers) -> LexicalIndex:
        """Index texts whose terms were counted before, see `Postings.of`."""
        return cls(Postings.of(word_counts, numbers), Postings.of(bigram_counts, numbers))

    def scores(self, query: str) -> NDArray[np.float32]:
        """How well each row matches, 0–1: 1 would be every term of the query, endlessly often, in a short text."""
        return self.scores_of_terms(words(query), bigrams(query))

    def scores_of_terms(self, word_terms: Sequence[str], bigram_terms: Sequence[str]) -> NDArray[np.float32]:
        """As `scores`, for a caller that chose the terms itself."""
        return (self.words.scores(word_terms) + self.bigrams.scores(bigram_terms)) / np.float32(2)

    def save(self, folder: Path) -> None:
        """Write both legs into `folder`; equal texts give equal bytes."""
        self.words.save(folder, _WORDS)
        self.bigrams.save(folder, _BIGRAMS)

    @classmethod
    def open(cls, folder: Path, chunks: int) -> LexicalIndex:
        """Map what `save` wrote, for a generation of `chunks` rows."""
        return cls(Postings.open(folder, _WORDS, chunks), Postings.open(folder, _BIGRAMS, chunks))
