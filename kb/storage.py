"""Writing files so that a crash or a full disk never leaves half of one where somebody looks.

Everything is written aside, flushed to the disk and moved into place by one rename. Failures of the disk become
`StorageError` with one line that says what to do.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kb.errors import StorageError

_HINTS = {
    errno.ENOSPC: "The disk is full: free some space or choose another folder.",
    errno.EDQUOT: "The disk quota is used up: free some space or choose another folder.",
    errno.EROFS: "The file system is read only: choose another folder.",
    errno.EACCES: "Permission was denied: choose a folder that this user may write.",
    errno.EPERM: "Permission was denied: choose a folder that this user may write.",
    errno.ENOTDIR: "A part of this path is a file: choose another folder.",
    errno.EFBIG: "The file would be larger than this system allows.",
    errno.EIO: "The disk reports an error: check it or choose another folder.",
}


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn what the disk refuses while writing below `path` into `StorageError`.

    Raises:
        StorageError: with the path, the reason and what to do.
    """
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        hint = _HINTS.get(error.errno or 0, "Check the folder and its disk, or choose another folder.")
        raise StorageError(f"Cannot write {error.filename or path}: {reason}.", hint) from error


def fsync_path(path: Path) -> None:
    """Wait until a file, or a folder's list of names, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_bytes_durably(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Put `content` at `path` in one step: readers see the old file or the new one, also after a power cut.

    Args:
        path: the file.
        content: all of it.
        mode: permissions; nobody but the owner can read the file before it has them.

    Raises:
        StorageError: if the disk is full or the folder cannot be written; the old file stays.
    """
    with storage_errors(path):
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        aside = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            aside.chmod(mode)
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        fsync_path(path.parent)


def publish_folder(target: Path, fill: Callable[[Path], None]) -> None:
    """Make the folder `target` appear whole: `fill` writes a folder aside, which is then renamed.

    If another process published the same target meanwhile, theirs stays and ours is dropped.

    Raises:
        StorageError: if the disk is full or the folder cannot be written; nothing is left behind.
    """
    with storage_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        try:
            fill(aside)
            for path in sorted(aside.rglob("*")):
                fsync_path(path)
            fsync_path(aside)
            aside.chmod(0o755)
            try:
                aside.rename(target)
            except OSError:
                if not target.is_dir():
                    raise
            fsync_path(target.parent)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock file `path` against other processes and threads; yields whether it was obtained.

    The kernel drops the lock when its holder ends, however it ends, so a crash never leaves the folder locked.

    Args:
        path: the lock file; made if missing, never deleted (deleting it would let two holders in).
        wait: wait for the holder instead of yielding False.
    """
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)
