"""Scan, parse and chunk: a folder as documents and chunks, of which only those are made that were not known before."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.structure import chunk, chunker_name
from ingest.dedup import likeness_of, merge_duplicates
from ingest.embedding import text_key
from ingest.loaders.base import LoadLimits
from ingest.loaders.reader import Reader, open_reader
from ingest.parsed import ParsedStore, reader_version
from ingest.prepared import PreparedChunk, PreparedDocument
from ingest.progress import Progress
from ingest.report import FileNote
from ingest.scan import FoundFile, Scan, scan
from kb.embeddings.base import Embedder
from kb.errors import CorpusError, DocumentError
from kb.index.entries import chunk_entry, document_entry
from kb.index.terms import TermNumbers
from kb.types import Document

_REASONS_SHOWN = 3
_TRUSTED_AFTER_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Rules:
    """How files are read and cut.

    Attributes:
        paths: documents, and folders with a `/` at their end, to look at; all others stay as they were. Empty: all.
    """

    chunk_limits: ChunkLimits = field(default_factory=ChunkLimits)
    load_limits: LoadLimits = field(default_factory=LoadLimits)
    paths: tuple[str, ...] = ()

    def recipe(self, embedder: Embedder) -> str:
        """All that decides how the same bytes are read and cut."""
        limits = sorted(asdict(self.load_limits).items())
        parts = (reader_version(), chunker_name(self.chunk_limits), embedder.info.fingerprint, limits)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def covers(self, doc_id: str) -> bool:
        """Whether a document is to be looked at."""
        return not self.paths or any(
            doc_id == path or doc_id.startswith(path if path.endswith("/") else f"{path}/") for path in self.paths
        )


@dataclass(frozen=True)
class Corpus:
    """What was read, by `doc_id`."""

    parsed: tuple[PreparedDocument, ...]
    numbers: TermNumbers
    failed: tuple[FileNote, ...]
    skipped: tuple[FileNote, ...]

    @cached_property
    def checksums(self) -> dict[str, str]:
        """Of every document's bytes."""
        return {one.entry.doc_id: one.entry.sha256 for one in self.parsed}

    @property
    def cut(self) -> int:
        """How many chunks there were before duplicates were merged."""
        return sum(len(one.chunks) for one in self.parsed)

    @cached_property
    def chunks(self) -> tuple[PreparedChunk, ...]:
        """All chunks, each passage once."""
        return merge_duplicates(chunk for one in self.parsed for chunk in one.chunks)


