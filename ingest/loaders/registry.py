"""Which loader reads which file, and everything that loading has in common for all formats."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.cleaning import is_blank, without_lone_surrogates
from ingest.loaders.base import Loader, LoadLimits, Parsed, SourceFile
from ingest.loaders.csv_table import CsvLoader
from ingest.loaders.data import JsonLinesLoader, JsonLoader, YamlLoader
from ingest.loaders.html import HtmlLoader
from ingest.loaders.markdown import MarkdownLoader
from ingest.loaders.text import TextLoader
from kb.errors import DocumentError
from kb.text import language_of
from kb.types import Document, Language

LOADERS: Mapping[str, Loader] = {
    ".md": MarkdownLoader(),
    ".markdown": MarkdownLoader(),
    ".html": HtmlLoader(),
    ".htm": HtmlLoader(),
    ".txt": TextLoader(),
    ".csv": CsvLoader(),
    ".tsv": CsvLoader(),
    ".json": JsonLoader(),
    ".jsonl": JsonLinesLoader(),
    ".ndjson": JsonLinesLoader(),
    ".yaml": YamlLoader(),
    ".yml": YamlLoader(),
}
"""By lower-case suffix."""

PLANNED: frozenset[str] = frozenset({".pdf", ".docx", ".doc", ".xlsx", ".xls", ".pptx", ".rst"})
"""Formats that are known and cannot be read yet."""

_SUFFIX = re.compile(r"\.(?=\w*[a-z])\w{1,10}")
_SNIFFED_BYTES = 1024
_UNSTATED_NAMES = frozenset({"readme", "index"})
_MIN_PROSE_CHARS = 20
_LANGUAGE_SAMPLE_CHARS = 20_000


def suffix_of(name: str) -> str:
    """A file's suffix in lower case, with its dot; empty for `Makefile`, `notes v1.2` and `v1.2 final notes`."""
    suffix = Path(name).suffix.lower()
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def is_readable(name: str) -> bool:
    """Whether a file of this name can be a document. One without suffix can: its content decides."""
    suffix = suffix_of(name)
    return not suffix or suffix in LOADERS


def _loader_for(doc_id: str, data: bytes) -> Loader | None:
    suffix = suffix_of(doc_id)
    if suffix:
        return LOADERS.get(suffix)
    head = data[:_SNIFFED_BYTES].lstrip().lower()
    if head.startswith((b"<!doctype html", b"<html")):
        return LOADERS[".html"]
    return LOADERS[".md" if head.startswith((b"# ", b"---\n")) or b"\n## " in head else ".txt"]


def load(path: Path, doc_id: str, limits: LoadLimits | None = None) -> Document:
    """Read one file.

    Args:
        path: the file.
        doc_id: its path relative to the corpus folder, with `/`, NFC-normalised.
        limits: bounds against hostile files.

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
    return load_bytes(data, doc_id, limits)


def load_bytes(data: bytes, doc_id: str, limits: LoadLimits | None = None) -> Document:
    """Read a file whose bytes are at hand; see `load`."""
    loader = _loader_for(doc_id, data)
    if loader is None:
        raise DocumentError(f"{suffix_of(doc_id)} files cannot be read.")
    if not data:
        raise DocumentError("It is empty (0 bytes).")
    source = SourceFile(doc_id, data, limits or LoadLimits())
    parsed = loader.parse(source)
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
        warnings=parsed.warnings,
    )


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
