"""Which loader reads which file, and everything that loading has in common for all formats."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ingest.cleaning import is_blank, without_lone_surrogates
from ingest.loaders.base import Loader, LoadLimits, Parsed, SourceFile
from ingest.loaders.csv_table import CsvLoader
from ingest.loaders.data import JsonLinesLoader, JsonLoader, YamlLoader
from ingest.loaders.doc import DocLoader
from ingest.loaders.docx import DocxLoader
from ingest.loaders.epub import EpubLoader
from ingest.loaders.html import HtmlLoader
from ingest.loaders.markdown import MarkdownLoader
from ingest.loaders.pdf import PdfLoader
from ingest.loaders.pptx import PptxLoader
from ingest.loaders.rst import RstLoader
from ingest.loaders.sniffing import format_of
from ingest.loaders.text import TextLoader
from ingest.loaders.xls import XlsLoader
from ingest.loaders.xlsx import XlsxLoader
from kb.errors import DocumentError
from kb.text import language_of
from kb.types import Document, Language

_TEXT_LOADERS: dict[str, Loader] = {
    ".md": MarkdownLoader(),
    ".markdown": MarkdownLoader(),
    ".rst": RstLoader(),
    ".rest": RstLoader(),
    ".html": HtmlLoader(),
    ".htm": HtmlLoader(),
    ".xhtml": HtmlLoader(),
    ".txt": TextLoader(),
    ".csv": CsvLoader(),
    ".tsv": CsvLoader(),
    ".json": JsonLoader(),
    ".jsonl": JsonLinesLoader(),
    ".ndjson": JsonLinesLoader(),
    ".yaml": YamlLoader(),
    ".yml": YamlLoader(),
}
_BINARY_LOADERS: dict[str, Loader] = {
    ".pdf": PdfLoader(),
    ".docx": DocxLoader(),
    ".doc": DocLoader(),
    ".xlsx": XlsxLoader(),
    ".xlsm": XlsxLoader(),
    ".xls": XlsLoader(),
    ".pptx": PptxLoader(),
    ".epub": EpubLoader(),
}
LOADERS: Mapping[str, Loader] = {**_TEXT_LOADERS, **_BINARY_LOADERS}
"""By lower-case suffix."""

ARCHIVE_SUFFIX = ".zip"
"""Holds documents instead of being one; `ingest.loaders.archive` lists them."""

_UNREADABLE = {
    ".encrypted": "It is protected with a password.",
    ".ppt": "It is a PowerPoint file of before 2007; save it as .pptx.",
    ".rtf": "It is a Rich Text file; save it as .docx.",
    ".ole": "It is a file of an office program, but no document, workbook or presentation.",
    ".zip": "It is a zip archive under another name; name it .zip.",
}
"""Formats that are recognised and not read, with the reason."""

_SUFFIX = re.compile(r"\.(?=\w*[a-z])\w{1,10}")
_SNIFFED_BYTES = 1024
_UNSTATED_NAMES = frozenset({"readme", "index"})
_MIN_PROSE_CHARS = 20
_LANGUAGE_SAMPLE_CHARS = 20_000
_MAX_REASON_CHARS = 120


def suffix_of(name: str) -> str:
    """A file's suffix in lower case, with its dot; empty for `Makefile`, `notes v1.2` and `v1.2 final notes`."""
    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122 - a path object costs ten times as much
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def is_readable(name: str) -> bool:
    """Whether a file of this name can be a document. One without suffix can: its content decides."""
    suffix = suffix_of(name)
    return not suffix or suffix in LOADERS or suffix in _UNREADABLE


def _loader_for(doc_id: str, data: bytes, limits: LoadLimits) -> tuple[Loader, tuple[str, ...]]:
    """Who reads the file, by its content first, and a warning where its name says something else."""
    suffix = suffix_of(doc_id)
    found = format_of(data, limits)
    if found in _UNREADABLE:
        is_nested = found == suffix == ARCHIVE_SUFFIX
        raise DocumentError("It is a zip archive inside another one; unpack it." if is_nested else _UNREADABLE[found])
    if found in _BINARY_LOADERS:
        same = suffix in {"", found} or LOADERS.get(suffix) is LOADERS[found] or (found, suffix) == (".xlsx", ".xlsm")
        return LOADERS[found], () if same else (f"its name ends in {suffix}, but it is a {found} file",)
    if suffix in _BINARY_LOADERS or suffix in _UNREADABLE:
        if found == ".html":  # what many programs write when asked for .doc or .xls
            return LOADERS[found], (f"its name ends in {suffix}, but it is a web page",)
        raise DocumentError(f"Its name ends in {suffix}, but it is no such file, or a damaged one.")
    if suffix in LOADERS:
        return LOADERS[suffix], ()
    if suffix:
        raise DocumentError(f"{suffix} files cannot be read.")
    head = data[:_SNIFFED_BYTES].lstrip().lower()
    if found == ".html":
        return LOADERS[found], ()
    return LOADERS[".md" if head.startswith((b"# ", b"---\n")) or b"\n## " in head else ".txt"], ()


