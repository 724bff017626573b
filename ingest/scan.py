"""Which files of a corpus folder are documents, and why the others are not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ingest.cleaning import normalise_name
from ingest.loaders.registry import PLANNED, is_readable, suffix_of
from ingest.report import FileNote
from kb.errors import CorpusError
from kb.specs.sheet import DOC_PREFIX

IGNORE_FILE = ".gpukbignore"
"""Lists, one pattern a line, what below the corpus folder is no document: `specs/`, `*.log`, `notes/draft.md`."""

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, and the name it is listed by."""

    path: Path
    doc_id: str


@dataclass(frozen=True, slots=True)
class Scan:
    """What a corpus folder holds, by `doc_id`."""

    files: tuple[FoundFile, ...]
    skipped: tuple[FileNote, ...]


def scan(corpus_dir: Path) -> Scan:
    """Find the documents below a folder.

    Raises:
        CorpusError: there is no such folder, or it cannot be listed.
    """
    require_folder(corpus_dir)
    root = corpus_dir.resolve()
    patterns = _ignore_patterns(root)
    files: dict[str, FoundFile] = {}
    skipped: list[FileNote] = []
    for path in _walk(root, skipped):
        doc_id = normalise_name(path.relative_to(root).as_posix())
        if not _is_text(doc_id):
            skipped.append(FileNote(ascii(doc_id).strip("'\""), "scan", "its name is not valid UTF-8"))
            continue
        reason = _reason_to_skip(path, doc_id, root, patterns)
        if reason is None and doc_id in files:
            reason = "another file has the same name in another Unicode spelling"
        if reason is None:
            files[doc_id] = FoundFile(path, doc_id)
        elif reason:
            skipped.append(FileNote(doc_id, "scan", reason))
    ordered = tuple(files[doc_id] for doc_id in sorted(files))
    return Scan(ordered, tuple(sorted(skipped, key=lambda note: note.doc_id)))


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


def _walk(root: Path, skipped: list[FileNote]) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        if Path(error.filename) == root:
            raise CorpusError(f"The corpus folder {root} cannot be listed: {error.strerror}.", "Check its permissions.")
        name = normalise_name(Path(error.filename).relative_to(root).as_posix())
        skipped.append(FileNote(name, "scan", f"the folder cannot be listed: {error.strerror}"))

    for folder, folders, names in os.walk(root, onerror=unreadable):
        here = Path(folder)
        for name in sorted(folders):
            if (here / name).is_symlink():
                doc_id = normalise_name((here / name).relative_to(root).as_posix())
                skipped.append(FileNote(doc_id, "scan", "a linked folder is not followed"))
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _SKIPPED_FOLDERS and not (here / name).is_symlink()
        )
        yield from (here / name for name in sorted(names))


def _reason_to_skip(path: Path, doc_id: str, root: Path, patterns: tuple[str, ...]) -> str | None:
    """Why a file is no document; empty if nobody needs to be told; None if it is one."""
    name = path.name
    if name == IGNORE_FILE or _is_ignored(doc_id, patterns):
        return ""
    if name.startswith("."):
        return "a hidden file"
    if name.startswith("~$"):
        return "a lock file of an office program"
    if not path.is_file():  # nor a link to one: it leads nowhere, or to itself
        return "not a regular file"
    if path.is_symlink() and not path.resolve().is_relative_to(root):
        return "a link that leads out of the corpus folder"
    if doc_id.startswith(DOC_PREFIX) and not suffix_of(name):  # citations of a card's figures lead there
        return f"names like {DOC_PREFIX}… without an ending are those of the catalogue's own pages; give it one, as .md"
    return _unsupported(name)


def _unsupported(name: str) -> str | None:
    if is_readable(name):
        return None
    suffix = suffix_of(name)
    return f"{suffix} files cannot be read" + (" yet" if suffix in PLANNED else "")


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
