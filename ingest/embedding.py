"""Vectors of pieces, each text embedded once, also across builds.

The store is one file for each embedding model, keyed by the embedded text; it is checked when read (a damaged one is
thrown away and the texts are embedded anew) and holds only what the last build used.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kb.embeddings.base import Embedder
from kb.storage import storage_errors, write_bytes_durably
from kb.types import Vectors

_FOLDER = "embeddings"
_BATCH = 64


class EmbeddingStore:
    """Vectors of one model, kept between builds."""

    def __init__(self, data_dir: Path, embedder: Embedder, *, fresh: bool = False) -> None:
        """Open the store; `fresh` ignores what is in it."""
        self._embedder = embedder
        self._path = data_dir / _FOLDER / f"{embedder.info.fingerprint}.npz"
        self._known: dict[bytes, Vectors] = {} if fresh else _load(self._path, embedder.info.dim)
        self._used: dict[bytes, Vectors] = {}

    def vectors(self, texts: Sequence[str], on_progress: Callable[[int], None]) -> tuple[Vectors, int]:
        """Vectors of `texts`, row by row, and how many texts had to be embedded.

        Args:
            texts: each within the model's window.
            on_progress: told how many texts are done.

        Raises:
            EmbeddingError: the model fails.
        """
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        done = len(texts) - len(missing)
        on_progress(done)
        waiting = list(missing.items())
        for start in range(0, len(waiting), _BATCH):
            batch = waiting[start : start + _BATCH]
            for (key, _), vector in zip(batch, self._embedder.embed_passages([t for _, t in batch]), strict=True):
                self._known[key] = np.array(vector, dtype=np.float32)
            on_progress(done + start + len(batch))
        self._used.update((key, self._known[key]) for key in keys)
        rows = np.empty((len(texts), self._embedder.info.dim), np.float32)
        for row, key in enumerate(keys):
            rows[row] = self._known[key]
        return rows, len(missing)

    def save(self, *, everything: bool = False) -> None:
        """Keep what was used; after a broken build, `everything` known, so that the next need not begin again.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        kept = self._known if everything else self._used
        if not kept:
            return
        buffer = io.BytesIO()
        keys = np.frombuffer(b"".join(kept), np.uint8).reshape(len(kept), -1)
        np.savez(buffer, keys=keys, vectors=np.stack(list(kept.values())))
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_durably(self._path, buffer.getvalue())


def _load(path: Path, dim: int) -> dict[bytes, Vectors]:
    """What a store holds; nothing if it is missing or damaged, as every vector can be made again."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as content:  # zip members carry checksums
            keys, vectors = content["keys"], content["vectors"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return {}
    if keys.ndim != 2 or vectors.shape != (len(keys), dim) or vectors.dtype != np.float32:
        return {}
    return {keys[row].tobytes(): vectors[row] for row in range(len(keys))}
