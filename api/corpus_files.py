"""The corpus folder as the service changes it: documents put in whole or not at all, and taken out."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from api.problems import ProblemError
from kb.storage import fsync_path, storage_errors

_ASIDE: Final = ".upload-"
_MAX_NAME_BYTES: Final = 255
_MAX_PATH_BYTES: Final = 1000
_LEFTOVER_AGE_S: Final = 3600.0


class CorpusFiles:
    """Files below one folder, by `doc_id`.

    Args:
        folder: the corpus folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._uploaded: set[str] = set()

    def put(self, doc_id: str, content: IO[bytes], is_document: Callable[[str], bool]) -> bool:
        """Write a document in one step; whether it replaced one.

        Args:
            doc_id: as `safe_doc_id` gives it.
            content: read to its end.
            is_document: whether an existing file is a document; others are not replaced.

        Raises:
            ProblemError: the place is taken by something else.
            StorageError: the disk is full or the folder cannot be written; nothing is changed.
        """
        existing = self.find(doc_id)
        if existing is not None and not (doc_id in self._uploaded or is_document(doc_id)):
            raise _wrong_name(
                f"There is a file {doc_id} that is no document.", f"已有同名文件 {doc_id}，但它不是文档。"
            )
        target = existing or self._folder / doc_id
        with storage_errors(target):
            self._make_folder(target.parent)
            descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=_ASIDE)
            aside = Path(name)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    shutil.copyfileobj(content, file, 1 << 20)
                    file.flush()
                    os.fsync(file.fileno())
                aside.chmod(0o644)
                self._uploaded.add(doc_id)  # before it is there: who finds it may replace it
                aside.replace(target)
            except BaseException:
                aside.unlink(missing_ok=True)
                raise
            fsync_path(target.parent)
        return existing is not None

    def delete(self, doc_id: str, is_document: Callable[[str], bool]) -> bool:
        """Delete a document's file; False if there is none, or it is no document.

        Raises:
            ProblemError: the document is inside an archive.
            StorageError: the folder cannot be written.
        """
        found = self.find(doc_id)
        if found is None:
            archive = self._archive_of(doc_id)
            if archive and is_document(doc_id):
                raise ProblemError(
                    "invalid_request",
                    f"{doc_id} is inside the archive {archive}; delete or replace that.",
                    f"{doc_id} 在压缩包 {archive} 内，请删除或替换该压缩包。",
                )
            return False
        if not (doc_id in self._uploaded or is_document(doc_id) or is_document(f"{doc_id}/")):
            return False
        with storage_errors(found):
            found.unlink(missing_ok=True)
            fsync_path(found.parent)
        self._uploaded.discard(doc_id)
        return True

    def find(self, doc_id: str) -> Path | None:
        """The file of a document, however its name is composed; None if there is none below the folder."""
        place = self._folder
        for part in doc_id.split("/"):
            following = _child(place, part)
            if following is None:
                return None
            place = following
        is_inside = place.resolve().is_relative_to(self._folder.resolve())
        return place if is_inside and place.is_file() else None

    def remove_leftovers(self) -> None:
        """Delete what interrupted uploads left."""
        for path in self._folder.glob(f"{_ASIDE}*"):
            if path.is_file() and time.time() - path.stat().st_mtime > _LEFTOVER_AGE_S:
                path.unlink(missing_ok=True)

    def _make_folder(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if not folder.resolve().is_relative_to(self._folder.resolve()):
            raise _wrong_name("The folder leads out of the corpus.", "该文件夹在语料目录之外。")

    def _archive_of(self, doc_id: str) -> str:
        parts = doc_id.split("/")
        above = ("/".join(parts[:count]) for count in range(1, len(parts)))
        return next((name for name in above if self.find(name)), "")


def safe_doc_id(filename: str, folder: str = "") -> str:
    """The `doc_id` of an uploaded file: its last name below a folder, whatever path the client sent with it.

    Raises:
        ProblemError: no file can have that name here, and why.
    """
    name = filename.replace("\\", "/").rsplit("/", 1)[-1]
    parts = [*(part for part in folder.replace("\\", "/").split("/") if part), name]
    doc_id = unicodedata.normalize("NFC", "/".join(parts))
    for part in doc_id.split("/"):
        _check_name(part)
    if len(doc_id.encode()) > _MAX_PATH_BYTES:
        raise _wrong_name(
            f"A document's name with its folders may have {_MAX_PATH_BYTES} bytes.",
            f"文档名（含文件夹）至多 {_MAX_PATH_BYTES} 字节。",
        )
    return doc_id


def _check_name(name: str) -> None:
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise _wrong_name("The file name is not valid Unicode.", "文件名不是有效的 Unicode 文本。") from None
    if size > _MAX_NAME_BYTES:
        raise _wrong_name(
            f"A file name may have {_MAX_NAME_BYTES} bytes; this one has {size}.",
            f"文件名至多 {_MAX_NAME_BYTES} 字节，此文件名有 {size} 字节。",
        )
    if not name.strip() or any(unicodedata.category(char) == "Cc" for char in name):
        raise _wrong_name("The file name is empty or holds control characters.", "文件名为空或含有控制字符。")
    if name.startswith((".", "~$")):
        raise _wrong_name(f"{name}: hidden and lock files are not indexed.", f"{name}：隐藏文件和锁文件不会被索引。")


def _child(folder: Path, name: str) -> Path | None:
    if name in {"", ".", ".."} or "\x00" in name:
        return None
    wanted = unicodedata.normalize("NFC", name)
    try:
        exact = folder / name
        if exact.exists():
            return exact
        return next((path for path in folder.iterdir() if unicodedata.normalize("NFC", path.name) == wanted), None)
    except (OSError, ValueError):  # a name that no file can have
        return None


def _wrong_name(en: str, zh: str) -> ProblemError:
    return ProblemError("validation_failed", en, zh, [{"loc": "file", "msg": en}])
