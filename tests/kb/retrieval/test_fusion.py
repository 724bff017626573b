"""Mixing scores and sharing out places."""

from __future__ import annotations

import numpy as np

from kb.retrieval.fusion import CROSS_PLACES, best_rows, interleave, mix


def test_mix_weighs_both_legs():
    mixed = mix(np.array([1, 0], np.float32), np.array([0, 1], np.float32))
    assert np.allclose(mixed, [0.6, 0.4])


def test_best_rows_come_best_first_and_equal_ones_by_row():
    scores = np.array([0.2, 0.5, -np.inf, 0.5, 0.9], np.float32)
    assert best_rows(scores, 3) == [4, 1, 3]
    assert best_rows(scores, 99) == [4, 1, 3, 0]


def test_nothing_allowed_gives_no_rows():
    assert best_rows(np.full(3, -np.inf, np.float32), 2) == []


def test_the_other_language_gets_its_places_and_no_row_comes_twice():
    own, other = [1, 2, 3, 4, 5, 6, 7, 8, 9], [20, 1, 21, 22]
    assert list(interleave(own, other, 10, CROSS_PLACES)) == [1, 2, 3, 20, 4, 5, 21, 6, 7, 22]


def test_where_one_ranking_ends_the_other_goes_on():
    assert list(interleave([1], [20, 21, 22], 5, CROSS_PLACES)) == [1, 20, 21, 22]
    assert list(interleave([1, 2, 3, 4, 5], [], 5, CROSS_PLACES)) == [1, 2, 3, 4, 5]
