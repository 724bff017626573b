"""From a folder of files to a published generation: scan, parse, chunk, embed, write, verify, swap.

Whatever goes wrong before the swap, the index that is in use stays in use.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.structure import chunk, chunker_name
from ingest.dedup import merge_duplicates
from ingest.embedding import EmbeddingStore
from ingest.loaders.base import LoadLimits
from ingest.loaders.reader import open_reader
from ingest.progress import Progress
from ingest.report import BuildReport, FileNote
from ingest.scan import FoundFile, Scan, scan
from kb.embeddings.base import Embedder
from kb.errors import CorpusError, DocumentError, StorageError
from kb.index.generation import Generation
from kb.index.root import IndexRoot
from kb.index.writer import GenerationWriter
from kb.types import BuildEvent, Chunk, Document, Vectors
from kb.version import gpukb_version

Calibrate = Callable[[Generation], Mapping[str, Any]]
"""Learns from a written generation what its scores mean; the result goes into the manifest."""

_REASONS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build.

    Attributes:
        full: embed every piece anew instead of taking known vectors.
        dry_run: read and cut everything, write nothing.
        keep: how many generations stay on the disk.
    """

    chunk_limits: ChunkLimits = field(default_factory=ChunkLimits)
    load_limits: LoadLimits = field(default_factory=LoadLimits)
    full: bool = False
    dry_run: bool = False
    keep: int = 2


def build(
    corpus_dir: Path,
    root: IndexRoot,
    embedder: Embedder,
    cross_embedder: Embedder | None = None,
    *,
    catalog: bytes = b"",
    calibrate: Calibrate | None = None,
    on_event: Callable[[BuildEvent], None] = lambda event: None,
    options: BuildOptions | None = None,
) -> BuildReport:
    """Index a folder and publish the result.

    Args:
        corpus_dir: folder of the documents.
        root: where generations are kept.
        embedder: makes the vectors of pieces.
        cross_embedder: makes a second set, for finding passages in the other language.
        catalog: the card catalogue, stored beside the index as it is.
        calibrate: learns from the written index before it is published.
        on_event: told about the progress.
        options: how to build.

    Raises:
        CorpusError: the folder is missing or holds nothing readable.
        ConfigError: the chunk limits do not fit the model's window.
        IndexLockedError: another build is running.
        EmbeddingError, StorageError, IndexCorruptError: a stage failed; the index in use stays as it was.
    """
    options = options or BuildOptions()
    for model in (embedder, cross_embedder):
        if model is not None:
            options.chunk_limits.check_window(model.info.max_tokens, model.info.model)
    job = _Build(root, embedder, cross_embedder, options, Progress(on_event))
    if options.dry_run:
        return job.read(corpus_dir).report(job.progress, dry_run=True)
    with root.lock():
        return job.run(corpus_dir, catalog, calibrate)


@dataclass(frozen=True, slots=True)
class _Material:
    """What was read, ready to be embedded."""

    documents: tuple[Document, ...]
    chunks: tuple[Chunk, ...]
    merged: int
    failed: tuple[FileNote, ...]
    skipped: tuple[FileNote, ...]

    @property
    def embed_texts(self) -> list[str]:
        """Texts of all pieces, in order."""
        return [text for chunk in self.chunks for text in chunk.embed_texts]

    def report(
        self, progress: Progress, *, generation: str = "", embedded: int = 0, dry_run: bool = False
    ) -> BuildReport:
        """The build's outcome."""
        return BuildReport(
            generation=generation,
            documents=len(self.documents),
            chunks=len(self.chunks),
            pieces=sum(len(chunk.pieces) for chunk in self.chunks),
            merged=self.merged,
            embedded=embedded,
            failed=self.failed,
            skipped=self.skipped,
            warnings=tuple(
                FileNote(document.doc_id, "parse", warning)
                for document in self.documents
                for warning in document.warnings
            ),
            stage_ms=dict(progress.stage_ms),
            dry_run=dry_run,
        )


