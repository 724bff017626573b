"""Zip containers, opened only if what they hold is bounded: a bomb says its size before it is unpacked."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib

from ingest.loaders.base import LoadLimits
from kb.errors import DocumentError

_END_OF_DIRECTORY = b"PK\x05\x06"
_MAX_COMMENT_BYTES = 65_535
_BYTES_PER_ENTRY = 320
"""Of the directory: 46 and a long name."""
_MAX_RATIO = 200
_RATIO_FROM_BYTES = 32 * 1024 * 1024
"""A small container may be packed as tightly as it likes."""
_ENCRYPTED = 0x1
_UNPACKING_ERRORS = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
)


def open_container(data: bytes, limits: LoadLimits) -> zipfile.ZipFile:
    """The container, its directory read and found harmless.

    Raises:
        DocumentError: it is damaged, or holds more than the limits allow.
    """
    _refuse_long_directory(data, limits)
    try:
        container = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise DocumentError("It is damaged: its zip container cannot be opened.") from error
    entries = container.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > limits.max_entries:
        raise DocumentError(f"It holds {len(entries)} files; the limit is {limits.max_entries}.")
    if unpacked > limits.max_unpacked_bytes:
        mib = limits.max_unpacked_bytes // 1024 // 1024
        raise DocumentError(f"It unpacks to {unpacked // 1024 // 1024} MiB; the limit is {mib} MiB.")
    if unpacked > _RATIO_FROM_BYTES and unpacked > _MAX_RATIO * len(data):
        raise DocumentError(f"It unpacks to more than {_MAX_RATIO} times its size.")
    return container


def read_entry(container: zipfile.ZipFile, name: str, max_bytes: int) -> bytes:
    """One file of a container.

    Raises:
        DocumentError: it is encrypted, damaged, larger than `max_bytes`, or not there.
    """
    try:
        entry = container.getinfo(name)
        if entry.flag_bits & _ENCRYPTED:
            raise DocumentError("It is protected with a password.")
        if entry.file_size > max_bytes:
            raise DocumentError(f"It unpacks to {entry.file_size} bytes; the limit is {max_bytes}.")
        return container.read(entry)
    except KeyError as error:
        raise DocumentError(f"It is damaged: {name} is missing in it.") from error
    except _UNPACKING_ERRORS as error:
        raise DocumentError(f"It is damaged: {name} cannot be unpacked.") from error


def _refuse_long_directory(data: bytes, limits: LoadLimits) -> None:
    """Refuse a directory that alone would fill the memory once it is read."""
    at = data.rfind(_END_OF_DIRECTORY, max(0, len(data) - _MAX_COMMENT_BYTES - 22))
    if at < 0 or at + 22 > len(data):
        raise DocumentError("It is damaged: its zip container has no directory.")
    directory_bytes = struct.unpack_from("<I", data, at + 12)[0]
    if directory_bytes > limits.max_entries * _BYTES_PER_ENTRY:
        raise DocumentError(f"It holds more than {limits.max_entries} files.")
