"""Found passages as evidence that an answer can cite."""

from __future__ import annotations

from kb.answer.draft import Evidence
from kb.index.generation import Generation
from kb.types import Hit

_VERSION_DIGITS = 12


def evidence_of(hit: Hit, generation: Generation) -> Evidence:
    """The passage of a hit, with where it stands."""
    chunk = hit.chunk
    document = generation.documents.summary(chunk.doc_id)
    metadata = document.metadata
    return Evidence(
        key=chunk.chunk_id,
        doc_id=chunk.doc_id,
        title=document.title,
        kind="table" if chunk.kind == "table" else "text",
        text=chunk.text,
        start=chunk.start,
        end=chunk.end,
        section=" › ".join(chunk.heading_path),
        page=chunk.page,
        page_end=chunk.page_end,
        url=_text(metadata.get("url")),
        doc_version=document.sha256[:_VERSION_DIGITS],
        published=_text(metadata.get("published") or metadata.get("as_of")),
        score=hit.score,
        contributions=hit.contributions,
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)
