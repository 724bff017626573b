"""What every vector index must do."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kb.index.vectors.base import NO_ROW, Metric, VectorIndex

DIM = 16


class VectorIndexContract:
    """Subclass it and define `build` and `open`; every test runs for both metrics, and for inputs of any length."""

    @pytest.fixture(params=["inner_product", "l2"])
    def metric(self, request: pytest.FixtureRequest) -> Metric:
        """How the index compares."""
        metric: Metric = request.param
        return metric

    @pytest.fixture(params=[1.0, 1e-3, 1e6], ids=["unit", "short", "long"])
    def length(self, request: pytest.FixtureRequest) -> float:
        """What all vectors and queries are multiplied by."""
        return float(request.param)

    @pytest.fixture
    def vectors(self) -> NDArray[np.float32]:
        """200 vectors of unit length."""
        values = np.random.default_rng(7).normal(size=(200, DIM))
        return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True), np.float32)

    def build(self, vectors: NDArray[np.float32], metric: Metric) -> VectorIndex:
        """An index over `vectors`."""
        raise NotImplementedError

    def open(self, path: Path, metric: Metric) -> VectorIndex:
        """The index that was saved at `path`."""
        raise NotImplementedError

    def test_the_best_match_has_the_highest_score(
        self, vectors: NDArray[np.float32], metric: Metric, length: float
    ) -> None:
        """Each vector finds itself first, with score 1, and scores fall from there."""
        index = self.build(vectors * np.float32(length), metric)
        scores, rows = index.search(vectors * np.float32(length), 10)
        assert rows[:, 0].tolist() == list(range(200))
        np.testing.assert_allclose(scores[:, 0], 1, atol=1e-5)
        assert (np.diff(scores, axis=1) <= 0).all()

    def test_scores_are_cosines(self, vectors: NDArray[np.float32], metric: Metric, length: float) -> None:
        """The documented range, whatever the metric and the lengths: scaling changes nothing."""
        index = self.build(vectors * np.float32(length), metric)
        query = -vectors[3:4] * np.float32(5)
        scores, rows = index.search(query, len(index))
        assert scores.min() >= -1
        assert scores.max() <= 1
        expected = (-vectors[3:4] @ vectors.T)[0]
        np.testing.assert_allclose(scores[0], expected[rows[0]], atol=1e-5)
        assert rows[0, -1] == 3

    def test_a_higher_threshold_never_returns_more(self, vectors: NDArray[np.float32], metric: Metric) -> None:
        """The results above a threshold are a beginning of the results above a lower one."""
        scores, rows = self.build(vectors, metric).search(vectors[:1], 200)
        found = [rows[0][scores[0] >= threshold].tolist() for threshold in (-1.0, 0.0, 0.3, 0.6, 1.1)]
        for lower, higher in itertools.pairwise(found):
            assert higher == lower[: len(higher)]
        assert len(found[0]) == 200
        assert found[-1] == []

    def test_scores_of_named_rows(self, vectors: NDArray[np.float32], metric: Metric) -> None:
        """The same numbers as a search gives, in the order of the rows asked for."""
        index = self.build(vectors, metric)
        scores, rows = index.search(vectors[5:6], 8)
        np.testing.assert_allclose(index.scores_of(vectors[5] * 3, rows[0][::-1]), scores[0][::-1], atol=1e-5)
        assert index.scores_of(vectors[5], []).shape == (0,)
        with pytest.raises(IndexError):
            index.scores_of(vectors[5], [200])

    def test_missing_results_are_marked(self, vectors: NDArray[np.float32], metric: Metric) -> None:
        """More asked for than there are: no row, and a score below every other."""
        scores, rows = self.build(vectors[:3], metric).search(vectors[:1], 5)
        assert sorted(rows[0, :3].tolist()) == [0, 1, 2]
        assert rows[0, 3:].tolist() == [NO_ROW, NO_ROW]
        assert np.isneginf(scores[0, 3:]).all()

    def test_a_saved_index_answers_the_same(self, vectors: NDArray[np.float32], metric: Metric, tmp_path: Path) -> None:
        """And two saves of the same vectors are the same bytes."""
        index = self.build(vectors, metric)
        index.save(tmp_path / "one")
        self.build(vectors, metric).save(tmp_path / "two")
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
        opened = self.open(tmp_path / "one", metric)
        assert (len(opened), opened.dim, opened.metric) == (200, DIM, metric)
        for ours, theirs in zip(index.search(vectors[:9], 7), opened.search(vectors[:9], 7), strict=True):
            np.testing.assert_array_equal(ours, theirs)

    def test_the_matrix_is_all_vectors_at_unit_length(
        self, vectors: NDArray[np.float32], metric: Metric, length: float, tmp_path: Path
    ) -> None:
        """Read only, before and after saving."""
        index = self.build(vectors * np.float32(length), metric)
        index.save(tmp_path / "index")
        for matrix in (index.matrix(), self.open(tmp_path / "index", metric).matrix()):
            np.testing.assert_allclose(matrix, vectors, atol=1e-6)
            with pytest.raises(ValueError, match="read-only"):
                matrix[0, 0] = 1

    @pytest.mark.parametrize("bad", [np.zeros(DIM), np.full(DIM, np.nan), np.ones(DIM + 1)])
    def test_a_vector_without_direction_is_refused(
        self, vectors: NDArray[np.float32], metric: Metric, bad: NDArray[np.float64]
    ) -> None:
        """No length, not finite or another width: an error rather than a score."""
        with pytest.raises(ValueError, match="vector"):
            self.build(vectors, metric).search(bad[None].astype(np.float32), 1)
        with pytest.raises(ValueError, match="vector"):
            self.build(vectors, metric).scores_of(bad.astype(np.float32), [0])

    def test_k_must_be_positive(self, vectors: NDArray[np.float32], metric: Metric) -> None:
        """Asking for nothing is a mistake."""
        with pytest.raises(ValueError, match="k must"):
            self.build(vectors, metric).search(vectors[:1], 0)
