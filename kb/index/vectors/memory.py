"""A vector index in numpy: the plainest right answer, which the tests hold the others against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kb.index.arrays import load_array, save_array
from kb.index.vectors.base import NO_ROW, Metric, Rows, Scores, unit_rows
from kb.types import Vectors


class MemoryVectorIndex:
    """Exact search by one matrix product."""

    def __init__(self, unit_vectors: Vectors, metric: Metric) -> None:
        self._vectors = unit_vectors.view()
        self._vectors.flags.writeable = False
        self._metric = metric

    @classmethod
    def build(cls, vectors: NDArray[np.floating], metric: Metric = "inner_product") -> MemoryVectorIndex:
        """Index `vectors` by row."""
        return cls(unit_rows(vectors), metric)

    @classmethod
    def open(cls, path: Path, metric: Metric = "inner_product") -> MemoryVectorIndex:
        """Map a file that `save` wrote."""
        return cls(load_array(path), metric)

    @property
    def dim(self) -> int:
        """Width of a vector."""
        return int(self._vectors.shape[1])

    @property
    def metric(self) -> Metric:
        """How vectors are compared."""
        return self._metric

    def __len__(self) -> int:
        return len(self._vectors)

    def search(self, queries: Vectors, k: int) -> tuple[Scores, Rows]:
        """See `VectorIndex.search`."""
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        scores = self._score(unit_rows(queries, self.dim), self._vectors)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        missing = ((0, 0), (0, k - best.shape[1]))
        return (
            np.pad(np.take_along_axis(scores, best, axis=1), missing, constant_values=-np.inf),
            np.pad(best.astype(np.int64), missing, constant_values=NO_ROW),
        )

    def scores_of(self, query: NDArray[np.float32], rows: Sequence[int] | NDArray[np.integer]) -> Scores:
        """See `VectorIndex.scores_of`."""
        chosen = self._vectors[np.asarray(rows, np.int64)]
        return np.asarray(self._score(unit_rows(query, self.dim), chosen)[0], np.float32)

    def matrix(self) -> Vectors:
        """See `VectorIndex.matrix`."""
        return self._vectors

    def save(self, path: Path) -> None:
        """See `VectorIndex.save`."""
        save_array(path, self._vectors)

    def _score(self, queries: Vectors, vectors: Vectors) -> Scores:
        if self._metric == "inner_product":
            return np.asarray(np.clip(queries @ vectors.T, -1, 1), np.float32)
        squared = ((queries[:, None, :] - vectors[None, :, :]) ** 2).sum(axis=2)
        return np.asarray(np.clip(1 - squared / 2, -1, 1), np.float32)
