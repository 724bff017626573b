"""Sources as they are sent, and the address under which each opens."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from kb.types import Contributions, Source
from kb.wire.common import Scores, SourceOut


def page_url(doc_id: str, page: int | None, start: int, end: int) -> str:
    """The path that shows a passage with its words marked."""
    return f"/v1/documents/{quote(doc_id)}/pages/{page or 1}?{urlencode({'start': start, 'end': end})}#quote"


def source_out(source: Source) -> SourceOut:
    """A source of an answer."""
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
        page_url=page_url(source.doc_id, source.page, source.start, source.end),
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
