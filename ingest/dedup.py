"""The same passage in several documents is indexed once and names them all.

Two passages are the same if nothing but white space differs. A long passage of prose speaks for itself; a short one,
a table or code means something only under its title and headings (`TDP: 700 W`), so these must be the same too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ingest.prepared import PreparedChunk
from kb.types import Chunk

_SPEAKS_FOR_ITSELF_CHARS = 400


def merge_duplicates(chunks: Iterable[PreparedChunk]) -> tuple[PreparedChunk, ...]:
    """Chunks without those that an earlier document already has; the kept one lists the others in `also_in`.

    Passages repeated within one document all stay: each has its own place to cite.
    """
    kept: list[PreparedChunk] = []
    first: dict[bytes, int] = {}
    also_in: dict[int, list[str]] = {}
    for chunk in chunks:
        index = first.get(chunk.likeness)
        if index is None or kept[index].entry.doc_id == chunk.entry.doc_id:
            first.setdefault(chunk.likeness, len(kept))
            kept.append(chunk)
            continue
        sources = also_in.setdefault(index, [])
        if chunk.entry.doc_id not in sources:
            sources.append(chunk.entry.doc_id)
    for index, doc_ids in also_in.items():
        kept[index] = kept[index].shared_with(doc_ids)
    return tuple(kept)


def likeness_of(chunk: Chunk) -> bytes:
    """A digest of what makes passages the same."""
    body = " ".join(chunk.text.split())
    if chunk.kind != "text" or len(body) < _SPEAKS_FOR_ITSELF_CHARS:
        body = "\x00".join((*chunk.embed_texts, *chunk.heading_path, chunk.caption, body))
    return hashlib.sha256(f"{chunk.kind}\x00{body}".encode("utf-8", "surrogatepass")).digest()
