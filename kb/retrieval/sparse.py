"""The lexical leg: which passages hold the question's words, and exactly which hold its card and part numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.index.lexical import LexicalIndex
from kb.index.postings import K1
from kb.retrieval.glossary import translate
from kb.retrieval.query import SearchQuery
from kb.retrieval.view import GenerationView
from kb.text import bigrams, words

_ONCE: Final = np.float32(K1 + 1)
"""Brings a score to where a passage of average length that holds every term of the question once has 1."""
_NAME_WEIGHT: Final = np.float32(0.3)
"""What a term in the document's own name counts, against one in the passage."""
_CODE_BONUS: Final = np.float32(0.15)
_BARE_CODE_BONUS: Final = np.float32(1)


@dataclass(frozen=True, slots=True)
class SparseScores:
    """What the lexical leg found.

    Attributes:
        lexical: by chunk row; 0 where nothing matches, about 1 where all does, above 1 where terms repeat.
        codes: what is added for passages that hold the question's codes exactly.
        unknown_codes: those that stand nowhere in the corpus.
    """

    lexical: NDArray[np.float32]
    codes: NDArray[np.float32]
    unknown_codes: tuple[str, ...]

    @property
    def total(self) -> NDArray[np.float32]:
        """Both together."""
        return self.lexical + self.codes


def sparse_scores(view: GenerationView, query: SearchQuery) -> SparseScores:
    """Score every chunk for a question."""
    index = view.generation.lexical
    terms = words(query.text)
    lexical = index.scores_of_terms(terms, bigrams(query.text)) * _ONCE
    named = view.names.overlap(terms)
    if named.any():
        lexical = lexical + _NAME_WEIGHT * named[view.generation.chunks.documents]
    codes, unknown = _code_scores(index, query, len(view))
    return SparseScores(lexical, codes, unknown)


def translated_scores(view: GenerationView, query: SearchQuery) -> NDArray[np.float32]:
    """Score every chunk for the question's terms in the other language, as far as the glossary knows them."""
    translation = translate(query.text, query.language)
    terms = words(translation.text), bigrams(translation.text)
    return view.generation.lexical.scores_of_terms(*terms) * _ONCE * np.float32(translation.share)


def _code_scores(index: LexicalIndex, query: SearchQuery, chunks: int) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    bonus = np.zeros(chunks, np.float32)
    unknown = tuple(code for code in query.codes if not index.words.frequency(code))
    rare_numbers = [number for number in query.numbers if 0 < index.words.frequency(number) <= _rare(chunks)]
    sought = [*(code for code in query.codes if code not in unknown), *rare_numbers]
    weight = (_BARE_CODE_BONUS if query.is_bare else _CODE_BONUS) / max(1, len(query.codes) + len(rare_numbers))
    for code in sought:
        bonus[index.words.scores([code]) > 0] += weight
    return bonus, unknown


def _rare(chunks: int) -> int:
    return max(2, chunks // 200)
