"""The vector index on FAISS: exact, mapped from disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from kb.errors import IndexCorruptError
from kb.index.vectors.base import Metric, Rows, Scores, unit_rows
from kb.types import Vectors

# A search is a millisecond or two: more threads only get in each other's way when several questions come at once.
faiss.omp_set_num_threads(1)

_METRICS: dict[Metric, int] = {"inner_product": faiss.METRIC_INNER_PRODUCT, "l2": faiss.METRIC_L2}


class FaissVectorIndex:
    """Flat search over 32-bit floats: exact, 1 ms for 10,000 vectors of width 384, 10 ms for 100,000.

    Ids are rows. Nothing can be removed: a generation never changes.
    """

    def __init__(self, index: Any) -> None:
        self._index = index

    @classmethod
    def build(cls, vectors: NDArray[np.floating], metric: Metric = "inner_product") -> FaissVectorIndex:
        """Index `vectors` by row."""
        rows = unit_rows(vectors)
        index = faiss.IndexFlat(rows.shape[1], _METRICS[metric])
        index.add(rows)
        return cls(index)

    @classmethod
    def open(cls, path: Path) -> FaissVectorIndex:
        """Map a file that `save` wrote.

        Raises:
            IndexCorruptError: if it is not such a file.
        """
        try:
            index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise IndexCorruptError(f"{path} is not a FAISS index.", "Run: gpukb index build") from error
        return cls(index)

    @property
    def dim(self) -> int:
        """Width of a vector."""
        return int(self._index.d)

    @property
    def metric(self) -> Metric:
        """How FAISS compares."""
        return "l2" if self._index.metric_type == faiss.METRIC_L2 else "inner_product"

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(self, queries: Vectors, k: int) -> tuple[Scores, Rows]:
        """See `VectorIndex.search`."""
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        values, rows = self._index.search(unit_rows(queries, self.dim), k)
        scores = self._score(values)
        scores[rows < 0] = -np.inf
        return scores, rows

    def scores_of(self, query: NDArray[np.float32], rows: Sequence[int] | NDArray[np.integer]) -> Scores:
        """See `VectorIndex.scores_of`."""
        chosen = self.matrix()[np.asarray(rows, np.int64)]
        return np.asarray(np.clip(chosen @ unit_rows(query, self.dim)[0], -1, 1), np.float32)

    def matrix(self) -> Vectors:
        """See `VectorIndex.matrix`."""
        if not len(self):
            return np.empty((0, self.dim), np.float32)
        return np.asarray(_Mapped(self._index))

    def save(self, path: Path) -> None:
        """See `VectorIndex.save`."""
        # Not faiss.write_index: it hides why the disk refused.
        path.write_bytes(faiss.serialize_index(self._index).data)

    def _score(self, values: NDArray[np.float32]) -> Scores:
        return np.asarray(np.clip(1 - values / 2 if self.metric == "l2" else values, -1, 1), np.float32)


class _Mapped:
    """The vectors where FAISS keeps them; an array made from this keeps the index, and so the memory, alive."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self.__array_interface__ = {
            "version": 3,
            "typestr": "<f4",
            "shape": (index.ntotal, index.d),
            "data": (int(index.get_xb()), True),  # True: read only
        }
