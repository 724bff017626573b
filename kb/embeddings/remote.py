"""An embedding model behind an OpenAI-compatible server (`POST {base_url}/embeddings`)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from kb.embeddings.known_models import known_model
from kb.embeddings.window import TruncationCounter, too_long
from kb.errors import EmbeddingError
from kb.types import EmbeddingInfo, Vectors

_BATCH: Final = 64
_RETRIES: Final = 2
_LATIN_WORD: Final = re.compile(r"[A-Za-z]+")
_SPACES: Final = re.compile(r"\s+")
_LONE_SPACES: Final = re.compile(r"\s+(?![A-Za-z0-9\s])")
_EMOJI: Final = re.compile("[\U00010000-\U0010ffff]")
_CHECK: Final = "Check the address, the model's name and the key of the embedding server."


class RemoteEmbedder:
    """Asks a server for vectors; safe to call from several threads.

    The server's tokenizer is not known here: lengths are estimated from above, so that a passage is refused rather
    than cut by the server unseen.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        revision: str | None = None,
        timeout_s: float = 30.0,
    ) -> None:
        """Connect, and learn the vectors' width from a first request.

        Args:
            model: the name the server knows.
            base_url: for example `http://127.0.0.1:8080/v1`.
            api_key: if the server wants one.
            revision: recorded with the index; the server cannot be asked for it.
            timeout_s: of one request; a failed one is repeated twice.

        Raises:
            EmbeddingError: if the server cannot be reached, refuses or answers something else than vectors.
        """
        import openai  # late: takes most of a second

        self._openai = openai
        # The client insists on a key, also where the server wants none.
        self._client = openai.OpenAI(
            base_url=base_url, api_key=api_key or "none", timeout=timeout_s, max_retries=_RETRIES
        )
        self._base_url = base_url
        self._truncated = TruncationCounter()
        known = known_model(model)
        self._info = EmbeddingInfo(
            model=model,
            revision=revision or "unknown",
            dim=0,
            max_tokens=known.max_tokens if known else 512,
            query_prefix=known.query_prefix if known else "",
            passage_prefix=known.passage_prefix if known else "",
            pooling=known.pooling if known else "model",
        )
        self._info = replace(self._info, dim=self._request(["dim"]).shape[1])

    @property
    def info(self) -> EmbeddingInfo:
        """What decides the vectors."""
        return self._info

    @property
    def device(self) -> str:
        """Always `remote`."""
        return "remote"

    @property
    def truncated_inputs(self) -> int:
        """How many questions may have been longer than the model's window; they are cut before they are sent."""
        return self._truncated.count

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions. One that may be over the window is cut, and counted in `truncated_inputs`.

        Raises:
            EmbeddingError: if the server fails.
        """
        return self._embed([self._cut(self._info.query_prefix + text) for text in texts])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages.

        Raises:
            EmbeddingError: if one may be longer than the model's window, or the server fails.
        """
        for text in texts:
            tokens = self.count_tokens(text)
            if tokens > self._info.max_tokens:
                raise too_long(text, tokens, self._info)
        return self._embed([self._info.passage_prefix + text for text in texts])

    def count_tokens(self, text: str) -> int:
        """An upper estimate of the tokens of `text` as a passage."""
        return estimate_tokens(self._info.passage_prefix + text)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _cut(self, text: str) -> str:
        if estimate_tokens(text) <= self._info.max_tokens:
            return text
        self._truncated.add()
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if estimate_tokens(text[:middle]) <= self._info.max_tokens else (low, middle - 1)
        return text[:low]

    def _embed(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.empty((0, self._info.dim), np.float32)
        batches = [self._request(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
        vectors = np.concatenate(batches)
        if vectors.shape[1] != self._info.dim:
            raise EmbeddingError(
                f"{self._base_url} now gives vectors of width {vectors.shape[1]}, it gave {self._info.dim} before.",
                "Another model is being served; restart with the model that made the index.",
            )
        return vectors

    def _request(self, texts: list[str]) -> Vectors:
        # Many servers refuse an empty text; a space means the same to every model.
        cleaned = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") or " " for text in texts]
        try:
            answer = self._client.embeddings.create(model=self._info.model, input=cleaned, encoding_format="float")
        except self._openai.OpenAIError as error:
            raise EmbeddingError(f"The embedding server {self._base_url} failed: {_reason(error)}", _CHECK) from error
        return self._vectors(answer, len(texts))

    def _vectors(self, answer: Any, expected: int) -> Vectors:
        try:
            rows = sorted(answer.data, key=lambda row: row.index)
            vectors = np.array([row.embedding for row in rows], np.float32)
        except (AttributeError, TypeError, ValueError) as error:
            raise EmbeddingError(f"{self._base_url} answered something else than vectors.", _CHECK) from error
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True) if vectors.ndim == 2 else np.zeros(1)
        if len(vectors) != expected or not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise EmbeddingError(
                f"{self._base_url} answered {vectors.shape} for {expected} texts, or numbers that are no vectors.",
                _CHECK,
            )
        return np.asarray(vectors / lengths, np.float32)


def estimate_tokens(text: str) -> int:
    """Tokens of `text` in any common tokenizer, estimated from above.

    Latin letters come three to a token, every other character is one (an emoji two), and so is white space unless a
    word or a number follows, which takes it in. Tokenizers for both languages make fewer.
    """
    text = unicodedata.normalize("NFKC", text)  # as tokenizers do: one ligature may become 18 letters
    words = _LATIN_WORD.findall(text)
    letters = sum(map(len, words))
    spaces = sum(map(len, _SPACES.findall(text)))
    others = len(text) - letters - spaces + len(_LONE_SPACES.findall(text)) + len(_EMOJI.findall(text))
    return sum(-(-len(word) // 3) for word in words) + others + 2


def _reason(error: Exception) -> str:
    message = " ".join(str(error).split())
    return message[:300] or type(error).__name__
