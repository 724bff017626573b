"""Pages of a document: together they are its whole text."""

from __future__ import annotations

import pytest

from api.pages import page_html, page_spans
from kb.types import Block, Document, Span


def document(*places: tuple[int, int | None], text: str = "0123456789") -> Document:
    blocks = tuple(Block("paragraph", start, start + 1, page=page) for start, page in places)
    return Document("d", "t", "en", text, blocks, "application/pdf", "", "")


@pytest.mark.parametrize(
    ("places", "spans"),
    [
        ([], [Span(0, 10)]),
        ([(0, None), (5, None)], [Span(0, 10)]),
        ([(0, 1), (4, 2), (6, 2)], [Span(0, 4), Span(4, 10)]),
        ([(1, 1), (4, 3)], [Span(0, 4), Span(4, 4), Span(4, 10)]),
        ([(3, 2)], [Span(0, 3), Span(3, 10)]),
    ],
)
def test_pages_cover_the_text(places: list[tuple[int, int | None]], spans: list[Span]) -> None:
    assert page_spans(document(*places)) == spans


def test_text_title_and_id_are_escaped() -> None:
    html = page_html(
        doc_id='"><img src=x>',
        title="<b>T</b>",
        language="en",
        text="a <i>b</i>",
        quote=Span(2, 5),
        page=2,
        pages=3,
    )
    assert '<mark id="quote">&lt;i&gt;</mark>b&lt;/i&gt;' in html
    assert "<img" not in html
    assert "<b>" not in html
    assert "page 2 of 3" in html
