"""From a folder of files to a published generation: scan, parse, chunk, embed, write, verify, swap.

Only what changed is read, cut and embedded; where nothing did, nothing is written. Whatever goes wrong before the swap,
the index that is in use stays in use.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.structure import chunker_name
from ingest.embedding import EmbeddingStore
from ingest.loaders.base import LoadLimits
from ingest.parsed import ParsedStore, reader_version
from ingest.prepared import PreparedChunk
from ingest.progress import Progress
from ingest.reading import Corpus, CorpusReader, Rules
from ingest.report import BuildReport, FileNote
from kb.embeddings.base import Embedder
from kb.errors import IndexCorruptError, IndexMismatchError, IndexMissingError, StorageError
from kb.index.build_record import BuildRecord, record_of
from kb.index.changes import Changes, changes_between
from kb.index.generation import Generation
from kb.index.layout import BUILD_RECORD
from kb.index.root import KEPT_GENERATIONS, IndexRoot
from kb.index.writer import GenerationWriter
from kb.types import BuildEvent, Vectors
from kb.version import gpukb_version

Calibrate = Callable[[Generation, Mapping[str, Any], float], Mapping[str, Any]]
"""Learns from a written generation what its scores mean; the result goes into the manifest.

It is given what it learned for the index in use, where the same models and code made that one, and the share of the
passages that are others now, so that it can keep what it knows after a small change.
"""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build.

    Attributes:
        full: read, cut and embed everything anew instead of taking what is known.
        dry_run: find out what would change, write nothing.
        paths: documents, or folders of them, to look at; what else has changed stays as it was. Empty: everything.
        wait: wait for another build that is running instead of refusing.
        keep: how many generations stay on the disk.
    """

    chunk_limits: ChunkLimits = field(default_factory=ChunkLimits)
    load_limits: LoadLimits = field(default_factory=LoadLimits)
    full: bool = False
    dry_run: bool = False
    paths: tuple[str, ...] = ()
    wait: bool = False
    keep: int = KEPT_GENERATIONS


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
    job = _Build(root, embedder, cross_embedder, catalog, options, Progress(on_event))
    if options.dry_run:
        return job.preview(corpus_dir)
    with root.lock(wait=options.wait):
        return job.run(corpus_dir, calibrate)


@dataclass(frozen=True, slots=True)
class _Published:
    """The index in use, as far as the next build asks; nothing where there is none that can be read.

    Attributes:
        checksums: of the bytes of each document.
        chunk_ids: of its chunks, as numbers.
    """

    name: str = ""
    checksums: Mapping[str, str] = field(default_factory=dict)
    record: BuildRecord = field(default_factory=BuildRecord)
    chunk_ids: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    calibration: Mapping[str, Any] = field(default_factory=dict)

    def changed_in(self, generation: Generation) -> float:
        """Share of all chunks, of either, that only one of them holds: 0–1."""
        union = np.union1d(self.chunk_ids, generation.chunks.ids)
        return len(np.setxor1d(self.chunk_ids, generation.chunks.ids, assume_unique=True)) / max(len(union), 1)


