"""Documents as pages: where each page stands, and one page as HTML with a passage marked."""

from __future__ import annotations

from html import escape

from api.schemas.documents import CitedState
from kb.types import Document, Language, Span

PAGE_CSP = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)

_HTML = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="/ui/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/ui/style.css">
<link rel="stylesheet" href="/ui/document.css">
</head>
<body class="document">
<header><p class="where"><a href="/">gpukb</a> › {doc_id}{position}</p><h1>{title}</h1>{notice}</header>
<main><pre>{before}{quote}{after}</pre></main>
</body>
</html>
"""


_NOTICES: dict[CitedState, tuple[str, str]] = {
    "changed": (
        "This is the document as it was when it was cited (index {cited}). It has changed since.",
        "这是引用时的文档（索引 {cited}），此后文档已有更改。",
    ),
    "gone": (
        "This is the document as it was when it was cited (index {cited}). It is no longer in the index.",
        "这是引用时的文档（索引 {cited}），该文档现已不在索引中。",
    ),
    "pruned": (
        "The index {cited} that was cited is no longer kept. This is the document as it stands now (index {shown}).",
        "所引用的索引 {cited} 已不再保留；以下为文档的当前内容（索引 {shown}）。",
    ),
}


def notice_of(state: CitedState, shown: str, cited: str | None, language: Language) -> str:
    """What a reader must know about a page that was cited from an older index; empty if nothing."""
    if state not in _NOTICES:
        return ""
    en, zh = _NOTICES[state]
    return (zh if language == "zh" else en).format(cited=cited, shown=shown)


def page_spans(document: Document) -> list[Span]:
    """The span of each page in the document's text, in order; one span where the format has no pages.

    Together the spans cover the whole text.
    """
    starts: dict[int, int] = {}
    for block in document.blocks:
        if block.page is not None:
            starts.setdefault(block.page, block.start)
    if not starts:
        return [Span(0, len(document.text))]
    firsts = [starts.get(page) for page in range(1, max(starts) + 1)]
    spans: list[Span] = []
    end = len(document.text)
    # A page without text takes the place where the next one begins.
    for first in reversed(firsts):
        start = end if first is None else min(first, end)
        spans.append(Span(start, end))
        end = start
    spans.reverse()
    spans[0] = Span(0, spans[0].end)
    return spans


def page_html(
    *,
    doc_id: str,
    title: str,
    language: Language,
    text: str,
    quote: Span | None,
    page: int,
    pages: int,
    notice: str = "",
) -> str:
    """A page for a browser. All text is escaped; what the document holds is shown, never run."""
    span = quote or Span(0, 0)
    marked = f'<mark id="quote">{escape(text[span.start : span.end])}</mark>' if quote else ""
    label = f"第 {page} / {pages} 页" if language == "zh" else f"page {page} of {pages}"
    return _HTML.format(
        lang="zh-CN" if language == "zh" else "en",
        title=escape(title),
        doc_id=escape(doc_id),
        position=f" › {label}" if pages > 1 else "",
        before=escape(text[: span.start]) if quote else escape(text),
        notice=f'<p class="notice" role="status">{escape(notice)}</p>' if notice else "",
        quote=marked,
        after=escape(text[span.end :]) if quote else "",
    )
