from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from kb.embeddings.registry import open_embedder
from kb.embeddings.sentence_transformer import SentenceTransformerEmbedder, resolve_device
from kb.errors import EmbeddingError
from tests.kb.embeddings.conftest import TEXTS

QUESTIONS = [f"{text} 请说明" for text in TEXTS[:10]]


@pytest.fixture(scope="module")
def on_torch(sentence_transformers):
    embedder = open_embedder(str(sentence_transformers), device="cpu")
    assert isinstance(embedder, SentenceTransformerEmbedder)
    return embedder


def test_torch_and_onnx_agree(on_torch, bundled):
    cosines = (on_torch.embed_passages(TEXTS) * bundled.embed_passages(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.9999
    cosines = (on_torch.embed_queries(QUESTIONS) * bundled.embed_queries(QUESTIONS)).sum(axis=1)
    assert cosines.min() > 0.9999
    assert [on_torch.count_tokens(text) for text in TEXTS] == [bundled.count_tokens(text) for text in TEXTS]


def test_info_comes_from_the_folder(on_torch, sentence_transformers):
    info = on_torch.info
    assert (info.model, info.dim, info.max_tokens, info.pooling) == (sentence_transformers.name, 384, 512, "mean")
    assert (info.query_prefix, info.passage_prefix) == ("query: ", "passage: ")
    assert info.revision.startswith("sha256-")
    assert on_torch.device == "cpu"


def fake_torch(cuda=0, mps=False):
    return SimpleNamespace(
        __version__="2.13.0",
        cuda=SimpleNamespace(is_available=lambda: cuda > 0, device_count=lambda: cuda),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps)),
    )


@pytest.mark.parametrize(
    ("device", "cuda", "mps", "resolved"),
    [
        ("auto", 0, False, "cpu"),
        ("auto", 2, False, "cuda:0"),
        ("auto", 0, True, "mps"),
        ("cuda", 1, False, "cuda:0"),
        ("cuda:1", 2, False, "cuda:1"),
        ("cpu", 2, True, "cpu"),
        ("mps", 0, True, "mps"),
    ],
)
def test_the_device_asked_for(device, cuda, mps, resolved):
    assert resolve_device(fake_torch(cuda, mps), device) == resolved


@pytest.mark.parametrize(
    ("device", "cuda"), [("cuda", 0), ("cuda:1", 1), ("cuda:x", 2), ("mps", 1), ("tpu", 1), ("cudax", 1)]
)
def test_never_another_device(device, cuda):
    with pytest.raises(EmbeddingError, match=f"device '{device}' is not there"):
        resolve_device(fake_torch(cuda), device)


def test_a_missing_folder_is_an_error_at_once(tmp_path):
    with pytest.raises(EmbeddingError, match="no folder"):
        open_embedder(str(tmp_path / "none"))
    with pytest.raises(EmbeddingError, match="cannot be loaded"):
        open_embedder(str(tmp_path))


def test_without_the_extra_the_error_names_it(tmp_path):
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "from kb.embeddings.registry import open_embedder\n"
        "from kb.errors import OptionalDependencyError\n"
        "try: open_embedder('made-up/model')\n"
        "except OptionalDependencyError as error: print(error.hint)"
    )
    result = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert "pip install 'gpukb[gpu]'" in result.stdout