class _Build:
    def __init__(
        self,
        root: IndexRoot,
        embedder: Embedder,
        cross_embedder: Embedder | None,
        options: BuildOptions,
        progress: Progress,
    ) -> None:
        self._root = root
        self._embedder = embedder
        self._cross_embedder = cross_embedder
        self._options = options
        self.progress = progress

    def run(self, corpus_dir: Path, catalog: bytes, calibrate: Calibrate | None) -> BuildReport:
        """All stages."""
        material = self.read(corpus_dir)
        vectors, cross_vectors, embedded = self._embed(material.embed_texts)
        info = self._cross_embedder.info if self._cross_embedder is not None else None
        writer = GenerationWriter(
            self._root,
            embedding=self._embedder.info,
            cross_embedding=info,
            chunker=chunker_name(self._options.chunk_limits),
            gpukb_version=gpukb_version(),
        )
        with writer:
            with self.progress.stage("write", 1):
                writer.write(material.documents, material.chunks, vectors, cross_vectors=cross_vectors, catalog=catalog)
                learned = calibrate(writer.draft()) if calibrate is not None else {}
            with self.progress.stage("verify", 1):
                name = writer.finish(learned)
        with self.progress.stage("swap", 1):
            self._root.publish(name)
            try:
                self._root.prune(self._options.keep)
            except StorageError as error:  # the index is published: this costs disk space, not the build
                self.progress.note(1, 1, f"older generations stay: {error.message}")
        return material.report(self.progress, generation=name, embedded=embedded)

    def read(self, corpus_dir: Path) -> _Material:
        """Scan, parse and chunk."""
        with self.progress.stage("scan", 1):
            found = scan(corpus_dir, self._options.load_limits)
        failed = list(found.failed)
        if not found.files:
            raise _nothing(corpus_dir, found, failed)
        with self.progress.stage("parse", len(found.files)):
            documents = list(self._parsed(found.files, failed))
        with self.progress.stage("chunk", len(documents)):
            cut = list(self._cut(documents, failed))
        if not cut:
            raise _nothing(corpus_dir, found, failed)
        chunks = [chunk for _, chunks in cut for chunk in chunks]
        kept = merge_duplicates(chunks)
        return _Material(
            tuple(document for document, _ in cut), kept, len(chunks) - len(kept), tuple(failed), found.skipped
        )

    def _parsed(self, files: Sequence[FoundFile], failed: list[FileNote]) -> Iterator[Document]:
        with open_reader(self._options.load_limits) as reader:
            for number, file in enumerate(files, 1):
                try:
                    yield reader.load(file.path, file.doc_id, file.member)
                except DocumentError as error:
                    self._fail(FileNote(file.doc_id, "parse", error.message), failed, number, len(files))
                self.progress.step(number, len(files))

    def _cut(
        self, documents: Sequence[Document], failed: list[FileNote]
    ) -> Iterator[tuple[Document, tuple[Chunk, ...]]]:
        for number, document in enumerate(documents, 1):
            try:
                chunks = chunk(document, self._embedder.count_tokens, self._options.chunk_limits)
                if not chunks:
                    raise DocumentError("It holds no text that could be indexed.")
                yield document, chunks
            except DocumentError as error:
                self._fail(FileNote(document.doc_id, "chunk", error.message), failed, number, len(documents))
            self.progress.step(number, len(documents))

    def _fail(self, note: FileNote, failed: list[FileNote], done: int, total: int) -> None:
        failed.append(note)
        self.progress.note(done, total, f"{note.doc_id}: {note.reason}")

    def _embed(self, texts: Sequence[str]) -> tuple[Vectors, Vectors | None, int]:
        models = [model for model in (self._embedder, self._cross_embedder) if model is not None]
        stores = [EmbeddingStore(self._root.path, model, fresh=self._options.full) for model in models]
        total = len(texts) * len(stores)
        results: list[tuple[Vectors, int]] = []
        with self.progress.stage("embed", total):
            try:
                for number, store in enumerate(stores):
                    results.append(store.vectors(texts, partial(self._step_after, number * len(texts), total)))
            except BaseException:
                for store in stores:
                    with contextlib.suppress(StorageError):
                        store.save(everything=True)
                raise
            for store in stores:
                store.save()
        return results[0][0], results[1][0] if len(results) > 1 else None, results[0][1]

    def _step_after(self, before: int, total: int, done: int) -> None:
        self.progress.step(before + done, total)


def _nothing(corpus_dir: Path, found: Scan, failed: Sequence[FileNote]) -> CorpusError:
    notes = [*failed, *found.skipped]
    if not notes:
        return CorpusError(f"The corpus folder {corpus_dir} is empty.", "Put documents into it, or name another.")
    shown = "; ".join(f"{note.doc_id}: {note.reason.rstrip('.')}" for note in notes[:_REASONS_SHOWN])
    more = f"; and {len(notes) - _REASONS_SHOWN} more" if len(notes) > _REASONS_SHOWN else ""
    return CorpusError(
        f"The corpus folder {corpus_dir} holds no document that can be read ({shown}{more}).",
        "Put documents into it (Markdown, PDF, Word, Excel, HTML, text…), or name another with --corpus-dir.",
    )
