"""The words of a Word paragraph, without what was deleted, and the page they stand on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.loaders.docx_styles import w

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LEFT_OUT = frozenset({w("del"), w("moveFrom"), w("rPr"), w("pPr"), w("txbxContent"), w("instrText"), _FALLBACK})
_SIGNS = {w("tab"): "\t", w("br"): "\n", w("cr"): "\n", w("noBreakHyphen"): "-", w("ptab"): "\t"}
_WORDS = frozenset({w("t"), _MATH_TEXT})


def paragraph_text(paragraph: Element) -> str:
    """The visible words of a paragraph; a manual line break is a line break."""
    return "".join(_words(paragraph))


def _words(element: Element) -> Iterator[str]:
    for child in element:
        if child.tag in _WORDS:
            yield child.text or ""
        elif child.tag in _SIGNS:
            yield _SIGNS[child.tag] if child.get(w("type")) not in {"page", "column"} else ""
        elif child.tag == w("vertAlign"):
            continue
        elif child.tag not in _LEFT_OUT:
            yield from _words(child)


def text_boxes(paragraph: Element) -> list[Element]:
    """The contents of the text boxes that hang on a paragraph; each is stored twice, for old and new programs."""
    return [
        box
        for box in paragraph.iter(w("txbxContent"))
        if next(box.iterancestors(_FALLBACK), None) is None
        and not any(True for outer in box.iterancestors(w("txbxContent")) if paragraph in outer.iterancestors())
    ]


class Pages:
    """Counts pages by the breaks that the program which saved the file has drawn; unknown if it drew none."""

    def __init__(self, body: Element) -> None:
        is_known = next(body.iter(w("lastRenderedPageBreak")), None) is not None
        self.current: int | None = 1 if is_known else None

    def pass_by(self, element: Element) -> None:
        """Count the breaks inside an element."""
        if self.current is not None:
            self.current += sum(1 for _ in element.iter(w("lastRenderedPageBreak")))

    def first_word_page(self, paragraph: Element, page: int | None) -> int | None:
        """Where a paragraph's first word stands, if it began on `page`."""
        if page is None:
            return None
        for element in paragraph.iter(w("lastRenderedPageBreak"), w("t")):
            if element.tag == w("lastRenderedPageBreak"):
                page += 1
            elif (element.text or "").strip():
                break
        return page
