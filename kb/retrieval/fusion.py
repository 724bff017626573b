"""Mixing the scores of the legs, and giving the other language its places.

Scores are mixed, not ranks: a leg's scores mean the same for every question, so a leg that found nothing good says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]

DENSE_WEIGHT: Final = 0.6
"""Of the dense leg in a question's own language; the lexical leg has the rest. 0.5–0.65 are equally good."""

CROSS_PLACES: Final = (4, 7, 10)
"""Ranks of every ten that belong to passages in the other language, where the corpus has both."""
LEADING_PLACES: Final = (1, 3, 5, 8, 10)
"""Those ranks where the other language alone seems to hold the answer."""


_LOWEST: Final = np.finfo(np.float32).min


def mix(dense: Scores, sparse: Scores) -> Scores:
    """Scores of passages in the question's own language."""
    return np.float32(DENSE_WEIGHT) * dense + np.float32(1 - DENSE_WEIGHT) * sparse


def best_rows(scores: Scores, count: int) -> list[int]:
    """Rows with the best finite scores, best first; equal scores stay in the order of the rows."""
    count = min(count, len(scores))
    if count == 0:
        return []
    threshold = max(np.partition(scores, -count)[-count], _LOWEST)
    kept = np.flatnonzero(scores >= threshold)
    order = kept[np.lexsort((kept, -scores[kept]))]
    return [int(row) for row in order[:count]]


def interleave(own: Sequence[int], other: Sequence[int], count: int, places: Sequence[int]) -> Iterator[int]:
    """Rows of both rankings: those of `other` at `places` of every ten ranks, those of `own` elsewhere.

    Where one ranking ends the other goes on.
    """
    sources = {True: iter(other), False: iter(own)}
    taken: set[int] = set()
    for rank in range(1, count + 1):
        is_reserved = (rank - 1) % 10 + 1 in places
        for source in (sources[is_reserved], sources[not is_reserved]):
            row = next((row for row in source if row not in taken), None)
            if row is not None:
                taken.add(row)
                yield row
                break
        else:
            return
