"""Sources as they are sent, and the address under which each opens."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from kb.types import Contributions, Source
from kb.wire.common import Scores, SourceOut


def page_url(doc_id: str, page: int | None, start: int, end: int, generation: str = "") -> str:
    """The path that shows a passage with its words marked, as it stood in a generation of the index if one is named."""
    query = urlencode({"start": start, "end": end, **({"generation": generation} if generation else {})})
    return f"/v1/documents/{quote(doc_id)}/pages/{page or 1}?{query}#quote"


def source_out(source: Source, generation: str) -> SourceOut:
    """A source of an answer that was made from a generation of the index."""
    return SourceOut(
        id=source.source_id,
        index=source.index,
        doc_id=source.doc_id,
        title=source.title,
        page=source.page,
        page_end=source.page_end,
        section=source.section,
        kind=source.kind,
        text=source.text,
        start=source.start,
        end=source.end,
        url=source.url,
        page_url=page_url(source.doc_id, source.page, source.start, source.end, generation),
        doc_version=source.doc_version,
        published=source.published,
        score=source.score,
        scores=scores_out(source.contributions),
    )


def scores_out(contributions: Contributions) -> Scores:
    """The ratings of each leg."""
    return Scores(
        dense=contributions.dense,
        sparse=contributions.sparse,
        rerank=contributions.rerank,
        cross=contributions.cross,
    )
