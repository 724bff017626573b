"""The cross-language leg: passages in the other language than the question's.

A model such as e5 puts each language in its own corner: beside passages of the question's own language, those of the
other hardly ever come up. Taking each language's mean away (that of questions from the question, that of passages from
the passages) brings both corners together. A second encoder, trained on translations, errs differently; half and half
they find more than either. The best passage in the question's own language, if it is a good one, points at its
translation too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.index.vectors.base import VectorIndex
from kb.retrieval.background import Background
from kb.retrieval.dense import piece_cosines
from kb.retrieval.fusion import best_rows
from kb.retrieval.sparse import SparseScores
from kb.retrieval.view import GenerationView
from kb.types import Language

_CENTRED_WEIGHT: Final = np.float32(0.6)
"""Of the centred first encoder; the second has the rest."""
_LEXICAL_WEIGHT: Final = np.float32(0.2)
"""Names, figures and codes are the same in both languages."""
_MOST_FOR_CODES: Final = np.float32(0.15)
_POINTER_WEIGHT: Final = np.float32(0.4)
_POINTED_AT: Final = 32
_COMPARED_TWICE: Final = 4096
_SHORTEST: Final = 1e-6

_SCALE: Final = np.float32(1.2)
_SHIFT: Final = np.float32(0.05)

_LEAD_SLOPE: Final = 1.5
_LEAD_SCORE: Final = 0.4
_OTHER: Final[dict[Language, Language]] = {"zh": "en", "en": "zh"}


@dataclass(frozen=True, slots=True)
class Crossing:
    """Passages in the other language, rated.

    Attributes:
        scores: by chunk row, on the scale of the question's own language; minus infinity for passages in that one.
        similarities: the same before the best passage in the own language pointed at its like.
        is_leading: the question's own language seems to hold no answer while the other does.
        has_own: there are passages in the question's own language.
    """

    scores: NDArray[np.float32]
    similarities: NDArray[np.float32]
    is_leading: bool
    has_own: bool


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What the second encoder says of the pieces; most of it is known before the first encoder is done.

    Attributes:
        index: its vectors of the pieces.
        query: its vector of the question.
        cosines: of that vector with every piece; None where there are too many to compare all.
    """

    index: VectorIndex
    query: NDArray[np.float32]
    cosines: NDArray[np.float32] | None

    @classmethod
    def read(cls, view: GenerationView, query: NDArray[np.float32] | None) -> SecondOpinion | None:
        """None where there is no second encoder, or it did not make vectors for the index."""
        index = view.generation.cross_vectors
        if query is None or index is None:
            return None
        return cls(index, query, piece_cosines(index, query) if len(index) <= _COMPARED_TWICE else None)

    def of_best(self, view: GenerationView, rated: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosines of the pieces that the first encoder rates best in each language, else 0."""
        second = np.zeros(len(self.index), np.float32)
        unit = self.query / max(float(np.linalg.norm(self.query)), _SHORTEST)
        for pieces in view.pieces_in.values():
            best = pieces[best_rows(rated[pieces], _COMPARED_TWICE // 8)]
            second[best] = self.index.matrix()[best] @ unit
        return second


class CrossLeg:
    """Rates passages in the other language for one question.

    Args:
        view: of the generation.
        background: of the first encoder.
        language: of the question.
        query: its vector by the first encoder.
        cosines: of that vector with every piece.
        second: what the second encoder says; None without one.
    """

    def __init__(
        self,
        view: GenerationView,
        background: Background,
        language: Language,
        query: NDArray[np.float32],
        cosines: NDArray[np.float32],
        second: SecondOpinion | None,
    ) -> None:
        self._view = view
        self._other = _OTHER[language]
        self._own = language
        self._query = query - background.question_means[language]
        self._cosines = cosines
        self._second = second

    def rank(
        self, main: NDArray[np.float32], sparse: SparseScores | None, allowed: NDArray[np.bool_] | None
    ) -> Crossing:
        """Rate every passage in the other language.

        Args:
            main: scores by the legs for the question's own language, filters applied.
            sparse: what the lexical leg found by the question's words and their translations; None leaves it out.
            allowed: chunks that filters let through; None for all.
        """
        similarities = self._view.best_by_chunk(self._similarities())
        if sparse is not None:
            similarities += _LEXICAL_WEIGHT * sparse.lexical + np.minimum(sparse.codes, _MOST_FOR_CODES)
        own, other = self._view.in_language[self._own], self._view.in_language[self._other]
        if allowed is not None:
            own, other = own & allowed, other & allowed
        found = np.where(other, similarities, -np.inf).astype(np.float32)
        rated = _on_own_scale(found)
        if not own.any():
            return Crossing(rated, rated, is_leading=True, has_own=False)
        best = int(np.argmax(np.where(own, main, -np.inf)))
        if _lead(float(main[best]), float(similarities[own].max()), float(found.max())) > 0:
            return Crossing(rated, rated, is_leading=True, has_own=True)
        pointed = self._pointed(found, best, float(main[best]))
        return Crossing(_on_own_scale(pointed), rated, is_leading=False, has_own=True)

    def _pointed(self, found: NDArray[np.float32], row: int, certainty: float) -> NDArray[np.float32]:
        """Passages like the best one in the question's own language, raised by how good that one is."""
        candidates = np.sort(np.array(best_rows(found, _POINTED_AT), np.int64))
        if not len(candidates):
            return found
        raised = found.copy()
        raised[candidates] += _POINTER_WEIGHT * np.float32(min(certainty, 1)) * self._likeness(row, candidates)
        return raised

    def _similarities(self) -> NDArray[np.float32]:
        """By piece: cosine of the centred vectors, mixed with the second encoder's."""
        centred = self._centred_cosines()
        if self._second is None:
            return centred
        second = self._second.cosines if self._second.cosines is not None else self._second.of_best(self._view, centred)
        return np.asarray(_CENTRED_WEIGHT * centred + (1 - _CENTRED_WEIGHT) * second, np.float32)

    def _centred_cosines(self) -> NDArray[np.float32]:
        """(q - m)·(p - n) / |q - m| / |p - n|, multiplied out so that no centred vectors are kept."""
        products = self._cosines - self._view.question_mean_products[self._own]
        for language, mean in self._view.language_means.items():
            products[self._view.pieces_in[language]] -= self._query @ mean
        length = max(float(np.linalg.norm(self._query)), _SHORTEST)
        return np.asarray(products / (self._view.centred_lengths * np.float32(length)), np.float32)

    def _likeness(self, row: int, candidates: NDArray[np.int64]) -> NDArray[np.float32]:
        """Cosine of a passage in the own language with passages in the other: of its mean with their best pieces."""
        generation = self._view.generation
        pieces = np.concatenate(
            [np.arange(*self._view.pieces_of(int(c)).indices(len(generation.piece_chunks))) for c in candidates]
        )
        starts = np.searchsorted(generation.piece_chunks[pieces], candidates)
        means = self._view.language_means
        likeness = _cosines(
            generation.vectors.matrix()[self._view.pieces_of(row)].mean(axis=0) - means[self._own],
            generation.vectors.matrix()[pieces] - means[self._other],
        )
        if generation.cross_vectors is not None:
            matrix = generation.cross_vectors.matrix()
            likeness += _cosines(matrix[self._view.pieces_of(row)].mean(axis=0), matrix[pieces])
            likeness /= 2
        return np.asarray(np.maximum.reduceat(likeness, starts), np.float32)


def _cosines(vector: NDArray[np.float32], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(vector)
    return np.asarray(matrix @ vector / np.maximum(lengths, _SHORTEST), np.float32)


def _on_own_scale(similarities: NDArray[np.float32]) -> NDArray[np.float32]:
    """So that a right passage scores about as much as one in the question's own language would."""
    return np.asarray(_SCALE * similarities + _SHIFT, np.float32)


def _lead(own_score: float, own_similarity: float, other_similarity: float) -> float:
    """Above 0 where the other language should come first: nothing good in the own, something better in the other.

    Measured on halves of XQuAD with the other half in the other language alone: four fifths of the questions whose
    passage is in the other language alone get it first, and one or two in a hundred of the others are misled.
    """
    return other_similarity - own_similarity + _LEAD_SLOPE * (_LEAD_SCORE - own_score)
