from __future__ import annotations

import numpy as np
import pytest

from kb.embeddings.bundled import BUNDLED_INFO, BundledE5
from kb.embeddings.registry import open_embedder
from kb.embeddings.sentence_transformer import SentenceTransformerEmbedder
from kb.embeddings.use import UseEncoder
from kb.errors import ConfigError, EmbeddingError


@pytest.mark.parametrize("name", ["bundled", "intfloat/multilingual-e5-small"])
def test_the_bundled_model_by_its_names(name, cache_dir):
    embedder = open_embedder(name, cache_dir=cache_dir)
    assert isinstance(embedder, BundledE5)
    assert (embedder.device, embedder.info) == ("cpu", BUNDLED_INFO)


def test_the_second_encoder():
    assert isinstance(open_embedder("use"), UseEncoder)
    with pytest.raises(ConfigError, match="runs on the CPU"):
        open_embedder("use", device="cuda")


def test_the_bundled_model_on_another_device_keeps_its_identity(cache_dir, monkeypatch):
    """The same weights make the same vectors, so an index built on a GPU opens on the CPU."""
    monkeypatch.setattr("kb.embeddings.sentence_transformer.resolve_device", lambda torch, device: "cpu")
    embedder = open_embedder("bundled", device="cuda", cache_dir=cache_dir)
    assert isinstance(embedder, SentenceTransformerEmbedder)
    assert embedder.info == BUNDLED_INFO
    text = ["H100 的 FP8 算力"]
    cpu = open_embedder("bundled", cache_dir=cache_dir)
    np.testing.assert_allclose(embedder.embed_queries(text), cpu.embed_queries(text), atol=1e-5)


def test_a_device_that_is_not_there_is_an_error(cache_dir):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has the device")
    with pytest.raises(EmbeddingError, match="'cuda' is not there"):
        open_embedder("bundled", device="cuda", cache_dir=cache_dir)


def test_the_bundled_model_has_no_revisions(cache_dir):
    with pytest.raises(ConfigError, match="no revision 'main'"):
        open_embedder("bundled", revision="main", cache_dir=cache_dir)
