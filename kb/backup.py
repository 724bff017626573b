"""A backup: corpus, published index, what is kept beside it and the settings file, in one file with checksums.

The list of checksums is written last, so a file that was cut short is no backup. `kb.restore` reads it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
import tempfile
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

from kb.errors import StorageError
from kb.index.root import IndexRoot
from kb.storage import fsync_path, storage_errors
from kb.version import gpukb_version

BACKUP_FORMAT: Final = 1
HEAD: Final = "gpukb-backup.json"
CHECKSUMS: Final = "checksums.json"
CORPUS: Final = "corpus/"
INDEX: Final = "index/"
KEPT: Final = "kept/"
SETTINGS: Final = "settings/gpukb.toml"
_NOT_KEPT: Final = frozenset({"CURRENT", "PREVIOUS", "parsed.sqlite", "parsed.sqlite-journal"})


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds.

    Attributes:
        created: RFC 3339, UTC.
        generation: of the index; empty if there was none.
        kept: files of the data folder besides the index, such as questions for calibration.
    """

    created: str
    generation: str
    documents: int
    kept: tuple[str, ...]
    has_settings: bool
    gpukb_version: str
    bytes: int = 0


def back_up(path: Path, corpus_dir: Path, data_dir: Path, settings_file: Path | None = None) -> Backup:
    """Write a backup in one step: the file is there whole or not at all.

    Raises:
        IndexLockedError: a build is running.
        IndexCorruptError: the index is damaged, so it is not worth keeping.
        StorageError: the disk is full, or a file cannot be read or changed while it was.
    """
    root = IndexRoot(data_dir)
    with root.lock(), storage_errors(path):
        name = root.current_name() or ""
        if name:
            root.open(name, verify=True).close()
        path.parent.mkdir(parents=True, exist_ok=True)
        # Only its owner may read it: settings can hold keys.
        descriptor, aside_name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        aside = Path(aside_name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                found = _write(file, corpus_dir, data_dir, name, settings_file)
                file.flush()
                os.fsync(file.fileno())
            size = aside.stat().st_size
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        fsync_path(path.parent)
    return replace(found, bytes=size)


def _write(file: IO[bytes], corpus_dir: Path, data_dir: Path, name: str, settings_file: Path | None) -> Backup:
    kept = _kept_files(data_dir)
    corpus = [item for item in sorted(corpus_dir.rglob("*")) if item.is_file() and not item.name.startswith(".upload-")]
    settings = settings_file if settings_file is not None and settings_file.is_file() else None
    about = Backup(
        created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        generation=name,
        documents=len(corpus),
        kept=tuple(item.name for item in kept),
        has_settings=settings is not None,
        gpukb_version=gpukb_version(),
    )
    checksums: dict[str, str] = {}
    with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar:
        head = json.dumps({"format": BACKUP_FORMAT, **asdict(about)}, ensure_ascii=False).encode()
        checksums[HEAD] = hashlib.sha256(head).hexdigest()
        _add_bytes(tar, HEAD, head)
        files = [(f"{CORPUS}{item.relative_to(corpus_dir).as_posix()}", item) for item in corpus]
        files += [(f"{KEPT}{item.name}", item) for item in kept]
        if name:
            index = (item for item in sorted((data_dir / name).rglob("*")) if item.is_file())
            files += [(f"{INDEX}{item.relative_to(data_dir / name).as_posix()}", item) for item in index]
        if settings is not None:
            files.append((SETTINGS, settings))
        for member, item in files:
            checksums[member] = _add_file(tar, member, item)
        _add_bytes(tar, CHECKSUMS, json.dumps(checksums, ensure_ascii=True).encode())
    return about


def _kept_files(data_dir: Path) -> list[Path]:
    """Files beside the generations that nobody can make again: not caches, locks or halves."""
    found = sorted(data_dir.iterdir()) if data_dir.is_dir() else []
    return [path for path in found if path.is_file() and not path.name.startswith(".") and path.name not in _NOT_KEPT]


def _add_file(tar: tarfile.TarFile, name: str, path: Path) -> str:
    with path.open("rb") as file:
        about = tar.gettarinfo(arcname=name, fileobj=file)
        about.type = tarfile.REGTYPE  # a second name of a file is a file
        about.size = os.fstat(file.fileno()).st_size
        reader = _Hashed(file)
        tar.addfile(about, reader)
        if file.read(1):
            raise StorageError(f"{path} changed while it was read.", "Try again.")
    return reader.digest.hexdigest()


def _add_bytes(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    about = tarfile.TarInfo(name)
    about.size = len(content)
    tar.addfile(about, io.BytesIO(content))


class _Hashed(io.RawIOBase):
    """A file that is hashed as it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """As of a file."""
        content = self._file.read(size)
        self.digest.update(content)
        return content
