"""The dense leg: how near passages are to a question by their vectors."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.index.vectors.base import VectorIndex
from kb.retrieval.view import GenerationView

_SCANNED_WHOLE: Final = 200_000
"""Up to so many pieces every one is compared (10 ms for 100,000); of more, the nearest alone."""
_NEAREST: Final = 2_000
_SHORTEST: Final = 1e-6


def piece_cosines(index: VectorIndex, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosine of a query vector of any length with every piece; -1 where not compared."""
    unit = (query / max(float(np.linalg.norm(query)), _SHORTEST)).astype(np.float32)
    if len(index) <= _SCANNED_WHOLE:
        return np.asarray(index.matrix() @ unit, np.float32)  # 20 times faster than as a product of two matrices
    cosines = np.full(len(index), -1, np.float32)
    scores, rows = index.search(unit[None], _NEAREST)
    cosines[rows[0]] = scores[0]
    return cosines


def best_piece(view: GenerationView, cosines: NDArray[np.float32], row: int) -> int:
    """Number, within its chunk, of the piece nearest to the question."""
    return int(np.argmax(cosines[view.pieces_of(row)]))
