"""Putting a backup in place: nothing before all of it has been read and agrees with its checksums."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Final

from kb.backup import BACKUP_FORMAT, CHECKSUMS, CORPUS, HEAD, INDEX, KEPT, SETTINGS, Backup
from kb.errors import RequestError
from kb.feedback import FEEDBACK_FILES
from kb.index.root import IndexRoot
from kb.keys.signer import SIGNING_FILE
from kb.keys.store import KEY_FILE, PRIVATE_MODE
from kb.storage import fsync_path, storage_errors, write_bytes_durably

_TAR_ERRORS: Final = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError)
_OWN_AFFAIRS: Final = frozenset({KEY_FILE, SIGNING_FILE, *FEEDBACK_FILES})
"""What a data folder that has them keeps, and nobody but its owner may read."""
_IN_MEMORY: Final = frozenset({HEAD, CHECKSUMS, SETTINGS})


def restore(
    path: Path, corpus_dir: Path, data_dir: Path, settings_file: Path, *, replace_corpus: bool = False
) -> Backup:
    """Put a backup in place. Other generations stay; running services move to the restored one.

    Args:
        path: the backup.
        corpus_dir: must be missing, empty or the same as in the backup, unless `replace_corpus`.
        data_dir: gets the generation and makes it current, last of all.
        settings_file: written only if it is missing; so are keys and feedback, since a key that was revoked after the
            backup must not come to life again.
        replace_corpus: put an existing corpus folder aside, as `<name>.before-restore`.

    Raises:
        RequestError: it is no backup, is damaged or of another version; or the corpus folder holds other files.
        IndexLockedError: a build is running.
        StorageError: the disk is full or a folder cannot be written.
    """
    root = IndexRoot(data_dir)
    with root.lock(), _aside(data_dir, ".building-restore-") as index, _aside(corpus_dir.parent, ".restore-") as corpus:
        with storage_errors(data_dir):
            unpacked = _unpacked(path, index, corpus)
        _put_corpus(corpus / "corpus", corpus_dir, unpacked.checksums, replace_corpus=replace_corpus)
        if unpacked.settings is not None and not settings_file.exists():
            write_bytes_durably(settings_file, unpacked.settings)
        for kept in sorted((index / "kept").glob("*")):
            place = data_dir / kept.name
            if kept.name in _OWN_AFFAIRS and place.exists():
                continue
            mode = PRIVATE_MODE if kept.name in _OWN_AFFAIRS else 0o644
            write_bytes_durably(place, kept.read_bytes(), mode=mode)
        if unpacked.about.generation:
            root.adopt(index / "index", unpacked.about.generation)
    return replace(unpacked.about, bytes=path.stat().st_size)


@dataclass(frozen=True, slots=True)
class _Unpacked:
    about: Backup
    checksums: Mapping[str, str]
    settings: bytes | None


def _unpacked(path: Path, index: Path, corpus: Path) -> _Unpacked:
    """Unpack everything aside and compare it with the checksums."""
    if not path.is_file():
        raise RequestError(f"There is no file {path}.", "Name a file that `gpukb backup` wrote.")
    found: dict[str, str] = {}
    extra: dict[str, bytes] = {}
    try:
        with gzip.open(path) as packed, tarfile.open(fileobj=packed, mode="r|") as tar:
            for member in tar:
                content = tar.extractfile(member)
                if content is None or not _is_safe(member.name):
                    raise RequestError(f"{path} holds {member.name!r}, which no backup does.", "Do not use it.")
                if member.name in _IN_MEMORY:
                    extra[member.name] = content.read()
                    found[member.name] = hashlib.sha256(extra[member.name]).hexdigest()
                else:
                    place = corpus if member.name.startswith(CORPUS) else index
                    found[member.name] = _unpack(content, place / member.name)
            while packed.read(1 << 20):  # its own checksum stands at its end
                pass
    except _TAR_ERRORS as error:
        if isinstance(error, OSError) and error.errno:  # the disk, not the file's content
            raise
        raise RequestError(f"{path} is no backup, or is damaged: {error}.", "Use another one.") from error
    return _agreeing(path, found, extra)


def _agreeing(path: Path, found: dict[str, str], extra: dict[str, bytes]) -> _Unpacked:
    if HEAD not in extra or CHECKSUMS not in extra:
        raise RequestError(f"{path} is no backup, or was cut short.", "Use another one.")
    try:
        wanted: dict[str, str] = dict(json.loads(extra[CHECKSUMS]))
    except (ValueError, TypeError) as error:
        raise RequestError(f"{path} is damaged: its checksums cannot be read.", "Use another one.") from error
    files = {name: digest for name, digest in found.items() if name != CHECKSUMS}
    different = sorted(name for name in wanted.keys() | files.keys() if wanted.get(name) != files.get(name))
    if different:
        raise RequestError(f"{path} is damaged: {different[0]} differs from its checksum.", "Use another one.")
    head = json.loads(extra[HEAD])
    if head.pop("format") != BACKUP_FORMAT:
        raise RequestError(f"{path} was made by gpukb {head['gpukb_version']}.", "Restore it with that version.")
    return _Unpacked(Backup(**{**head, "kept": tuple(head["kept"])}), wanted, extra.get(SETTINGS))


def _is_safe(name: str) -> bool:
    parts = PurePosixPath(name).parts
    if name in _IN_MEMORY:
        return True
    return name.startswith((CORPUS, INDEX, KEPT)) and len(parts) > 1 and ".." not in parts and "\x00" not in name


def _unpack(content: IO[bytes], target: Path) -> str:
    digest = hashlib.sha256()
    with storage_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            while part := content.read(1 << 20):
                digest.update(part)
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
    return digest.hexdigest()


def _put_corpus(source: Path, target: Path, names: Mapping[str, str], *, replace_corpus: bool) -> None:
    wanted = {name.removeprefix(CORPUS): digest for name, digest in names.items() if name.startswith(CORPUS)}
    if _checksums(target) == wanted:
        return
    with storage_errors(target):
        source.mkdir(exist_ok=True)
        source.chmod(0o755)
        if target.is_dir() and any(target.iterdir()):
            if not replace_corpus:
                raise RequestError(
                    f"The corpus folder {target} holds other files.",
                    "Name another with --corpus-dir, or put it aside with --replace.",
                )
            target.rename(_free_name(target))
        elif target.is_dir():
            target.rmdir()
        source.rename(target)
        fsync_path(target.parent)


def _free_name(target: Path) -> Path:
    name, number = target.with_name(f"{target.name}.before-restore"), 1
    while name.exists():
        number += 1
        name = target.with_name(f"{target.name}.before-restore-{number}")
    return name


def _checksums(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else ()
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@contextmanager
def _aside(parent: Path, prefix: str) -> Iterator[Path]:
    with storage_errors(parent):
        parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=prefix))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
