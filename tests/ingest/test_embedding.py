from __future__ import annotations

from contextlib import ExitStack

import numpy as np
import pytest

from ingest.embedding import EmbeddingStore, text_key
from kb.types import EmbeddingInfo


class FakeEmbedder:
    """Counts what it is asked; a text's vector is made of its length."""

    info = EmbeddingInfo("fake", "1", 4, 100)
    device = "cpu"

    def __init__(self):
        self.seen = []

    def embed_passages(self, texts):
        self.seen.extend(texts)
        return np.array([[len(text), 1, 2, 3] for text in texts], np.float32)

    embed_queries = embed_passages

    def count_tokens(self, text):
        return len(text)


def vectors(store, texts):
    return store.vectors([text_key(text) for text in texts], texts.__getitem__, lambda done: None)


@pytest.fixture
def open_store(tmp_path):
    """Opens stores over the same files and closes them in the end."""
    with ExitStack() as stores:

        def opened(model=None, **options):
            store = EmbeddingStore(tmp_path, model or FakeEmbedder(), **options)
            stores.callback(store.close)
            return store

        yield opened


def test_each_text_is_embedded_once_also_across_builds(open_store):
    model = FakeEmbedder()
    store = open_store(model)
    rows, new = vectors(store, ["a", "bb", "a"])
    assert (rows[:, 0].tolist(), new, model.seen) == ([1, 2, 1], 2, ["a", "bb"])
    store.save()
    again = open_store(model)
    rows, new = vectors(again, ["bb", "ccc"])
    assert (rows[:, 0].tolist(), new) == ([2, 3], 1)
    again.save()
    assert vectors(open_store(model), ["a"])[1] == 1  # not used by the last build: dropped


def test_a_fresh_store_ignores_what_it_knows(open_store):
    store = open_store()
    vectors(store, ["a"])
    store.save()
    assert vectors(open_store(fresh=True), ["a"])[1] == 1


@pytest.mark.parametrize("position", [0.1, 0.5, 0.7, 0.99])
def test_what_is_damaged_is_embedded_anew(open_store, tmp_path, position):
    store = open_store()
    expected, _ = vectors(store, ["a", "bb"])
    store.save()
    store.close()
    [path] = (tmp_path / "embeddings").iterdir()
    data = bytearray(path.read_bytes())
    data[int(len(data) * position)] ^= 0x40
    path.write_bytes(bytes(data))
    rows, _ = vectors(open_store(), ["a", "bb"])
    assert np.array_equal(rows, expected)


def test_vectors_of_another_model_are_not_taken(open_store):
    store = open_store()
    vectors(store, ["a"])
    store.save()
    other = FakeEmbedder()
    other.info = EmbeddingInfo("fake", "2", 4, 100)
    assert vectors(open_store(other), ["a"])[1] == 1
