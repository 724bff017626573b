"""What every embedding model must do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kb.embeddings.base import Embedder
from kb.errors import EmbeddingError

QUESTIONS = (
    "T4 的显存带宽是多少？",
    "Which card has the most memory?",
    "H100 功耗多少瓦",
)
PASSAGES = (
    "T4 采用 GDDR6 显存，带宽为 320 GB/s。",
    "Among these cards the MI300X has the most memory: 192 GB of HBM3.",
    "H100 SXM 的热设计功耗为 700 W，需要良好的散热。",
)
ODD_TEXTS = (
    "",
    " ",
    "\x00",
    "前\x00后",
    "\ufdfa" * 9,
    "\ud800",
    "\udc00 tail",
    "👩\u200d💻 emoji",
    "a\u0301",
    "ＦＰ８ ～",
    "\u202eabc",
    "x" * 200,
)
"""Texts that have crashed or misled embedding engines."""


class EmbedderContract:
    """Subclass it and define the fixture `embedder`.

    Attributes:
        tolerance: how far a number of a vector may move with its batch-mates.
        has_window: whether the model has a limit that a test can reach.
    """

    tolerance: float = 0.0
    has_window: bool = True

    @pytest.fixture
    def embedder(self) -> Embedder:
        """The implementation under test."""
        raise NotImplementedError

    def test_info_describes_the_vectors(self, embedder: Embedder) -> None:
        """Name, width, window and a fingerprint that stays."""
        info = embedder.info
        assert info.model
        assert info.revision
        assert info.max_tokens > 0
        assert info.normalised
        assert info.fingerprint == embedder.info.fingerprint
        assert embedder.device

    def test_vectors_are_float32_of_unit_length(self, embedder: Embedder) -> None:
        """One row for each text."""
        for vectors in (embedder.embed_queries(QUESTIONS), embedder.embed_passages(PASSAGES)):
            assert vectors.shape == (3, embedder.info.dim)
            assert vectors.dtype == np.float32
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)

    def test_no_text_gives_no_row(self, embedder: Embedder) -> None:
        """An empty list keeps the width."""
        assert embedder.embed_queries([]).shape == (0, embedder.info.dim)
        assert embedder.embed_passages([]).shape == (0, embedder.info.dim)

    def test_a_question_is_nearest_to_its_passage(self, embedder: Embedder) -> None:
        """In order, so that rows belong to their texts."""
        scores = embedder.embed_queries(QUESTIONS) @ embedder.embed_passages(PASSAGES).T
        assert scores.argmax(axis=1).tolist() == [0, 1, 2]

    def test_a_vector_does_not_depend_on_its_batch_mates(self, embedder: Embedder) -> None:
        """So that two builds of the same corpus give the same bytes."""
        texts = [*PASSAGES, "短", "A much longer passage about memory bandwidth. " * 8]
        together = embedder.embed_passages(texts)
        alone = np.concatenate([embedder.embed_passages([text]) for text in texts])
        backwards = embedder.embed_passages(texts[::-1])[::-1]
        np.testing.assert_allclose(together, alone, rtol=0, atol=self.tolerance)
        np.testing.assert_allclose(together, backwards, rtol=0, atol=self.tolerance)

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
    def test_odd_texts_are_safe(self, embedder: Embedder, text: str) -> None:
        """Whatever a user types gives a vector."""
        for vectors in (embedder.embed_queries([text]), embedder.embed_passages([text])):
            assert np.isfinite(vectors).all()
            np.testing.assert_allclose(np.linalg.norm(vectors), 1, atol=1e-4)
        assert embedder.count_tokens(text) > 0

    def test_threads_get_their_own_vectors(self, embedder: Embedder) -> None:
        """Eight threads at once, each with other texts."""
        texts = [f"{number} 张 {QUESTIONS[number % 3]} " + "显存 " * (number % 5) for number in range(32)]
        expected = [(embedder.embed_queries([text]), embedder.count_tokens(text)) for text in texts]
        with ThreadPoolExecutor(8) as pool:
            got = list(pool.map(lambda text: (embedder.embed_queries([text]), embedder.count_tokens(text)), texts))
        for (vector, tokens), (other, count) in zip(expected, got, strict=True):
            np.testing.assert_allclose(vector, other, rtol=0, atol=self.tolerance)
            assert tokens == count

    def test_tokens_grow_with_the_text(self, embedder: Embedder) -> None:
        """And count the prefix and the special tokens."""
        counts = [embedder.count_tokens("显存带宽 " * times) for times in (1, 5, 50)]
        assert counts == sorted(set(counts))

    def test_a_passage_over_the_window_is_refused(self, embedder: Embedder) -> None:
        """Never cut unseen: the message names its length and the limit."""
        if not self.has_window:
            pytest.skip("this model has no window")
        limit = embedder.info.max_tokens
        text = self.text_of(embedder, limit)
        assert embedder.count_tokens(text) <= limit
        assert embedder.embed_passages([text]).shape == (1, embedder.info.dim)
        longer = f"{text} 显存 bandwidth"
        tokens = embedder.count_tokens(longer)
        assert tokens > limit
        with pytest.raises(EmbeddingError, match=rf"{tokens} tokens.*{limit}"):
            embedder.embed_passages(["短", longer])

    def test_a_question_over_the_window_is_counted(self, embedder: Embedder) -> None:
        """A question is cut instead, and the counter shows it."""
        if not self.has_window:
            pytest.skip("this model has no window")
        before = embedder.truncated_inputs
        embedder.embed_queries([QUESTIONS[0]])
        assert embedder.truncated_inputs == before
        vectors = embedder.embed_queries([QUESTIONS[0], "显存 bandwidth " * embedder.info.max_tokens])
        assert embedder.truncated_inputs == before + 1
        assert np.isfinite(vectors).all()

    @staticmethod
    def text_of(embedder: Embedder, tokens: int) -> str:
        """The longest text of a few kinds of words that has at most `tokens` tokens."""
        words = ["显存", "bandwidth", "带宽", "7"]
        text = "GPU"
        while embedder.count_tokens(longer := f"{text} {words[len(text) % 4]}") <= tokens:
            text = longer
        return text
