"""Every vector index keeps the contract."""

from __future__ import annotations

from kb.index.vectors.faiss import FaissVectorIndex
from kb.index.vectors.memory import MemoryVectorIndex
from kb.testing.vector_indexes import VectorIndexContract


class TestFaissVectorIndex(VectorIndexContract):
    def build(self, vectors, metric):
        return FaissVectorIndex.build(vectors, metric)

    def open(self, path, metric):
        return FaissVectorIndex.open(path)


class TestMemoryVectorIndex(VectorIndexContract):
    def build(self, vectors, metric):
        return MemoryVectorIndex.build(vectors, metric)

    def open(self, path, metric):
        return MemoryVectorIndex.open(path, metric)
