"""The dense leg: how near passages are to a question by their vectors."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.index.vectors.base import VectorIndex
from kb.retrieval.view import GenerationView
from kb.types import Vectors

_SCANNED_WHOLE: Final = 200_000
"""Up to so many pieces every one is compared (10 ms for 100,000); of more, the nearest alone."""
_NEAREST: Final = 2_000


def piece_cosines(index: VectorIndex, queries: Vectors) -> NDArray[np.float32]:
    """Cosines of query vectors of any length with every piece, shape (queries, pieces); -1 where not compared."""
    lengths = np.linalg.norm(queries, axis=1, keepdims=True)
    unit = (queries / np.maximum(lengths, np.finfo(np.float32).tiny)).astype(np.float32)
    if len(index) <= _SCANNED_WHOLE:
        return np.asarray(unit @ index.matrix().T, np.float32)
    cosines = np.full((len(queries), len(index)), -1, np.float32)
    scores, rows = index.search(unit, _NEAREST)
    np.put_along_axis(cosines, rows, scores, axis=1)
    return cosines


def best_piece(view: GenerationView, cosines: NDArray[np.float32], row: int) -> int:
    """Number, within its chunk, of the piece nearest to the question."""
    return int(np.argmax(cosines[view.pieces_of(row)]))
