from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from kb.errors import StorageError
from kb.storage import locked, publish_folder, storage_errors, write_bytes_durably


@pytest.mark.parametrize(
    ("code", "hint"), [(errno.ENOSPC, "free some space"), (errno.EROFS, "read only"), (errno.EACCES, "Permission")]
)
def test_what_the_disk_says_becomes_one_line(tmp_path, code, hint):
    with pytest.raises(StorageError) as caught, storage_errors(tmp_path):
        raise OSError(code, os.strerror(code), str(tmp_path / "file"))
    assert caught.value.message == f"Cannot write {tmp_path / 'file'}: {os.strerror(code)}."
    assert hint in caught.value.hint


def test_a_full_device(tmp_path):
    with (
        pytest.raises(StorageError, match="No space left"),
        storage_errors(tmp_path),
        Path("/dev/full").open("wb") as full,
    ):
        full.write(b"x" * 100_000)


def test_a_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "CURRENT"
    write_bytes_durably(path, b"one")
    write_bytes_durably(path, b"two")
    assert path.read_bytes() == b"two"
    assert [other.name for other in tmp_path.iterdir()] == ["CURRENT"]
    with pytest.raises(StorageError, match="No such file"):
        write_bytes_durably(tmp_path / "missing" / "file", b"x")


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "cache" / "model"

    def fail(folder):
        (folder / "half").write_text("x")
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        publish_folder(target, fail)
    assert list((tmp_path / "cache").iterdir()) == []
    publish_folder(target, lambda folder: (folder / "one").write_text("1"))
    publish_folder(target, lambda folder: (folder / "two").write_text("2"))  # too late: the first one stays
    assert [path.name for path in target.iterdir()] == ["one"]
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["model"]


def test_a_lock_excludes_and_is_waited_for(tmp_path):
    path = tmp_path / "folder" / ".lock"
    order = []

    def wait():
        with locked(path, wait=True) as obtained:
            order.append(obtained)

    with locked(path, wait=False) as first:
        with locked(path, wait=False) as second:
            assert (first, second) == (True, False)
        waiter = threading.Thread(target=wait)
        waiter.start()
        order.append("holder")
    waiter.join()
    assert order == ["holder", True]
