"""Every embedding model keeps the contract."""

from __future__ import annotations

import pytest

from kb.testing.embedders import EmbedderContract


class TestBundledE5(EmbedderContract):
    @pytest.fixture
    def embedder(self, bundled):
        return bundled


class TestUseEncoder(EmbedderContract):
    has_window = False

    @pytest.fixture
    def embedder(self, use):
        return use


class TestSentenceTransformerEmbedder(EmbedderContract):
    tolerance = 1e-6

    @pytest.fixture
    def embedder(self, sentence_transformer):
        return sentence_transformer


class TestRemoteEmbedder(EmbedderContract):
    tolerance = 1e-6  # JSON carries decimals, and vectors are brought to unit length again

    @pytest.fixture
    def embedder(self, remote):
        return remote
