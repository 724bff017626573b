from __future__ import annotations

import numpy as np
import pytest

from kb.embeddings.bundled import BUNDLED_INFO, BundledE5
from tests.kb.embeddings.conftest import TEXTS


def test_vectors_are_the_same_bytes_whatever_the_batch_and_the_threads(bundled, cache_dir):
    together = bundled.embed_passages(TEXTS)
    single = BundledE5(cache_dir, threads=1)
    np.testing.assert_array_equal(together, single.embed_passages(TEXTS))
    np.testing.assert_array_equal(together, np.concatenate([single.embed_passages([text]) for text in TEXTS]))


def test_queries_and_passages_have_their_own_prefixes(bundled):
    text = ["T4 的显存带宽"]
    assert not np.allclose(bundled.embed_queries(text), bundled.embed_passages(text))
    assert bundled.count_tokens("") == 4  # start, "passage", ":", end


def test_a_cut_question_keeps_its_beginning(bundled):
    whole = bundled.embed_queries(["显存带宽 " * 400])
    longer = bundled.embed_queries(["显存带宽 " * 500])
    np.testing.assert_array_equal(whole, longer)


def test_its_info_is_fixed():
    """An index made by one release must open in the next: change this only with the vectors."""
    assert BUNDLED_INFO.fingerprint == "58f8ebb9de86f804"


def test_threads_must_be_positive(cache_dir):
    with pytest.raises(ValueError, match="threads"):
        BundledE5(cache_dir, threads=0)
