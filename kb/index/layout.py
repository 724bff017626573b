"""What stands where in a generation's folder."""

from __future__ import annotations

import re
from typing import Final

FORMAT_VERSION: Final = 1
"""Raised whenever a file's meaning changes; an index of another format is rebuilt, not guessed at."""

MANIFEST: Final = "manifest.json"
CATALOG: Final = "catalog.json"
BUILD_RECORD: Final = "build.json"
DOCUMENTS: Final = "documents.jsonl"
DOCUMENT_OFFSETS: Final = "documents.offsets.npy"
DOCUMENT_SUMMARIES: Final = "documents.summaries.json"
CHUNKS: Final = "chunks.jsonl"
CHUNK_OFFSETS: Final = "chunks.offsets.npy"
CHUNK_IDS: Final = "chunks.ids.npy"
CHUNK_DOCUMENTS: Final = "chunks.documents.npy"
CHUNK_LANGUAGES: Final = "chunks.languages.npy"
PIECE_CHUNKS: Final = "pieces.chunks.npy"
PIECE_VECTORS: Final = "pieces.vectors.faiss"
CROSS_VECTORS: Final = "pieces.cross.faiss"
LANGUAGE_MEANS: Final = "pieces.means.{language}.npy"
LEXICAL: Final = "lexical"

_GENERATION_NAME: Final = re.compile(r"gen-(\d{6,})-[0-9a-f]{4}")


def generation_name(number: int, content_digest: str) -> str:
    """`gen-000017-3f9a`: a running number, then the start of the digest over the content."""
    return f"gen-{number:06d}-{content_digest[:4]}"


def generation_number(name: str) -> int | None:
    """The running number in a generation's name; None if it is no such name."""
    match = _GENERATION_NAME.fullmatch(name)
    return int(match.group(1)) if match else None
