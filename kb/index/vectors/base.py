"""What a vector index must do.

Scores mean the same in every implementation and for either metric: the cosine between query and vector, from -1 to 1,
higher is better. Vectors and queries are brought to unit length on the way in, so multiplying all of them by a
constant changes nothing; at unit length the squared distance d of the L2 metric gives the same score, 1 - d/2.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kb.types import Vectors

Metric = Literal["inner_product", "l2"]
Scores = NDArray[np.float32]
Rows = NDArray[np.int64]

NO_ROW = -1
"""In the rows of a result: the index held fewer than k vectors. Its score is minus infinity."""


class VectorIndex(Protocol):
    """Vectors by row, searched exactly; read only once built, safe to share between threads."""

    @property
    def dim(self) -> int:
        """Width of a vector."""
        ...

    @property
    def metric(self) -> Metric:
        """How the implementation compares; scores do not depend on it."""
        ...

    def __len__(self) -> int: ...

    def search(self, queries: Vectors, k: int) -> tuple[Scores, Rows]:
        """The k best rows for each query, best first, both of shape (queries, k).

        Raises:
            ValueError: if k is below 1, or a query has the wrong width or no length.
        """
        ...

    def scores_of(self, query: NDArray[np.float32], rows: Sequence[int] | NDArray[np.integer]) -> Scores:
        """Scores of the named rows for one query, in their order.

        Raises:
            ValueError: if the query has the wrong width or no length.
            IndexError: if there is no such row.
        """
        ...

    def matrix(self) -> Vectors:
        """All vectors, unit length, by row; read only and without a copy."""
        ...

    def save(self, path: Path) -> None:
        """Write to one file; equal vectors give equal bytes."""
        ...


def unit_rows(vectors: NDArray[np.floating], dim: int | None = None) -> Vectors:
    """Copies of the rows at unit length.

    Raises:
        ValueError: if the shape is not (n, dim), or a row has no length or is not finite.
    """
    rows = np.array(vectors, np.float32, ndmin=2, order="C")
    if rows.ndim != 2 or (dim is not None and rows.shape[1] != dim):
        raise ValueError(f"expected vectors of width {dim}, got shape {np.shape(vectors)}")
    # In double precision: a large constant factor must not overflow, a small one not vanish.
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))[:, np.newaxis]
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise ValueError("a vector has no length or is not finite")
    np.divide(rows, lengths, out=rows, casting="same_kind")
    return rows
