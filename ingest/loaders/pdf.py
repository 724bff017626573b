"""PDF files: pages in reading order, with headings, paragraphs, tables and code as they are printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ingest.loaders.base import LoadLimits, Parsed, SourceFile
from ingest.loaders.flow import Flow
from kb.errors import DocumentError

if TYPE_CHECKING:  # the engine is loaded with the first file
    from ingest.loaders.pdf_layout import PrintedPage

_END_BYTES = 4096
_MAX_UNREADABLE = 0.3
_NO_TITLE = re.compile(
    r"untitled|microsoft (?:word|powerpoint)\b.*|.*\.(?:docx?|tex|dvi|pdf)|.*template.*", re.IGNORECASE
)
_MAX_TITLE_CHARS = 200
_PASSWORD_ERROR = 4
_MAX_OUTLINE = 5000


class PdfLoader:
    """Reads `.pdf`."""

    media_type = "application/pdf"

    def parse(self, source: SourceFile) -> Parsed:
        """Read the text of all pages; pages that are pictures are named in a warning."""
        if b"%%EOF" not in source.data[-_END_BYTES:] and b"startxref" not in source.data[-_END_BYTES:]:
            raise DocumentError("It is damaged: its end is missing.")
        document = _opened(source.data)
        try:
            pages = _pages(document, source)
            _refuse_unreadable(pages)
            flow = _written(document, pages)
            title = _title(document, flow)
        finally:
            document.close()
        return Parsed(flow.builder.text, flow.builder.blocks, title, "", {}, _warnings(pages))


def _written(document: Any, pages: Sequence[PrintedPage]) -> Flow:
    from ingest.loaders.pdf_furniture import Outline
    from ingest.loaders.pdf_text import TextWriter

    flow = Flow()
    TextWriter(flow, pages, Outline(_outline(document))).write()
    return flow


def _opened(data: bytes) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR or "password" in str(error).lower():
            raise DocumentError("It is protected with a password.") from error
        raise DocumentError("It is damaged: it cannot be opened as PDF.") from error


def _pages(document: Any, source: SourceFile) -> list[PrintedPage]:
    import pypdfium2

    from ingest.loaders.pdf_layout import printed_page

    count = len(document)
    limits: LoadLimits = source.limits
    if count > limits.max_pages:
        raise DocumentError(f"It has {count} pages; the limit is {limits.max_pages}.")
    pages: list[PrintedPage] = []
    for index in range(count):
        try:
            page = document[index]
        except pypdfium2.PdfiumError as error:
            raise DocumentError(f"It is damaged: page {index + 1} cannot be read.") from error
        try:
            pages.append(printed_page(page, index + 1))
        finally:
            page.close()
        source.progress()
    return pages


def _refuse_unreadable(pages: Sequence[PrintedPage]) -> None:
    if all(page.is_empty for page in pages):
        if any(page.pictures for page in pages):
            noun = "Its only page is a picture" if len(pages) == 1 else f"Its {len(pages)} pages are pictures"
            raise DocumentError(f"{noun} (scanned): there is no text in it. Run text recognition (OCR) over it first.")
        raise DocumentError("It holds no text, only drawings.")
    chars = sum(page.chars for page in pages)
    if sum(page.unreadable_chars for page in pages) > _MAX_UNREADABLE * chars:
        raise DocumentError("Its fonts do not say which characters they show, so that its text cannot be read.")


def _warnings(pages: Sequence[PrintedPage]) -> tuple[str, ...]:
    scanned = [page.number for page in pages if page.is_empty and page.pictures]
    if not scanned:
        return ()
    noun = "page" if len(scanned) == 1 else "pages"
    return (f"{noun} {_ranges(scanned)} of {len(pages)}: pictures without text (scanned), not indexed",)


def _ranges(numbers: Sequence[int]) -> str:
    """`1, 3–5` for 1, 3, 4, 5."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in spans)


def _outline(document: Any) -> list[tuple[int, int, str]]:
    """Page, level and title of the bookmarks."""
    found: list[tuple[int, int, str]] = []
    for item in document.get_toc(max_depth=6):
        target = item.get_dest()
        page = target.get_index() if target is not None else None
        title = " ".join((item.get_title() or "").split())
        if page is not None and title:
            found.append((page + 1, item.level + 1, title))
        if len(found) >= _MAX_OUTLINE:
            break
    return found


def _title(document: Any, flow: Flow) -> str:
    """As the file states it, unless a program made it up; else the largest heading of the first page."""
    stated = " ".join(document.get_metadata_dict(skip_empty=True).get("Title", "").split())
    if stated and len(stated) <= _MAX_TITLE_CHARS and not _NO_TITLE.fullmatch(stated):
        return stated
    headings = [block for block in flow.builder.blocks if block.kind == "heading"]
    first = [block for block in headings if block.page == 1]
    levels = Counter(block.level for block in first)
    if not levels:
        return ""
    chosen = next(block for block in first if block.level == min(levels))
    return flow.builder.text[chosen.start : chosen.end].lstrip("# ")
