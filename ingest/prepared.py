"""A document that is ready for an index: read, cut, encoded, its terms counted. All that a build asks of it again."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise

from kb.index.entries import ChunkEntry, DocumentEntry


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """One chunk.

    Attributes:
        likeness: equal for passages that are the same, see `ingest.dedup`.
        text_keys: of each text to embed its name, see `ingest.embedding`.
    """

    entry: ChunkEntry
    likeness: bytes
    text_keys: tuple[bytes, ...]

    def shared_with(self, doc_ids: Sequence[str]) -> PreparedChunk:
        """The same where other documents hold the passage too."""
        return replace(self, entry=self.entry.shared_with(doc_ids))

    def embed_text(self, piece: int) -> str:
        """What is embedded for a piece."""
        text: str = self.entry.fields()["embed_texts"][piece]
        return text


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """One document and its chunks, before duplicates are merged.

    Attributes:
        warnings: what was odd about it.
    """

    entry: DocumentEntry
    warnings: tuple[str, ...]
    chunks: tuple[PreparedChunk, ...]


def packed(document: PreparedDocument, terms: int) -> bytes:
    """A document as bytes that carry a checksum: a list of what is in it, and behind that all parts in a row.

    Args:
        document: to keep.
        terms: how many have a number that its terms were counted with.
    """
    parts = [document.entry.line, document.entry.head]
    chunks = []
    for chunk in document.chunks:
        entry = chunk.entry
        parts += [entry.line, entry.words, entry.bigrams, chunk.likeness, *chunk.text_keys]
        chunks.append((entry.chunk_id, entry.ordinal, entry.language, entry.pieces))
    contents = {
        "doc_id": document.entry.doc_id,
        "sha256": document.entry.sha256,
        "warnings": document.warnings,
        "terms": terms,
        "chunks": chunks,
        "sizes": [len(part) for part in parts],
    }
    head = json.dumps(contents, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
    body = head + b"".join(parts)
    return body + zlib.crc32(body).to_bytes(4)


def unpacked(data: object, terms: int) -> PreparedDocument | None:
    """The document that `packed` wrote; None if the bytes are damaged, or count more terms than have a number."""
    if not isinstance(data, bytes) or zlib.crc32(data[:-4]).to_bytes(4) != data[-4:]:
        return None
    head, _, _ = data.partition(b"\n")
    contents = json.loads(head.decode("utf-8", "surrogatepass"))
    if contents["terms"] > terms:
        return None
    ends = accumulate(contents["sizes"], initial=len(head) + 1)
    parts = iter([data[start:end] for start, end in pairwise(ends)])
    doc_id = contents["doc_id"]
    entry = DocumentEntry(doc_id, contents["sha256"], next(parts), next(parts))
    chunks: list[PreparedChunk] = []
    for chunk_id, ordinal, language, pieces in contents["chunks"]:
        line, words, bigrams, likeness = islice(parts, 4)
        chunk = ChunkEntry(chunk_id, doc_id, ordinal, language, pieces, line, words, bigrams)
        chunks.append(PreparedChunk(chunk, likeness, tuple(islice(parts, pieces))))
    return PreparedDocument(entry, tuple(contents["warnings"]), tuple(chunks))
