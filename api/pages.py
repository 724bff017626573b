"""Documents as pages: where each page stands, and one page as HTML with a passage marked."""

from __future__ import annotations

from html import escape

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
<link rel="stylesheet" href="/ui/style.css">
</head>
<body class="document">
<header><p class="where"><a href="/">gpukb</a> › {doc_id}{position}</p><h1>{title}</h1></header>
<main><pre>{before}{quote}{after}</pre></main>
</body>
</html>
"""


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
    *, doc_id: str, title: str, language: Language, text: str, quote: Span | None, page: int, pages: int
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
        quote=marked,
        after=escape(text[span.end :]) if quote else "",
    )
