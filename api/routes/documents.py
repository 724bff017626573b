"""`/v1/documents`: what was indexed, and the page that a citation opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import HTMLResponse, Response

from api.deps import KnowledgeBaseDep, LanguageDep, StateDep
from api.pages import PAGE_CSP, notice_of, page_html, page_spans
from api.problems import ProblemError
from api.schemas.documents import DocumentList, DocumentOut, DocumentPage, DocumentSummary
from kb.types import Span

if TYPE_CHECKING:
    from kb.index.documents import DocumentSummary as DocumentRecord


class _DocumentId(Convertor[str]):
    """Any name a file can have, a line feed in it included."""

    regex = r"[\s\S]+"

    def convert(self, value: str) -> str:
        """The name as it stands in the address."""
        return value

    def to_string(self, value: str) -> str:
        """The name as it stands in the address."""
        return value


register_url_convertor("document", _DocumentId())
router = APIRouter(tags=["Documents"])

_PAGE_RESPONSES: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}}


@router.get("/v1/documents")
async def list_documents(
    kb: KnowledgeBaseDep,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Query(max_length=2000)] = None,
) -> DocumentList:
    """List the indexed documents. The sheets of cards are not listed; their ids are `catalog/<language>/<gpu_id>`."""
    records = kb.generation.documents.summaries()
    start = 0
    if cursor is not None:
        start = next((place + 1 for place, record in enumerate(records) if record.doc_id == cursor), len(records))
    page = records[start : start + limit]
    return DocumentList(
        data=[_summary(record) for record in page],
        total=len(records),
        next_cursor=page[-1].doc_id if page and start + limit < len(records) else None,
    )


@router.get("/v1/documents/{doc_id:document}/pages/{page:int}", response_model=DocumentPage, responses=_PAGE_RESPONSES)
async def get_page(
    doc_id: str,
    page: int,
    request: Request,
    kb: KnowledgeBaseDep,
    state: StateDep,
    language: LanguageDep,
    start: Annotated[int | None, Query(ge=0, description="Where the passage begins in the document's text.")] = None,
    end: Annotated[int | None, Query(ge=0)] = None,
    generation: Annotated[
        str | None, Query(pattern=r"^gen-\d{6,}-[0-9a-f]{4}$", description="Show it as it stood in this generation.")
    ] = None,
) -> Response:
    """Show a page: HTML for a browser, with the passage marked, else JSON."""
    cited = await state.workers.run(state.citations.document, kb, doc_id, language, generation)
    document = cited.document
    spans = page_spans(document)
    if not 1 <= page <= len(spans):
        raise ProblemError("not_found", f"{doc_id} has {len(spans)} pages.", f"{doc_id} 共 {len(spans)} 页。")
    span = spans[page - 1]
    quote = _within(span, start, end) if cited.state != "pruned" else None
    text = document.text[span.start : span.end]
    headers = {"Vary": "Accept, Accept-Language"}
    if _wants_html(request):
        html = page_html(
            doc_id=document.doc_id,
            title=document.title,
            language=document.language,
            text=text,
            quote=quote,
            page=page,
            pages=len(spans),
            notice=notice_of(cited.state, cited.generation, generation, language),
        )
        return HTMLResponse(html, headers={**headers, "Content-Security-Policy": PAGE_CSP})
    out = DocumentPage(
        doc_id=document.doc_id,
        title=document.title,
        page=page,
        pages=len(spans),
        start=span.start,
        end=span.end,
        text=text,
        generation=cited.generation,
        cited_generation=generation,
        state=cited.state,
        quote_start=quote.start if quote else None,
        quote_end=quote.end if quote else None,
    )
    return Response(out.model_dump_json(), media_type="application/json", headers=headers)


@router.get("/v1/documents/{doc_id:document}")
async def get_document(doc_id: str, kb: KnowledgeBaseDep, state: StateDep, language: LanguageDep) -> DocumentOut:
    """Show a document with the text that citations point into."""
    document = (await state.workers.run(state.citations.document, kb, doc_id, language)).document
    generation = kb.generation
    return DocumentOut(
        id=document.doc_id,
        title=document.title,
        language=document.language,
        media_type=document.media_type,
        encoding=document.encoding,
        sha256=document.sha256,
        characters=len(document.text),
        chunks=generation.documents.summary(doc_id).chunks if doc_id in generation.documents else 0,
        warnings=list(document.warnings),
        text=document.text,
        pages=len(page_spans(document)),
        metadata=dict(document.metadata),
    )


def _summary(record: DocumentRecord) -> DocumentSummary:
    return DocumentSummary(
        id=record.doc_id,
        title=record.title,
        language=record.language,
        media_type=record.media_type,
        encoding=record.encoding,
        sha256=record.sha256,
        characters=record.characters,
        chunks=record.chunks,
        warnings=list(record.warnings),
    )


def _within(page: Span, start: int | None, end: int | None) -> Span | None:
    """The part of a document's span that lies on a page, relative to it."""
    if start is None or end is None:
        return None
    first, last = max(start, page.start) - page.start, min(end, page.end) - page.start
    return Span(first, last) if first < last else None


def _wants_html(request: Request) -> bool:
    accept = request.headers.get("accept", "")
    html, plain = accept.find("text/html"), accept.find("application/json")
    return html >= 0 and (plain < 0 or html < plain)
