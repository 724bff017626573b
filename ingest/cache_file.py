"""A SQLite file of things that can be made again: one that is damaged, or of another version, is simply begun anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from kb.errors import StorageError
from kb.storage import storage_errors

_MAPPED_BYTES: Final = 1 << 30
"""Of a large file: rows are then read where they lie."""
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class CacheFile:
    """Rows between builds. What cannot be read is as if it were not there."""

    def __init__(
        self,
        path: Path,
        schema: str,
        version: int,
        *,
        read_only: bool = False,
        on_loss: Callable[[], None] = lambda: None,
    ) -> None:
        """Open the file, making it if it is missing or cannot be used.

        Args:
            path: of the file.
            schema: statements that make its tables.
            version: of the schema.
            read_only: neither make nor change it; what is written is dropped.
            on_loss: told when the file turns out to be damaged while it is written to, and was begun anew.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        self._path = path
        self._schema = schema
        self._version = version
        self._read_only = read_only
        self._on_loss = on_loss
        self._database = self._opened()

    def rows(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """What a query finds, up to where the file is damaged."""
        if self._database is None:
            return
        try:
            yield from self._database.execute(query, values)
        except sqlite3.DatabaseError:
            return

    def write(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement for each row of values.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        if self._database is None or self._read_only:
            return
        try:
            with self._errors():
                self._database.executemany(statement, rows)
        except _DamagedError:
            self._database.close()
            self._database = self._begun_anew()
            self._on_loss()
            with self._errors():
                self._database.executemany(statement, rows)

    def commit(self) -> None:
        """Put what was written on the disk.

        Raises:
            StorageError: the disk is full or the folder cannot be written.
        """
        if self._database is None or self._read_only:
            return
        try:
            with self._errors():
                self._database.commit()
        except _DamagedError:
            self._database.close()
            self._database = self._begun_anew()
            self._on_loss()

    def close(self) -> None:
        """Let go of the file; what was not committed is dropped."""
        if self._database is not None:
            self._database.close()
        self._database = None

    def _opened(self) -> sqlite3.Connection | None:
        address = self._path.absolute().as_uri()
        if self._read_only:
            return _connected(f"{address}?mode=ro", self._version) if self._path.is_file() else None
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        return _connected(address, self._version) or self._begun_anew()

    def _begun_anew(self) -> sqlite3.Connection:
        with storage_errors(self._path):
            self._path.unlink(missing_ok=True)
            self._path.with_name(f"{self._path.name}-journal").unlink(missing_ok=True)
        with self._errors():
            database = sqlite3.connect(self._path)
            database.executescript(f"BEGIN; {self._schema}; PRAGMA user_version = {self._version}; COMMIT")
        return database

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if error.sqlite_errorcode & 0xFF in _DAMAGED:
                raise _DamagedError from error
            raise StorageError(f"Cannot write {self._path}: {error}.", "Check the folder and its disk.") from error


class _DamagedError(Exception):
    """The file is no database any more."""


def _connected(address: str, version: int) -> sqlite3.Connection | None:
    try:
        database = sqlite3.connect(address, uri=True)
    except sqlite3.Error:
        return None
    try:
        (found,) = database.execute("PRAGMA user_version").fetchone()
        database.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            database.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
    except sqlite3.Error:
        found = -1
    if found == version:
        return database
    database.close()
    return None