class CorpusReader:
    """Reads a corpus folder.

    Args:
        known: what former builds have read.
        published: checksums of the documents of the index in use; what `rules` leaves out is taken as it is there.
        progress: told of each stage.
    """

    def __init__(
        self, embedder: Embedder, rules: Rules, known: ParsedStore, published: Mapping[str, str], progress: Progress
    ) -> None:
        self._embedder = embedder
        self._rules = rules
        self._known = known
        self._published = published
        self._progress = progress
        self._failed: list[FileNote] = []

    def read(self, corpus_dir: Path) -> Corpus:
        """Scan, parse and chunk.

        Raises:
            CorpusError: the folder is missing or holds nothing readable.
            StorageError: what was read cannot be kept.
        """
        with self._progress.stage("scan", 1):
            found = scan(corpus_dir, self._rules.load_limits)
        self._failed = list(found.failed)
        if not found.files:
            raise _nothing(corpus_dir, found, self._failed)
        with self._progress.stage("parse", len(found.files)):
            read = self._parse(found.files)
        with self._progress.stage("chunk", len(read)):
            parsed = self._cut(read)
        if not parsed:
            raise _nothing(corpus_dir, found, self._failed)
        return Corpus(tuple(parsed), self._known.numbers, tuple(self._failed), found.skipped)

    def _parse(self, files: Sequence[FoundFile]) -> list[PreparedDocument | _Read]:
        digests = _Digests(self._rules.load_limits.max_bytes)
        states = [digests.state_of(file) for file in files]
        changed = [not self._known.content_of(*it) for it in zip((file.doc_id for file in files), states, strict=True)]
        read: dict[int, PreparedDocument | _Read] = {}
        with open_reader(self._rules.load_limits) as reader:
            if any(changed):
                reader.start()
            # What is known first: meanwhile the reader gets ready.
            for done, place in enumerate(sorted(range(len(files)), key=changed.__getitem__), 1):
                file = files[place]
                try:
                    read[place] = self._left_out(file) or self._read(file, states[place], digests, reader)
                except DocumentError as error:
                    self._fail(FileNote(file.doc_id, "parse", error.message), done, len(files))
                self._progress.step(done, len(files))
        return [read[place] for place in sorted(read)]

    def _left_out(self, file: FoundFile) -> PreparedDocument | None:
        if self._rules.covers(file.doc_id) or file.doc_id not in self._published:
            return None
        return self._known.last(file.doc_id, self._published[file.doc_id])

    def _read(self, file: FoundFile, state: str, digests: _Digests, reader: Reader) -> PreparedDocument | _Read:
        """What a file holds; `state` was taken before its bytes are looked at: who writes later changes it."""
        content = self._known.content_of(file.doc_id, state) or digests.of(file)
        known = self._known.get(file.doc_id, content, state)
        if known is not None:
            return known
        document = reader.load(file.path, file.doc_id, file.member)
        # A file that changed meanwhile is known by what was read of it.
        renewed = digests.renewed(file, document)
        return _Read(document, renewed, state if renewed == content else "")

    def _cut(self, read: Sequence[PreparedDocument | _Read]) -> list[PreparedDocument]:
        parsed = []
        for number, one in enumerate(read, 1):
            try:
                parsed.append(self._prepared(one) if isinstance(one, _Read) else one)
            except DocumentError as error:
                doc_id = one.document.doc_id if isinstance(one, _Read) else one.entry.doc_id
                self._fail(FileNote(doc_id, "chunk", error.message), number, len(read))
            self._progress.step(number, len(read))
        return parsed

    def _prepared(self, read: _Read) -> PreparedDocument:
        document = read.document
        chunks = chunk(document, self._embedder.count_tokens, self._rules.chunk_limits)
        if not chunks:
            raise DocumentError("It holds no text that could be indexed.")
        numbers = self._known.numbers
        prepared = PreparedDocument(
            document_entry(document),
            document.warnings,
            tuple(
                PreparedChunk(chunk_entry(one, numbers), likeness_of(one), tuple(map(text_key, one.embed_texts)))
                for one in chunks
            ),
        )
        if read.content:
            self._known.put(read.content, read.state, prepared)
        return prepared

    def _fail(self, note: FileNote, done: int, total: int) -> None:
        self._failed.append(note)
        self._progress.note(done, total, f"{note.doc_id}: {note.reason}")


@dataclass(frozen=True, slots=True)
class _Read:
    """A document that was read now, the name of its bytes, and the state of its file."""

    document: Document
    content: str
    state: str


class _Digests:
    """Names the bytes of files: their checksum; for a file in an archive, the archive's checksum and its name there."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._archives: dict[Path, tuple[str, tuple[int, ...]]] = {}

    def state_of(self, file: FoundFile) -> str:
        """What differs whenever somebody writes to a file; empty where the clock would not tell, or it is unreadable.

        A file that was written just now may be written once more within the same tick of the clock.
        """
        try:
            state = _state(file.path)
        except OSError:
            return ""
        return " ".join(map(str, state)) if time.time_ns() - max(state[-2:]) > _TRUSTED_AFTER_NS else ""

    def of(self, file: FoundFile) -> str:
        """The name of a file's bytes; empty for one that is too large to be a document.

        Raises:
            DocumentError: it cannot be read.
        """
        try:
            if not file.member:
                return _sha256(file.path) if file.path.stat().st_size <= self._max_bytes else ""
            if file.path not in self._archives:
                state = _state(file.path)
                self._archives[file.path] = (_sha256(file.path), state)
        except OSError as error:
            raise DocumentError(f"It cannot be read: {error.strerror}.") from error
        return f"{self._archives[file.path][0]}/{file.member}"

    def renewed(self, file: FoundFile, document: Document) -> str:
        """The same once the file was read; empty if an archive changed meanwhile."""
        if not file.member:
            return document.sha256
        try:
            return self.of(file) if _state(file.path) == self._archives[file.path][1] else ""
        except OSError:
            return ""


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _state(path: Path) -> tuple[int, ...]:
    """What differs whenever a file was written."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


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
