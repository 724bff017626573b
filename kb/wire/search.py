"""`/v1/search`: found passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.types import STAGES, Hit, SearchResult
from kb.wire.common import IndexRef, Listing, SourceOut
from kb.wire.sources import page_url, scores_out

if TYPE_CHECKING:
    from kb.index.generation import Generation


class SearchOut(Listing):
    """Found passages, best first."""

    data: list[SourceOut]
    timings_ms: dict[str, float | None]
    index: IndexRef
    warnings: list[str]


def search_out(result: SearchResult, generation: Generation) -> SearchOut:
    """A search's result as it is sent."""
    manifest = generation.manifest
    return SearchOut(
        data=[_found(hit, generation) for hit in result.hits],
        timings_ms={str(stage): result.timings_ms.get(stage) for stage in STAGES},
        index=IndexRef(generation=manifest.generation, built_at=manifest.built_at),
        warnings=list(result.warnings),
    )


def _found(hit: Hit, generation: Generation) -> SourceOut:
    document = generation.documents.get(hit.chunk.doc_id)
    metadata = document.metadata
    return hit_out(
        hit,
        title=document.title,
        url=metadata.get("url"),
        doc_version=document.sha256[:12],
        published=str(metadata["published"]) if metadata.get("published") else None,
        generation=generation.name,
    )


def hit_out(
    hit: Hit, *, title: str, url: str | None, doc_version: str, published: str | None, generation: str
) -> SourceOut:
    """A found passage."""
    chunk = hit.chunk
    return SourceOut(
        id=f"src_{chunk.chunk_id}",
        index=hit.rank,
        doc_id=chunk.doc_id,
        title=title,
        page=chunk.page,
        page_end=chunk.page_end,
        section=" › ".join(chunk.heading_path),
        kind="table" if chunk.kind == "table" else "text",
        text=chunk.text,
        start=chunk.start,
        end=chunk.end,
        url=url,
        page_url=page_url(chunk.doc_id, chunk.page, hit.piece.start, hit.piece.end, generation),
        doc_version=doc_version,
        published=published,
        score=hit.score,
        scores=scores_out(hit.contributions),
    )
