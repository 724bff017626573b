"""What an embedding model must do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kb.types import EmbeddingInfo, Vectors


class Embedder(Protocol):
    """Turns queries and passages into unit vectors; safe to call from several threads."""

    @property
    def info(self) -> EmbeddingInfo:
        """What decides the vectors."""
        ...

    @property
    def device(self) -> str:
        """Where it runs: `cpu`, `cuda:0`, `mps` or `remote`."""
        ...

    @property
    def truncated_inputs(self) -> int:
        """How many questions were longer than the model's window and lost their end."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions, shape (len(texts), dim). One over the window is cut and counted."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages, shape (len(texts), dim). A text over the window is an error, never cut."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as a passage, prefix and special tokens included."""
        ...
