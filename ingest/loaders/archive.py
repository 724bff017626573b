"""Documents inside a zip archive: what they are called, which are refused, and their bytes.

A document of an archive is `archive.zip/inner/name.md`. Nothing is ever unpacked to the disk.
"""

from __future__ import annotations

import stat
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from ingest.loaders.base import LoadLimits
from ingest.loaders.container import open_container, read_entry
from ingest.loaders.sniffing import format_of
from kb.errors import DocumentError

_UTF8_NAMES = 0x800
_SKIPPED_FOLDERS = ("__MACOSX/",)


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive.

    Attributes:
        name: as the archive stores it; what `read_member` takes.
        shown: as a reader sees it, with `/`.
        refusal: why it is left out; empty if it is not.
    """

    name: str
    shown: str
    refusal: str = ""


def members(path: Path, limits: LoadLimits) -> tuple[Member, ...]:
    """Files of an archive, in order of their names; none if the file is no archive but a document itself.

    Raises:
        DocumentError: it is damaged, holds nothing, or too much.
    """
    try:
        if path.stat().st_size > limits.max_bytes:
            raise DocumentError(f"It is larger than {limits.max_bytes // 1024 // 1024} MiB.", "Split the archive.")
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"It cannot be opened: {error.strerror or error}.") from error
    if format_of(data, limits) != ".zip":
        return ()
    with open_container(data, limits) as container:
        found = [_member(entry) for entry in container.infolist() if not entry.is_dir()]
    found = [member for member in found if not member.shown.startswith(_SKIPPED_FOLDERS)]
    if not found:
        raise DocumentError("It is an archive without files.")
    return tuple(sorted(found, key=lambda member: member.shown))


def read_member(path: Path, name: str, limits: LoadLimits) -> bytes:
    """The bytes of one file of an archive.

    Raises:
        DocumentError: it is protected, damaged or too large.
    """
    try:
        changed = path.stat().st_mtime_ns
        return read_entry(_opened(path, changed, limits), name, limits.max_bytes)
    except OSError as error:
        raise DocumentError(f"Its archive cannot be opened: {error.strerror or error}.") from error


@lru_cache(maxsize=1)  # the files of an archive are read one after the other
def _opened(path: Path, changed_ns: int, limits: LoadLimits) -> zipfile.ZipFile:
    return open_container(path.read_bytes(), limits)


def _member(entry: zipfile.ZipInfo) -> Member:
    shown = _shown(entry).replace("\\", "/")
    parts = PurePosixPath(shown).parts
    if shown.startswith("/") or ".." in parts or (parts and ":" in parts[0]) or any(ord(char) < 32 for char in shown):
        return Member(entry.filename, shown, "its name leads out of the archive, or is no file name")
    if stat.S_ISLNK(entry.external_attr >> 16):
        return Member(entry.filename, shown, "a link inside an archive is not followed")
    return Member(entry.filename, "/".join(part for part in parts if part != "."))


def _shown(entry: zipfile.ZipInfo) -> str:
    """A name as it was meant: old programs write the bytes of their own encoding without saying which."""
    if entry.flag_bits & _UTF8_NAMES or entry.filename.isascii():
        return entry.filename
    try:
        raw = entry.filename.encode("cp437")
    except UnicodeEncodeError:
        return entry.filename
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return entry.filename
