"""A corpus whose every document states its edition, and a model that costs nothing: what an answer mixes is seen."""

from __future__ import annotations

import hashlib
import random
import re
from pathlib import Path

import numpy as np

from kb.types import EmbeddingInfo, Vectors

DOCUMENTS = 24
_EDITION = re.compile(r"edition (\d+)")
_DIM = 16


class HashEmbedder:
    """Vectors from a checksum of the text: fast, the same in every process, and without meaning."""

    info = EmbeddingInfo("hash", "1", _DIM, 512)
    device = "cpu"
    truncated_inputs = 0

    def embed_passages(self, texts: list[str] | tuple[str, ...]) -> Vectors:
        """One unit vector for each text."""
        rows = np.empty((len(texts), _DIM), np.float32)
        for row, text in enumerate(texts):
            digest = hashlib.sha512(text.encode()).digest()
            rows[row] = np.frombuffer(digest, np.int8)[:_DIM].astype(np.float32) + 0.5
        return rows / np.linalg.norm(rows, axis=1, keepdims=True) if len(rows) else rows

    embed_queries = embed_passages

    def count_tokens(self, text: str) -> int:
        """About a token for four characters."""
        return len(text) // 4 + 2


def write_edition(corpus: Path, edition: int, chance: random.Random) -> None:
    """Make every document of the folder one of this edition; a few come, a few go."""
    corpus.mkdir(parents=True, exist_ok=True)
    wanted = {f"sheet-{number:02}.md" for number in chance.sample(range(DOCUMENTS), DOCUMENTS - 3)}
    for path in corpus.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name in sorted(wanted):
        filler = " ".join(f"w{chance.randrange(10_000)}" for _ in range(60))
        text = f"# Sheet {name[6:8]}\n\nThe code word of sheet {name[6:8]} is of edition {edition}. {filler}\n"
        (corpus / name).write_text(text, encoding="utf-8")


def editions_in(text: str) -> set[int]:
    """The editions that a text names."""
    return {int(number) for number in _EDITION.findall(text)}
