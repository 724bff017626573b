"""Which files of a corpus folder are documents, and why the others are not. The files of zip archives count too."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from ingest.cleaning import normalise_name
from ingest.loaders.archive import members
from ingest.loaders.base import LoadLimits
from ingest.loaders.registry import ARCHIVE_SUFFIX, is_readable, suffix_of
from ingest.report import FileNote
from kb.errors import CorpusError, DocumentError
from kb.specs.sheet import DOC_PREFIX

IGNORE_FILE = ".gpukbignore"
"""Lists, one pattern a line, what below the corpus folder is no document: `specs/`, `*.log`, `notes/draft.md`."""

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, and the name it is listed by.

    Attributes:
        member: which file of the archive `path` it is; empty if it is `path` itself.
    """

    path: Path
    doc_id: str
    member: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a corpus folder holds, by `doc_id`.

    Attributes:
        skipped: what is no document.
        failed: archives that cannot be opened.
    """

    files: tuple[FoundFile, ...]
    skipped: tuple[FileNote, ...]
    failed: tuple[FileNote, ...] = ()


def scan(corpus_dir: Path, limits: LoadLimits | None = None) -> Scan:
    """Find the documents below a folder, and inside the archives there.

    Raises:
        CorpusError: there is no such folder, or it cannot be listed.
    """
    require_folder(corpus_dir)
    return _Scanner(corpus_dir.resolve(), limits or LoadLimits()).scan()


class _Scanner:
    def __init__(self, root: Path, limits: LoadLimits) -> None:
        self._root = root
        self._limits = limits
        self._patterns = _ignore_patterns(root)
        self._files: dict[str, FoundFile] = {}
        self._skipped: list[FileNote] = []
        self._failed: list[FileNote] = []

    def scan(self) -> Scan:
        """All files, sorted by name."""
        for file in _walk(self._root, "", self._skipped):
            doc_id = normalise_name(file.name)
            if not _is_text(doc_id):
                self._skip(ascii(doc_id).strip("'\""), "its name is not valid UTF-8")
                continue
            reason = _reason_to_skip(file.entry, doc_id, self._root, self._patterns)
            if reason is not None:
                self._skip(doc_id, reason)
            elif suffix_of(file.entry.name) == ARCHIVE_SUFFIX:
                self._archive(Path(file.entry.path), doc_id)
            else:
                self._add(FoundFile(Path(file.entry.path), doc_id))
        return Scan(
            tuple(self._files[doc_id] for doc_id in sorted(self._files)),
            tuple(sorted(self._skipped, key=lambda note: note.doc_id)),
            tuple(sorted(self._failed, key=lambda note: note.doc_id)),
        )

    def _archive(self, path: Path, archive_id: str) -> None:
        try:
            found = members(path, self._limits)
        except DocumentError as error:
            self._failed.append(FileNote(archive_id, "scan", error.message))
            return
        if not found:
            self._add(FoundFile(path, archive_id))
        for member in found:
            doc_id = normalise_name(f"{archive_id}/{member.shown}")
            if not _is_text(doc_id):
                self._skip(ascii(doc_id).strip("'\""), "its name is not valid UTF-8")
                continue
            reason = member.refusal or _reason_by_name(member.shown.rsplit("/", 1)[-1], doc_id, self._patterns)
            if reason is not None:
                self._skip(doc_id, reason)
            else:
                self._add(FoundFile(path, doc_id, member.name))

    def _add(self, file: FoundFile) -> None:
        known = self._files.setdefault(file.doc_id, file)
        if known is not file:
            other = "another file has the same name"
            self._skip(file.doc_id, other if file.member or known.member else f"{other} in another Unicode spelling")

    def _skip(self, doc_id: str, reason: str) -> None:
        if reason:
            self._skipped.append(FileNote(doc_id, "scan", reason))


def _is_text(name: str) -> bool:
    """Whether a name can be written down; bytes that are no UTF-8 come as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def require_folder(corpus_dir: Path) -> None:
    """Refuse a corpus that is no folder, before anything slow begins.

    Raises:
        CorpusError: there is no such folder, or this user may not look into it.
    """
    if not corpus_dir.is_dir():
        what = "is not a folder" if corpus_dir.exists() else "does not exist"
        raise CorpusError(f"The corpus folder {corpus_dir} {what}.", "Name a folder of documents with --corpus-dir.")
    if not os.access(corpus_dir, os.R_OK | os.X_OK):
        raise CorpusError(f"The corpus folder {corpus_dir} cannot be listed.", "Check its permissions.")


class _Listed(NamedTuple):
    """A file as the folder lists it; `name` is its path below the corpus folder."""

    entry: os.DirEntry[str]
    name: str


def _walk(folder: Path, name: str, skipped: list[FileNote]) -> Iterator[_Listed]:
    """All files below a folder, which has a `name` of its own below the corpus folder, ending in `/`, or none."""
    # Not pathlib: for 10,000 files it takes three times as long, and each build that changes nothing waits for it.
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        if not name:
            raise CorpusError(
                f"The corpus folder {folder} cannot be listed: {error.strerror}.", "Check its permissions."
            ) from error
        reason = f"the folder cannot be listed: {error.strerror}"
        skipped.append(FileNote(normalise_name(name.removesuffix("/")), "scan", reason))
        return
    for entry in entries:
        if not _is(entry.is_dir):
            yield _Listed(entry, name + entry.name)
        elif entry.is_symlink():
            skipped.append(FileNote(normalise_name(name + entry.name), "scan", "a linked folder is not followed"))
        elif not entry.name.startswith(".") and entry.name not in _SKIPPED_FOLDERS:
            yield from _walk(Path(entry.path), f"{name}{entry.name}/", skipped)


def _is(kind: Callable[[], bool]) -> bool:
    """Whether an entry is of a kind; a link that leads nowhere, or to itself, is of none."""
    try:
        return kind()
    except OSError:
        return False


def _reason_to_skip(entry: os.DirEntry[str], doc_id: str, root: Path, patterns: tuple[str, ...]) -> str | None:
    """Why a file is no document; empty if nobody needs to be told; None if it is one."""
    reason = _reason_by_name(entry.name, doc_id, patterns)
    if reason is not None:
        return reason
    if not _is(entry.is_file):
        return "not a regular file"
    if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(root):
        return "a link that leads out of the corpus folder"
    return None


def _reason_by_name(name: str, doc_id: str, patterns: tuple[str, ...]) -> str | None:
    """The same, as far as a name tells."""
    if name == IGNORE_FILE or _is_ignored(doc_id, patterns):
        return ""
    if name.startswith("."):
        return "a hidden file"
    if name.startswith("~$"):
        return "a lock file of an office program"
    if doc_id.startswith(DOC_PREFIX) and not suffix_of(name):  # citations of a card's figures lead there
        return f"names like {DOC_PREFIX}… without an ending are those of the catalogue's own pages; give it one, as .md"
    return _unsupported(name)


def _unsupported(name: str) -> str | None:
    if is_readable(name):
        return None
    return f"{suffix_of(name)} files cannot be read"


def _ignore_patterns(root: Path) -> tuple[str, ...]:
    path = root / IGNORE_FILE
    if not path.is_file():
        return ()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} cannot be read: {error}.", "Write one pattern a line, in UTF-8.") from error
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def _is_ignored(doc_id: str, patterns: tuple[str, ...]) -> bool:
    return any(
        doc_id.startswith(pattern) if pattern.endswith("/") else fnmatchcase(doc_id, pattern) for pattern in patterns
    )
