"""Documents as they were read and cut, kept between builds, so that only what changed is read again.

The store is one SQLite file with one row for each document. A row counts only if the file's bytes are the same and the
same code read and cut it (`reader_version`); its content is compressed and so carries a checksum. Whatever is missing
or damaged is read anew: nothing is lost with the store but time.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any, Final, Self

from ingest.loaders.wire import document_from_json, document_to_json
from kb.errors import StorageError
from kb.storage import storage_errors
from kb.types import Chunk, Document, Span
from kb.version import gpukb_version

PARSED_FILE: Final = "parsed.sqlite"

_SCHEMA_VERSION: Final = 1
_SCHEMA: Final = """
    CREATE TABLE parsed (
        doc_id TEXT PRIMARY KEY, content TEXT NOT NULL, recipe TEXT NOT NULL, body BLOB NOT NULL
    ) WITHOUT ROWID
"""
_COMMIT_EVERY_S: Final = 2.0
_PACKAGE: Final = re.compile(r"[\w.-]+")
_READING_CODE: Final = (
    ("ingest.loaders", "*.py"), ("ingest.chunkers", "*.py"), ("ingest", "cleaning.py"), ("kb", "t*.py"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parsed:
    """One document and its chunks, before duplicates are merged."""

    document: Document
    chunks: tuple[Chunk, ...]


class ParsedStore:
    """What former builds have read, by document. Use it as a context manager."""

    def __init__(self, data_dir: Path, recipe: str, *, fresh: bool = False, read_only: bool = False) -> None:
        """Open the store.

        Args:
            data_dir: holds it.
            recipe: what decides how a document is read and cut, besides its bytes.
            fresh: ignore what is in it.
            read_only: neither make nor change it.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        self._path = data_dir / PARSED_FILE
        self._recipe = recipe
        self._fresh = fresh
        self._read_only = read_only
        self._committed = time.monotonic()
        self._database = self._opened()

    def get(self, doc_id: str, content: str) -> Parsed | None:
        """What was read of a document; None if its bytes or the code that reads have changed since.

        Args:
            doc_id: the document.
            content: names its bytes, see `put`.
        """
        row = self._row(doc_id)
        return _parsed(row[2]) if row is not None and row[:2] == (content, self._recipe) else None

    def last(self, doc_id: str, sha256: str) -> Parsed | None:
        """What was read of a document when its bytes had a checksum, whatever they are now."""
        row = self._row(doc_id)
        found = _parsed(row[2]) if row is not None and row[1] == self._recipe else None
        return found if found is not None and found.document.sha256 == sha256 else None

    def put(self, content: str, parsed: Parsed) -> None:
        """Keep what was read.

        Args:
            content: names the bytes: their checksum, or that of an archive with the name of a file in it.
            parsed: the document and its chunks.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        if self._database is None or self._read_only:
            return
        row = (parsed.document.doc_id, content, self._recipe, _packed(parsed))
        with _database_errors(self._path):
            self._database.execute("INSERT OR REPLACE INTO parsed VALUES (?, ?, ?, ?)", row)
            if time.monotonic() - self._committed > _COMMIT_EVERY_S:
                self._database.commit()
                self._committed = time.monotonic()

    def keep_only(self, doc_ids: Iterable[str]) -> None:
        """Drop every other document.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        if self._database is None or self._read_only:
            return
        with _database_errors(self._path):
            stored = {row[0] for row in self._database.execute("SELECT doc_id FROM parsed")}
            gone = [(doc_id,) for doc_id in stored.difference(doc_ids)]
            self._database.executemany("DELETE FROM parsed WHERE doc_id = ?", gone)
            self._database.commit()

    def close(self) -> None:
        """Write what is waiting to be written and let go of the file."""
        database, self._database = self._database, None
        if database is None:
            return
        try:
            if not self._read_only:
                with _database_errors(self._path):
                    database.commit()
        finally:
            database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _row(self, doc_id: str) -> tuple[str, str, bytes] | None:
        if self._database is None or self._fresh:
            return None
        try:
            found = self._database.execute("SELECT content, recipe, body FROM parsed WHERE doc_id = ?", (doc_id,))
            row: tuple[str, str, bytes] | None = found.fetchone()
        except sqlite3.DatabaseError:  # damaged: read the document anew
            return None
        return row

    def _opened(self) -> sqlite3.Connection | None:
        if self._read_only:
            return _connected(f"{self._path.absolute().as_uri()}?mode=ro") if self._path.is_file() else None
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        database = _connected(self._path.absolute().as_uri())
        if database is None:  # damaged, or of another version: everything in it can be made again
            with storage_errors(self._path):
                self._path.unlink(missing_ok=True)
                self._path.with_name(f"{PARSED_FILE}-journal").unlink(missing_ok=True)
            with _database_errors(self._path):
                database = sqlite3.connect(self._path)
                database.execute(_SCHEMA)
                database.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
                database.commit()
        return database


@cache
def reader_version() -> str:
    """A digest over the code that reads and cuts documents, and over the versions of the libraries it uses.

    It changes by itself with any of them, so no number has to be remembered.
    """
    digest = hashlib.sha256(gpukb_version().encode())
    for folder, pattern in _READING_CODE:
        for path in _sources(folder, pattern):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    for requirement in sorted(metadata.requires("gpukb") or ()):
        package = _PACKAGE.match(requirement)
        if package and "extra ==" not in requirement:
            digest.update(f"{package[0]} {_version(package[0])}\n".encode())
    return digest.hexdigest()[:16]


def _sources(folder: str, pattern: str) -> list[Path]:
    return sorted(Path(str(resources.files(folder))).glob(pattern))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _connected(uri: str) -> sqlite3.Connection | None:
    """An open store; None if there is none, or none that can be used."""
    try:
        database = sqlite3.connect(uri, uri=True)
    except sqlite3.Error:
        return None
    try:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        database.execute("SELECT doc_id, content, recipe FROM parsed LIMIT 1").fetchone()
    except sqlite3.Error:
        version = -1
    if version == _SCHEMA_VERSION:
        return database
    database.close()
    return None


@contextmanager
def _database_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"Cannot write {path}: {error}.", "Check the folder and its disk.") from error


def _packed(parsed: Parsed) -> bytes:
    value = {"document": document_to_json(parsed.document), "chunks": [_chunk_to_json(one) for one in parsed.chunks]}
    return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def _parsed(body: bytes) -> Parsed | None:
    try:
        value = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
        return Parsed(document_from_json(value["document"]), tuple(_chunk_from_json(one) for one in value["chunks"]))
    except (zlib.error, ValueError, KeyError, TypeError):
        return None


def _chunk_to_json(chunk: Chunk) -> dict[str, Any]:
    fields = {name: getattr(chunk, name) for name in Chunk.__slots__}
    return {**fields, "pieces": [[piece.start, piece.end] for piece in chunk.pieces]}


def _chunk_from_json(fields: dict[str, Any]) -> Chunk:
    tuples = {name: tuple(fields[name]) for name in ("heading_path", "embed_texts", "also_in")}
    pieces = tuple(Span(start, end) for start, end in fields["pieces"])
    return Chunk(**{**fields, **tuples, "pieces": pieces})
