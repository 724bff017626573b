"""Documents as they were read and cut, kept between builds, so that only what changed is read again.

The store is one SQLite file with one row for each document. A row counts only if the file's bytes are the same and the
same code read and cut it (`reader_version`); its content carries a checksum. Whatever is missing or damaged is read
anew: nothing is lost with the store but time.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
import zlib
from collections.abc import Iterable
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Final, NamedTuple, Self

from ingest.cache_file import CacheFile
from ingest.prepared import PreparedDocument, packed, unpacked
from kb.index.terms import TermNumbers
from kb.version import gpukb_version

PARSED_FILE: Final = "parsed.sqlite"

_SCHEMA_VERSION: Final = 2
_SCHEMA: Final = """
    CREATE TABLE parsed (
        doc_id TEXT PRIMARY KEY, content TEXT NOT NULL, recipe TEXT NOT NULL, state TEXT NOT NULL, body BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE terms (first INTEGER PRIMARY KEY, block BLOB NOT NULL)
"""
_COMMIT_EVERY_S: Final = 2.0
_PACKAGE: Final = re.compile(r"[\w.-]+")
_READING_CODE: Final = (
    ("ingest.loaders", "*.py"), ("ingest.chunkers", "*.py"), ("ingest", "cleaning.py"), ("kb", "t*.py"),
    ("ingest", "dedup.py"), ("ingest", "prepared.py"),
    ("kb.index", "entries.py"), ("kb.index", "jsonlines.py"), ("kb.index", "lexical.py"), ("kb.index", "terms.py"),
)  # fmt: skip


class _Row(NamedTuple):
    """What is known of a document without looking at its content."""

    content: str
    state: str


class ParsedStore:
    """What former builds have read, by document. Use it as a context manager.

    Attributes:
        numbers: what the terms of the documents are counted with.
    """

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
        self._recipe = recipe
        self._committed = time.monotonic()
        path = data_dir / PARSED_FILE
        self._file = CacheFile(path, _SCHEMA, _SCHEMA_VERSION, read_only=read_only, on_loss=self._lost)
        self._rows: dict[str, _Row] = {}
        self.numbers = TermNumbers()
        if not fresh:
            self._load()
        self._kept_terms = len(self.numbers.terms)
        self._is_begun_anew = not self._rows

    def content_of(self, doc_id: str, state: str) -> str:
        """What names the bytes of a document whose file is as it was; empty if it is not, or that is not known.

        Args:
            doc_id: the document.
            state: of its file: what differs whenever somebody writes to it. Empty: not to be trusted.
        """
        row = self._rows.get(doc_id)
        return row.content if row is not None and state and row.state == state else ""

    def get(self, doc_id: str, content: str, state: str) -> PreparedDocument | None:
        """What was read of a document; None if its bytes or the code that reads have changed since.

        Args:
            doc_id: the document.
            content: names its bytes, see `put`.
            state: of its file now, see `content_of`.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        row = self._rows.get(doc_id)
        found = self._body(doc_id) if row is not None and row.content == content else None
        if found is not None and row is not None and row.state != state:
            self._file.write("UPDATE parsed SET state = ? WHERE doc_id = ?", [(state, doc_id)])
        return found

    def last(self, doc_id: str, sha256: str) -> PreparedDocument | None:
        """What was read of a document when its bytes had a checksum, whatever they are now."""
        found = self._body(doc_id) if doc_id in self._rows else None
        return found if found is not None and found.entry.sha256 == sha256 else None

    def put(self, content: str, state: str, document: PreparedDocument) -> None:
        """Keep what was read.

        Args:
            content: names the bytes: their checksum, or that of an archive with the name of a file in it.
            state: of the file before it was read, see `content_of`.
            document: the document and its chunks.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        if self._is_begun_anew:  # nothing there is of use, and its terms have numbers that are given anew
            self._file.write("DELETE FROM terms", [()])
            self._file.write("DELETE FROM parsed", [()])
            self._is_begun_anew = False
        row = (document.entry.doc_id, content, self._recipe, state, packed(document, len(self.numbers.terms)))
        self._file.write("INSERT OR REPLACE INTO parsed VALUES (?, ?, ?, ?, ?)", [row])
        if time.monotonic() - self._committed > _COMMIT_EVERY_S:
            self._commit()

    def keep_only(self, doc_ids: Iterable[str]) -> None:
        """Drop every other document.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        stored = {doc_id for (doc_id,) in self._file.rows("SELECT doc_id FROM parsed")}
        gone = stored.difference(doc_ids)
        self._file.write("DELETE FROM parsed WHERE doc_id = ?", [(doc_id,) for doc_id in gone])
        self._commit()

    def close(self) -> None:
        """Write what is waiting to be written and let go of the file."""
        try:
            self._commit()
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _load(self) -> None:
        """Learn what is there, unless other code has read it."""
        query = "SELECT doc_id, content, state FROM parsed WHERE recipe = ?"
        rows = {doc_id: _Row(*row) for doc_id, *row in self._file.rows(query, (self._recipe,))}
        terms: list[str] = []
        for first, block in self._file.rows("SELECT first, block FROM terms ORDER BY first") if rows else ():
            if first != len(terms):  # a part is lost
                return
            try:
                terms += json.loads(zlib.decompress(block))
            except (zlib.error, ValueError):
                return
        self._rows, self.numbers = rows, TermNumbers(terms)

    def _body(self, doc_id: str) -> PreparedDocument | None:
        found = next(self._file.rows("SELECT body FROM parsed WHERE doc_id = ?", (doc_id,)), None)
        return unpacked(found[0], len(self.numbers.terms)) if found else None

    def _commit(self) -> None:
        """Documents together with the terms that they are counted with."""
        new = self.numbers.terms[self._kept_terms :]
        if new:
            block = zlib.compress(json.dumps(new, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)
            self._file.write("INSERT OR REPLACE INTO terms VALUES (?, ?)", [(self._kept_terms, block)])
        self._file.commit()
        self._kept_terms = len(self.numbers.terms)
        self._committed = time.monotonic()

    def _lost(self) -> None:
        """The file was damaged and is empty now: documents that are read from here on need all terms in it."""
        self._rows = {}
        self._kept_terms = 0
        self._is_begun_anew = False


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
