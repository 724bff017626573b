"""A generation: one finished index, opened for reading. It never changes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kb.errors import IndexCorruptError
from kb.index.arrays import load_array
from kb.index.chunks import ChunkTable
from kb.index.documents import DocumentTable
from kb.index.layout import CATALOG, CROSS_VECTORS, LANGUAGE_MEANS, LEXICAL, PIECE_CHUNKS, PIECE_VECTORS
from kb.index.lexical import LexicalIndex
from kb.index.manifest import REBUILD_HINT, Manifest, load_manifest
from kb.index.vectors.base import VectorIndex
from kb.index.vectors.faiss import FaissVectorIndex
from kb.types import Language

LANGUAGES: tuple[Language, ...] = ("zh", "en")


class Generation:
    """All parts of one index; safe to share between threads.

    Attributes:
        vectors: one for each piece.
        cross_vectors: of the second encoder, by the same rows as `vectors`; None if the index was built without.
        piece_chunks: the chunk row of each piece row, int32, never falling.
        language_means: mean of the piece vectors of each language the index holds.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Map the files; `Generation.open` checks them first."""
        self._folder = folder
        self.manifest = manifest
        self.documents = DocumentTable(folder)
        self.chunks = ChunkTable(folder, self.documents)
        self.lexical = LexicalIndex.open(folder / LEXICAL, len(self.chunks))
        self.vectors: VectorIndex = FaissVectorIndex.open(folder / PIECE_VECTORS)
        self.cross_vectors: VectorIndex | None = None
        if manifest.cross_embedding is not None:
            self.cross_vectors = FaissVectorIndex.open(folder / CROSS_VECTORS)
        self.piece_chunks: NDArray[np.int32] = load_array(folder / PIECE_CHUNKS)
        self.language_means: Mapping[Language, NDArray[np.float32]] = {
            language: load_array(path)
            for language in LANGUAGES
            if (path := folder / LANGUAGE_MEANS.format(language=language)).is_file()
        }

    @classmethod
    def open(cls, folder: Path, *, verify: bool = True) -> Generation:
        """Open the generation in `folder`.

        Args:
            folder: of a finished generation.
            verify: compare every file with its checksum first (about 0.7 s per gigabyte).

        Raises:
            IndexCorruptError: naming the file that is missing or differs from its checksum.
            IndexMismatchError: if it was written in another format.
        """
        manifest = load_manifest(folder)
        if verify:
            verify_files(folder, manifest)
        return cls(folder, manifest)

    @property
    def name(self) -> str:
        """For example `gen-000017-3f9a`."""
        return self.manifest.generation

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return self._folder

    def catalog_bytes(self) -> bytes:
        """The card catalogue as it was when the index was built; empty if it was built without."""
        return (self._folder / CATALOG).read_bytes()

    def read(self, name: str) -> bytes:
        """A further file that the build stored.

        Raises:
            KeyError: if the manifest names no such file.
        """
        self.manifest.files[name]
        return (self._folder / name).read_bytes()

    def close(self) -> None:
        """Let go of what is kept for reuse; mapped files are released with the last reference to them."""
        self.chunks.forget()
        self.documents.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def verify_files(folder: Path, manifest: Manifest) -> None:
    """Compare every file with the manifest.

    Raises:
        IndexCorruptError: naming the first file that is missing or differs.
    """
    for name, record in manifest.files.items():
        path = folder / name
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise IndexCorruptError(f"{path} is missing or unreadable.", REBUILD_HINT) from error
        if size != record.bytes or digest != record.sha256:
            raise IndexCorruptError(f"{path} differs from its checksum in the manifest.", REBUILD_HINT)
