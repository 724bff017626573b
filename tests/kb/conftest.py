"""The real encoders, and a small corpus in both languages built the way the product builds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.pipeline import build
from kb.config import default_cache_dir
from kb.embeddings.bundled import BundledE5
from kb.embeddings.use import UseEncoder
from kb.index.root import IndexRoot
from kb.retrieval.hybrid import HybridRetriever

SMALL_CORPUS = Path(__file__).parent / "small_corpus"


@pytest.fixture(scope="session")
def embedder():
    return BundledE5(default_cache_dir())


@pytest.fixture(scope="session")
def cross_embedder():
    return UseEncoder()


@pytest.fixture(scope="session")
def retriever(embedder, cross_embedder):
    return HybridRetriever(embedder, cross_embedder)


@pytest.fixture(scope="session")
def build_files(embedder, cross_embedder, tmp_path_factory):
    """Builds a generation from file names and contents (text or bytes)."""

    def build_from(files):
        folder = tmp_path_factory.mktemp("corpus")
        for name, content in files.items():
            path = folder / "docs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        root = IndexRoot(folder / "index")
        build(folder / "docs", root, embedder, cross_embedder)
        return root.open_current(embedder.info)

    return build_from


@pytest.fixture(scope="session")
def small_corpus(build_files):
    return build_files({path.name: path.read_bytes() for path in sorted(SMALL_CORPUS.glob("*.md"))})
