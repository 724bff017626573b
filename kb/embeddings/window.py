"""What happens to a text that is longer than a model's window."""

from __future__ import annotations

from threading import Lock

from kb.errors import EmbeddingError
from kb.types import EmbeddingInfo


class TruncationCounter:
    """Counts questions that lost their end; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0

    @property
    def count(self) -> int:
        """How many so far."""
        return self._count

    def add(self) -> None:
        """Count one more."""
        with self._lock:
            self._count += 1


def too_long(text: str, tokens: int, info: EmbeddingInfo) -> EmbeddingError:
    """The error for a passage that the model would cut off unseen."""
    start = " ".join(text[:40].split())
    return EmbeddingError(
        f"A passage has {tokens} tokens, {info.model} reads {info.max_tokens} (prefix included): “{start}…”.",
        "Cut it into smaller chunks.",
    )
