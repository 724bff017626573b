"""What all searches of one generation share, computed once when the first of them comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.index.chunks import LANGUAGE_CODES
from kb.index.generation import Generation
from kb.retrieval.background import Background
from kb.retrieval.names import DocumentNames
from kb.types import Language

Mask = NDArray[np.bool_]

_EVERYDAY_WEIGHT: Final = 20
"""The everyday passages count as so many pieces of the corpus."""
_SHORTEST: Final = 0.2
"""A piece nearer to its language's mean than this says too little for its direction to be trusted."""


class GenerationView:
    """A generation as retrieval reads it; read only, safe to share between threads.

    Attributes:
        piece_starts: row of each chunk's first piece.
        in_language: which chunks are in a language.
        pieces_in: rows of the pieces in a language.
        question_mean_products: each piece vector times the mean vector of a language's questions.
        language_means: mean of each language's piece vectors, drawn towards the everyday one where there are few.
        centred_lengths: length of each piece vector after its language's mean is taken away.
        names: what documents are called.
    """

    def __init__(self, generation: Generation, background: Background) -> None:
        self.generation = generation
        rows = np.arange(len(generation.chunks))
        self.piece_starts: NDArray[np.int64] = np.searchsorted(generation.piece_chunks, rows).astype(np.int64)
        languages = generation.chunks.languages
        piece_languages = languages[generation.piece_chunks]
        self.in_language: Mapping[Language, Mask] = {
            language: languages == code for language, code in LANGUAGE_CODES.items()
        }
        self.pieces_in: Mapping[Language, NDArray[np.int64]] = {
            language: np.flatnonzero(piece_languages == code) for language, code in LANGUAGE_CODES.items()
        }
        matrix = generation.vectors.matrix()
        self.question_mean_products: Mapping[Language, NDArray[np.float32]] = {
            language: matrix @ mean for language, mean in background.question_means.items()
        }
        self.language_means = self._language_means(background)
        self.centred_lengths = self._centred_lengths()
        self.names = DocumentNames(generation.documents.summaries())

    def __len__(self) -> int:
        return len(self.piece_starts)

    def pieces_of(self, row: int) -> slice:
        """Rows of a chunk's pieces."""
        last = row + 1 == len(self.piece_starts)
        end = len(self.generation.piece_chunks) if last else int(self.piece_starts[row + 1])
        return slice(int(self.piece_starts[row]), end)

    def best_by_chunk(self, piece_scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Each chunk's score: that of its best piece. Pieces lie along the last axis."""
        return np.maximum.reduceat(piece_scores, self.piece_starts, axis=-1)

    def has_other_than(self, language: Language) -> bool:
        """Whether there are passages in the other language."""
        return any(len(pieces) for other, pieces in self.pieces_in.items() if other != language)

    def _language_means(self, background: Background) -> Mapping[Language, NDArray[np.float32]]:
        """Of a handful of passages the mean is their topic more than their language."""
        means: dict[Language, NDArray[np.float32]] = {}
        for language, mean in self.generation.language_means.items():
            own = len(self.pieces_in[language])
            weighted = own * mean + _EVERYDAY_WEIGHT * background.passage_means[language]
            means[language] = np.asarray(weighted / (own + _EVERYDAY_WEIGHT), np.float32)
        return means

    def _centred_lengths(self) -> NDArray[np.float32]:
        """Of |p - m| only p·m differs from piece to piece, so no centred copy of the vectors is kept."""
        lengths = np.ones(len(self.generation.piece_chunks), np.float32)
        matrix = self.generation.vectors.matrix()
        for language, mean in self.language_means.items():
            pieces = self.pieces_in[language]
            squared = 1 - 2 * (matrix[pieces] @ mean) + float(mean @ mean)
            lengths[pieces] = np.sqrt(np.maximum(squared, _SHORTEST**2))
        return lengths
