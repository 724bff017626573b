"""A SQLite file of things that can be made again: a damaged one, or one of another version, is simply begun anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb.errors import StorageError
from kb.storage import storage_errors


def open_cache(path: Path, schema: str, version: int) -> sqlite3.Connection:
    """Open the file, making it if it is missing or cannot be used.

    Args:
        path: of the file.
        schema: statements that make its tables.
        version: of the schema.

    Raises:
        StorageError: the disk is full or the folder cannot be written.
    """
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    database = _connected(path.absolute().as_uri(), version)
    if database is not None:
        return database
    with storage_errors(path):
        path.unlink(missing_ok=True)
        path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
    with cache_errors(path):
        database = sqlite3.connect(path)
        database.executescript(f"BEGIN; {schema}; PRAGMA user_version = {version}; COMMIT")
    return database


def open_cache_to_read(path: Path, version: int) -> sqlite3.Connection | None:
    """Open the file without ever changing it; None if there is none that can be used."""
    return _connected(f"{path.absolute().as_uri()}?mode=ro", version) if path.is_file() else None


@contextmanager
def cache_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite refuses into `StorageError`.

    Raises:
        StorageError: with the path and the reason.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"Cannot write {path}: {error}.", "Check the folder and its disk.") from error


def _connected(uri: str, version: int) -> sqlite3.Connection | None:
    try:
        database = sqlite3.connect(uri, uri=True)
    except sqlite3.Error:
        return None
    try:
        (found,) = database.execute("PRAGMA user_version").fetchone()
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            database.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
    except sqlite3.Error:
        found = -1
    if found == version:
        return database
    database.close()
    return None