class _Build:
    def __init__(
        self,
        root: IndexRoot,
        embedder: Embedder,
        cross_embedder: Embedder | None,
        catalog: bytes,
        options: BuildOptions,
        progress: Progress,
    ) -> None:
        self._root = root
        self._embedder = embedder
        self._cross_embedder = cross_embedder
        self._catalog = catalog
        self._options = options
        self._progress = progress
        self._rules = Rules(options.chunk_limits, options.load_limits, options.paths)

    def preview(self, corpus_dir: Path) -> BuildReport:
        """What a build would do."""
        published = _published(self._root)
        corpus = self._read(corpus_dir, published)
        changes = changes_between(published.checksums, corpus.checksums)
        same = self._would_be_the_same(published, corpus, changes)
        return self._report(corpus, changes, generation=published.name, is_unchanged=same)

    def run(self, corpus_dir: Path, calibrate: Calibrate | None) -> BuildReport:
        """All stages; the caller holds the lock."""
        self._tidy(self._root.remove_leftovers)
        published = _published(self._root)
        corpus = self._read(corpus_dir, published)
        changes = changes_between(published.checksums, corpus.checksums)
        if self._would_be_the_same(published, corpus, changes) and self._is_whole(published.name):
            return self._report(corpus, changes, generation=published.name, is_unchanged=True)
        vectors, cross_vectors, embedded = self._embed(corpus.chunks)
        with self._writer() as writer:
            with self._progress.stage("write", 1):
                writer.write_entries(
                    [one.entry for one in corpus.parsed],
                    [one.entry for one in corpus.chunks],
                    corpus.numbers,
                    vectors,
                    cross_vectors=cross_vectors,
                    catalog=self._catalog,
                )
                writer.add_file(BUILD_RECORD, self._record(corpus).to_json())
                learned = self._learned(writer.draft(), published, corpus, calibrate) if calibrate else {}
            with self._progress.stage("verify", 1):
                name = writer.finish(learned)
        with self._progress.stage("swap", 1):
            self._root.publish(name)
            self._tidy(partial(self._root.prune, self._options.keep))
        return self._report(corpus, changes, generation=name, embedded=embedded)

    def _learned(
        self, draft: Generation, published: _Published, corpus: Corpus, calibrate: Calibrate
    ) -> Mapping[str, Any]:
        made_by, before = self._record(corpus).recipe, published.record.recipe
        is_alike = all(made_by[name] == before.get(name) for name in made_by if name != "catalog")
        known = published.calibration if is_alike and not self._options.full else {}
        return calibrate(draft, known, published.changed_in(draft))

    def _tidy(self, delete: Callable[[], object]) -> None:
        """What cannot be deleted costs disk space, not the build."""
        try:
            delete()
        except StorageError as error:
            self._progress.note(1, 1, f"what is no longer needed stays on the disk: {error.message}")

    def _read(self, corpus_dir: Path, published: _Published) -> Corpus:
        options = self._options
        recipe = self._rules.recipe(self._embedder)
        with ParsedStore(self._root.path, recipe, fresh=options.full, read_only=options.dry_run) as known:
            reader = CorpusReader(self._embedder, self._rules, known, published.checksums, self._progress)
            corpus = reader.read(corpus_dir)
            known.keep_only(corpus.checksums)
        return corpus

    def _would_be_the_same(self, published: _Published, corpus: Corpus, changes: Changes) -> bool:
        record = self._record(corpus)
        return (
            changes.is_empty
            and not self._options.full
            and published.record.recipe == record.recipe
            and _names(published.record.failed) == _names(record.failed)
        )

    def _is_whole(self, name: str) -> bool:
        """Whether the index in use agrees with its checksums; one that is damaged is built again."""
        try:
            self._root.open(name, verify=True).close()
        except IndexCorruptError as error:
            self._progress.note(1, 1, f"the index in use is damaged and made anew: {error.message}")
            return False
        return True

    def _record(self, corpus: Corpus) -> BuildRecord:
        cross = self._cross_embedder
        return BuildRecord(
            recipe={
                "gpukb": gpukb_version(),
                "reader": reader_version(),
                "chunker": chunker_name(self._options.chunk_limits),
                "embedding": self._embedder.info.fingerprint,
                "cross_embedding": cross.info.fingerprint if cross is not None else "",
                "catalog": hashlib.sha256(self._catalog).hexdigest(),
            },
            failed=tuple(asdict(note) for note in corpus.failed),
            skipped=tuple(asdict(note) for note in corpus.skipped),
        )

    def _writer(self) -> GenerationWriter:
        cross = self._cross_embedder
        return GenerationWriter(
            self._root,
            embedding=self._embedder.info,
            cross_embedding=cross.info if cross is not None else None,
            chunker=chunker_name(self._options.chunk_limits),
            gpukb_version=gpukb_version(),
        )

    def _report(
        self, corpus: Corpus, changes: Changes, *, generation: str, embedded: int = 0, is_unchanged: bool = False
    ) -> BuildReport:
        return BuildReport(
            generation=generation,
            documents=len(corpus.parsed),
            chunks=len(corpus.chunks),
            pieces=sum(chunk.entry.pieces for chunk in corpus.chunks),
            changes=changes,
            is_unchanged=is_unchanged,
            merged=corpus.cut - len(corpus.chunks),
            embedded=embedded,
            failed=corpus.failed,
            skipped=corpus.skipped,
            warnings=tuple(
                FileNote(one.entry.doc_id, "parse", warning) for one in corpus.parsed for warning in one.warnings
            ),
            stage_ms=dict(self._progress.stage_ms),
            dry_run=self._options.dry_run,
        )

    def _embed(self, chunks: Sequence[PreparedChunk]) -> tuple[Vectors, Vectors | None, int]:
        models = [model for model in (self._embedder, self._cross_embedder) if model is not None]
        keys = [key for chunk in chunks for key in chunk.text_keys]
        places = [(chunk, piece) for chunk in chunks for piece in range(chunk.entry.pieces)]

        def text_of(row: int) -> str:
            chunk, piece = places[row]
            return chunk.embed_text(piece)

        total = len(keys) * len(models)
        results: list[tuple[Vectors, int]] = []
        with self._progress.stage("embed", total), contextlib.ExitStack() as files:
            stores = [EmbeddingStore(self._root.path, model, fresh=self._options.full) for model in models]
            for store in stores:
                files.callback(store.close)
            try:
                for number, store in enumerate(stores):
                    results.append(store.vectors(keys, text_of, partial(self._step_after, number * len(keys), total)))
            except BaseException:
                for store in stores:
                    with contextlib.suppress(StorageError):
                        store.save(everything=True)
                raise
            for store in stores:
                store.save()
        return results[0][0], results[1][0] if len(results) > 1 else None, results[0][1]

    def _step_after(self, before: int, total: int, done: int) -> None:
        self._progress.step(before + done, total)


def _published(root: IndexRoot) -> _Published:
    try:
        with root.open_current(verify=False) as generation:
            checksums = {summary.doc_id: summary.sha256 for summary in generation.documents.summaries()}
            record, manifest = record_of(generation), generation.manifest
            return _Published(generation.name, checksums, record, np.array(generation.chunks.ids), manifest.calibration)
    except (IndexMissingError, IndexMismatchError, IndexCorruptError):
        return _Published()


def _names(notes: Sequence[Mapping[str, str]]) -> set[str]:
    return {note["doc_id"] for note in notes}
