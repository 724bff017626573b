"""Writes a generation aside; only `finish` makes it visible, and only `IndexRoot.publish` makes it current."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kb.errors import IndexCorruptError
from kb.index.arrays import save_array
from kb.index.chunks import write_chunks
from kb.index.documents import write_documents
from kb.index.entries import ChunkEntry, DocumentEntry, entries_of
from kb.index.generation import LANGUAGES, Generation
from kb.index.layout import (
    CATALOG,
    CROSS_VECTORS,
    LANGUAGE_MEANS,
    LEXICAL,
    MANIFEST,
    PIECE_CHUNKS,
    PIECE_VECTORS,
    generation_name,
)
from kb.index.lexical import LexicalIndex
from kb.index.manifest import FileRecord, Manifest
from kb.index.root import ASIDE_PREFIX, IndexRoot
from kb.index.terms import TermNumbers
from kb.index.vectors.faiss import FaissVectorIndex
from kb.storage import fsync_path, storage_errors, write_bytes_durably
from kb.types import Chunk, Document, EmbeddingInfo, Vectors

_SAMPLES = 32
_SELF_SCORE = 0.999


class GenerationWriter:
    """One build's output. Use it as a context manager while holding `IndexRoot.lock()`:

        with root.lock(), GenerationWriter(root, embedding=…, chunker=…, gpukb_version=…) as writer:
            writer.write(documents, chunks, vectors, cross_vectors=…, catalog=…)
            calibration = calibrate(writer.draft())
            name = writer.finish(calibration)
            root.publish(name)

    Leaving it without `finish` deletes what was written; the published index is never touched.
    """

    def __init__(
        self,
        root: IndexRoot,
        *,
        embedding: EmbeddingInfo,
        cross_embedding: EmbeddingInfo | None = None,
        chunker: str,
        gpukb_version: str,
    ) -> None:
        self._root = root
        self._manifest = Manifest(
            generation="draft",
            built_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            gpukb_version=gpukb_version,
            embedding=embedding,
            cross_embedding=cross_embedding,
            chunker=chunker,
            documents=0,
            chunks=0,
            pieces=0,
            files={},
        )
        with storage_errors(root.path):
            root.path.mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(dir=root.path, prefix=ASIDE_PREFIX))
        self._finished = False

    def write(
        self,
        documents: Sequence[Document],
        chunks: Sequence[Chunk],
        vectors: Vectors,
        *,
        cross_vectors: Vectors | None = None,
        catalog: bytes = b"",
    ) -> None:
        """Write everything but the manifest; see `write_entries`."""
        numbers = TermNumbers()
        self.write_entries(
            *entries_of(documents, chunks, numbers), numbers, vectors, cross_vectors=cross_vectors, catalog=catalog
        )

    def write_entries(
        self,
        documents: Sequence[DocumentEntry],
        chunks: Sequence[ChunkEntry],
        numbers: TermNumbers,
        vectors: Vectors,
        *,
        cross_vectors: Vectors | None = None,
        catalog: bytes = b"",
    ) -> None:
        """Write everything but the manifest.

        Args:
            documents: sorted by `doc_id`.
            chunks: sorted by `doc_id`, then by `ordinal`.
            numbers: those that the chunks' terms were counted with.
            vectors: one for each piece, in the order of chunks and pieces.
            cross_vectors: the same of the second encoder.
            catalog: the card catalogue, stored as it is.

        Raises:
            ValueError: if the order or the counts are wrong.
            StorageError: if the disk is full or the folder cannot be written.
        """
        if not chunks:
            raise ValueError("a generation needs at least one chunk")
        piece_chunks = np.repeat(np.arange(len(chunks), dtype=np.int32), [chunk.pieces for chunk in chunks])
        self._check_counts(len(piece_chunks), vectors, cross_vectors)
        languages = np.array([chunk.language for chunk in chunks])[piece_chunks]
        # Numbers on one core, texts on the other.
        with storage_errors(self._folder), ThreadPoolExecutor(1) as beside:
            written = beside.submit(self._write_vectors, vectors, cross_vectors, languages)
            write_documents(documents, chunks, self._folder)
            write_chunks(chunks, [document.doc_id for document in documents], self._folder)
            (self._folder / LEXICAL).mkdir()
            lexical = LexicalIndex.of([one.words for one in chunks], [one.bigrams for one in chunks], numbers)
            lexical.save(self._folder / LEXICAL)
            save_array(self._folder / PIECE_CHUNKS, piece_chunks)
            (self._folder / CATALOG).write_bytes(catalog)
            written.result()
        self._manifest = replace(self._manifest, documents=len(documents), chunks=len(chunks), pieces=len(piece_chunks))

    def copy(self, generation: Generation) -> None:
        """Take everything but the manifest's calibration from another generation.

        Raises:
            StorageError: if the disk is full or the folder cannot be written.
        """
        # Copied, not linked: damage to one generation must leave the one before it whole.
        with storage_errors(self._folder):
            for name in generation.manifest.files:
                target = self._folder / name
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(generation.folder / name, target)
        self._manifest = replace(generation.manifest, generation="draft", files={}, calibration={})

    def add_file(self, name: str, content: bytes) -> None:
        """Store a further file, read back by `Generation.read`."""
        if Path(name).name != name or name == MANIFEST or (self._folder / name).exists():
            raise ValueError(f"{name!r} is no free file name")
        with storage_errors(self._folder):
            (self._folder / name).write_bytes(content)

    def draft(self) -> Generation:
        """What was written so far, opened for reading, so that a build can learn from it before it is finished."""
        return Generation(self._folder, self._manifest)

    def finish(self, calibration: Mapping[str, Any] | None = None) -> str:
        """Flush, write the manifest last, check everything and give the folder its name.

        Returns:
            the generation's name, ready for `IndexRoot.publish`.

        Raises:
            IndexCorruptError: if what stands on the disk is not what was written.
            StorageError: if the disk is full or the folder cannot be written.
        """
        with storage_errors(self._folder):
            paths = _files(self._folder)
            with ThreadPoolExecutor() as pool:  # the disk and the checksums take their time, neither needs the other
                records = list(pool.map(_flushed, paths))
            names = [path.relative_to(self._folder).as_posix() for path in paths]
            files = dict(zip(names, records, strict=True))
            manifest = replace(self._manifest, files=files, calibration=calibration or {})
            name = generation_name(self._root.next_number(), manifest.content_digest)
            manifest = replace(manifest, generation=name)
            write_bytes_durably(self._folder / MANIFEST, manifest.to_json())
            fsync_path(self._folder / LEXICAL)
            _check(Generation.open(self._folder, verify=False))  # its checksums were just taken from the files
            self._folder.chmod(0o755)
            self._folder.rename(self._root.path / name)
            fsync_path(self._root.path)
        self._finished = True
        return name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._finished:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _check_counts(self, pieces: int, vectors: Vectors, cross_vectors: Vectors | None) -> None:
        embedding, cross = self._manifest.embedding, self._manifest.cross_embedding
        if vectors.shape != (pieces, embedding.dim):
            raise ValueError(f"expected vectors of shape {(pieces, embedding.dim)}, got {vectors.shape}")
        if (cross is None) != (cross_vectors is None):
            raise ValueError("cross vectors and their model go together")
        if cross is not None and cross_vectors is not None and cross_vectors.shape != (pieces, cross.dim):
            raise ValueError(f"expected cross vectors of shape {(pieces, cross.dim)}, got {cross_vectors.shape}")

    def _write_vectors(self, vectors: Vectors, cross_vectors: Vectors | None, languages: NDArray[np.str_]) -> None:
        index = FaissVectorIndex.build(vectors)
        index.save(self._folder / PIECE_VECTORS)
        if cross_vectors is not None:
            FaissVectorIndex.build(cross_vectors).save(self._folder / CROSS_VECTORS)
        self._write_language_means(index.matrix(), languages)

    def _write_language_means(self, unit_vectors: Vectors, languages: NDArray[np.str_]) -> None:
        for language in LANGUAGES:
            chosen = unit_vectors[languages == language]
            if len(chosen):
                mean = chosen.mean(axis=0, dtype=np.float64).astype(np.float32)
                save_array(self._folder / LANGUAGE_MEANS.format(language=language), mean)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _flushed(path: Path) -> FileRecord:
    """A file's record, once it is on the disk."""
    fsync_path(path)
    with path.open("rb") as file:
        return FileRecord(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def _check(generation: Generation) -> None:
    """Counts agree, and vectors spread over the index find themselves."""
    manifest = generation.manifest
    counted = (len(generation.documents), len(generation.chunks), len(generation.vectors))
    if counted != (manifest.documents, manifest.chunks, manifest.pieces):
        raise IndexCorruptError(f"The written index holds {counted}, not what its manifest says.")
    rows = np.unique(np.linspace(0, manifest.pieces - 1, _SAMPLES).astype(np.int64))
    scores, _ = generation.vectors.search(generation.vectors.matrix()[rows], 1)
    if not (scores > _SELF_SCORE).all():
        raise IndexCorruptError("The written vectors do not find themselves.")
