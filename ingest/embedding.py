"""Vectors of pieces, each text embedded once, also across builds.

The store is one SQLite file for each embedding model, keyed by the embedded text. Every vector carries a checksum: one
that is damaged is made again. What a build embeds is kept as it comes, so that one that is killed costs seconds; in the
end the store holds only what the last build used.
"""

from __future__ import annotations

import hashlib
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ingest.cache_file import CacheFile
from kb.embeddings.base import Embedder
from kb.types import Vectors

_FOLDER: Final = "embeddings"
_BATCH: Final = 64
_COMMIT_EVERY_S: Final = 5.0
_SCHEMA_VERSION: Final = 1
_SCHEMA: Final = "CREATE TABLE vectors (name BLOB PRIMARY KEY, vector BLOB NOT NULL, checksum INTEGER NOT NULL)"


def text_key(text: str) -> bytes:
    """The name of a text in the store."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class EmbeddingStore:
    """Vectors of one model, kept between builds."""

    def __init__(self, data_dir: Path, embedder: Embedder, *, fresh: bool = False) -> None:
        """Open the store; `fresh` ignores what is in it.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        self._embedder = embedder
        self._fresh = fresh
        path = data_dir / _FOLDER / f"{embedder.info.fingerprint}.sqlite"
        self._file = CacheFile(path, _SCHEMA, _SCHEMA_VERSION)
        self._used: set[bytes] = set()

    def vectors(
        self, keys: Sequence[bytes], text_of: Callable[[int], str], on_progress: Callable[[int], None]
    ) -> tuple[Vectors, int]:
        """Vectors of texts, row by row, and how many texts had to be embedded.

        Args:
            keys: `text_key` of each text.
            text_of: the text of a row; each within the model's window. Asked only for what is not known.
            on_progress: told how many texts are done.

        Raises:
            EmbeddingError: the model fails; what was embedded until then is kept.
            StorageError: the disk is full or the folder cannot be written.
        """
        rows = np.empty((len(keys), self._embedder.info.dim), np.float32)
        first: dict[bytes, int] = {}
        for row, key in enumerate(keys):
            first.setdefault(key, row)
        self._used.update(first)
        missing = self._fill_known(rows, first)
        done = len(keys) - len(missing)
        on_progress(done)
        committed = time.monotonic()
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            rows[batch] = self._embedder.embed_passages([text_of(row) for row in batch])
            self._put([(keys[row], rows[row].tobytes()) for row in batch])
            if time.monotonic() - committed > _COMMIT_EVERY_S:
                self._file.commit()
                committed = time.monotonic()
            on_progress(done + start + len(batch))
        again = [row for row, key in enumerate(keys) if first[key] != row]
        rows[again] = rows[[first[keys[row]] for row in again]]
        return rows, len(missing)

    def save(self, *, everything: bool = False) -> None:
        """Keep what was used; after a broken build `everything`, so that the next need not begin again.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        if not everything:
            stored = {name for (name,) in self._file.rows("SELECT name FROM vectors")}
            self._file.write("DELETE FROM vectors WHERE name = ?", [(name,) for name in stored - self._used])
        self._file.commit()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _fill_known(self, rows: Vectors, first: dict[bytes, int]) -> list[int]:
        """Copy what is known; the rows of what is not."""
        missing = dict(first)
        size = self._embedder.info.dim * rows.itemsize
        known = () if self._fresh else self._file.rows("SELECT name, vector, checksum FROM vectors")
        found: list[int] = []
        vectors: list[bytes] = []
        for name, vector, checksum in known:
            is_vector = name in missing and isinstance(vector, bytes) and len(vector) == size
            if is_vector and _checksum(name, vector) == checksum:
                found.append(missing.pop(name))
                vectors.append(vector)
        rows[found] = np.frombuffer(b"".join(vectors), np.float32).reshape(len(found), rows.shape[1])
        return list(missing.values())

    def _put(self, vectors: Sequence[tuple[bytes, bytes]]) -> None:
        values = [(name, vector, _checksum(name, vector)) for name, vector in vectors]
        self._file.write("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", values)


def _checksum(name: bytes, vector: bytes) -> int:
    return zlib.crc32(vector, zlib.crc32(name))