def load(
    path: Path, doc_id: str, limits: LoadLimits | None = None, progress: Callable[[], None] = lambda: None
) -> Document:
    """Read one file in this process; `Reader` reads it in another one, under limits of time and memory.

    Args:
        path: the file.
        doc_id: its path relative to the corpus folder, with `/`, NFC-normalised.
        limits: bounds against hostile files.
        progress: as of `SourceFile`.

    Raises:
        DocumentError: it cannot be read or holds no text; the message is a plain reason.
    """
    limits = limits or LoadLimits()
    try:
        size = path.stat().st_size
        if size > limits.max_bytes:
            raise DocumentError(f"It has {_mib(size)}; the limit is {_mib(limits.max_bytes)}.", "Split the file.")
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"It cannot be opened: {error.strerror or error}.") from error
    return load_bytes(data, doc_id, limits, progress)


def load_bytes(
    data: bytes, doc_id: str, limits: LoadLimits | None = None, progress: Callable[[], None] = lambda: None
) -> Document:
    """Read a file whose bytes are at hand; see `load`.

    Args:
        data: the file.
        doc_id: as of `load`.
        limits: as of `load`.
        progress: as of `SourceFile`.
    """
    limits = limits or LoadLimits()
    if not data:
        raise DocumentError("It is empty (0 bytes).")
    loader, notes, parsed = _parse(SourceFile(doc_id, data, limits, progress))
    text = without_lone_surrogates(parsed.text)
    if is_blank(text) or not parsed.blocks:
        raise DocumentError("It holds no text.")
    return Document(
        doc_id=doc_id,
        title=without_lone_surrogates(parsed.title).strip() or fallback_title(doc_id),
        language=_language(parsed),
        text=text,
        blocks=parsed.blocks,
        media_type=loader.media_type,
        encoding=parsed.encoding,
        sha256=hashlib.sha256(data).hexdigest(),
        metadata=parsed.metadata,
        warnings=(*notes, *parsed.warnings),
    )


def _parse(source: SourceFile) -> tuple[Loader, tuple[str, ...], Parsed]:
    try:
        loader, notes = _loader_for(source.doc_id, source.data, source.limits)
        return loader, notes, loader.parse(source)
    except (DocumentError, MemoryError):
        raise
    except RecursionError as error:
        raise DocumentError("It is nested too deeply.") from error
    except Exception as error:
        # Readers of other people's formats meet a damaged file with whatever error comes first: KeyError, struct.error…
        what = " ".join(str(error).split())[:_MAX_REASON_CHARS]
        raise DocumentError(f"It is damaged: {type(error).__name__}{f' ({what})' if what else ''}.") from error


def fallback_title(doc_id: str) -> str:
    """A title from the file's name, for a document that states none."""
    *folders, name = doc_id.split("/")
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    if stem.lower() in _UNSTATED_NAMES and folders:
        return f"{folders[-1]}/{stem}"
    return stem


def _language(parsed: Parsed) -> Language:
    stated: Any = parsed.metadata.get("language") or parsed.metadata.get("lang")
    if isinstance(stated, str):
        if re.match(r"zh|cn|chinese|中文", stated, re.IGNORECASE):
            return "zh"
        if re.match(r"en", stated, re.IGNORECASE):
            return "en"
    prose = "\n".join(
        parsed.text[block.start : block.end] for block in parsed.blocks if block.kind not in {"code", "table"}
    )
    return language_of((prose if len(prose) >= _MIN_PROSE_CHARS else parsed.text)[:_LANGUAGE_SAMPLE_CHARS])


def _mib(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MiB"
