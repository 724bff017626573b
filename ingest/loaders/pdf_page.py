"""What stands on a page of a PDF file: runs of characters with their places, ruling lines, pictures.

Coordinates are points from the top left corner of the page as it is shown.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium_c

from ingest.loaders.pdf_drawing import Frame, Ruling, drawing_of

_SAME_SIZE = 0.78
"""Exponents are smaller than that; letters of two scripts side by side are not."""
_HYPHENS = frozenset("\x02\ufffe\xad")
HYPHEN = "\xad"
"""Ends a run whose word goes on in the next line."""
_UNREADABLE = frozenset("\ufffd\x00\uffff")
_FIXED_PITCH = 0x1
_BOLD_WEIGHT = 600
# Of the fonts Symbol and Wingdings: signs of formulas where they stand in ASCII, else bullets nearly always.
_SYMBOLS = {
    chr(code): chr(code - 0xF000) if chr(code - 0xF000) in "=+-*/()[]{}<>|.,:;0123456789" else "•"
    for code in range(0xF020, 0xF100)
}


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring characters without a gap.

    Attributes:
        size: height of the line that its font makes.
        after_space: whether a space was set before it.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    is_bold: bool
    is_mono: bool
    after_space: bool

    @property
    def middle(self) -> float:
        """Height of its middle."""
        return (self.top + self.bottom) / 2


@dataclass(slots=True)
class PageContent:
    """All of a page."""

    width: float
    height: float
    runs: list[Run] = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)
    pictures: int = 0
    unreadable_chars: int = 0
    chars: int = 0


@dataclass(frozen=True, slots=True)
class _Font:
    is_bold: bool
    is_mono: bool


@dataclass(slots=True)
class _Open:
    """A run that is being gathered; `right` is its last character's."""

    parts: list[str]
    left: float
    top: float
    right: float
    bottom: float
    font: _Font
    after_space: bool

    def takes(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Whether a character at this place goes on with the run."""
        smaller, larger = sorted((self.bottom - self.top, bottom - top))
        overlap = min(self.bottom, bottom) - max(self.top, top)
        is_near = -0.5 * larger < left - self.right < 0.2 * larger
        return is_near and overlap > 0.5 * smaller and smaller > _SAME_SIZE * larger

    def closed(self) -> Run:
        """The whole run."""
        return Run(
            "".join(self.parts),
            self.left,
            self.top,
            self.right,
            self.bottom,
            self.bottom - self.top,
            self.font.is_bold,
            self.font.is_mono,
            self.after_space,
        )


def read_page(page: Any) -> PageContent:
    """Content of a page that pypdfium2 has loaded."""
    frame = Frame(page)
    content = PageContent(frame.width, frame.height)
    text_page = page.get_textpage()
    try:
        content.runs = list(_Runs(text_page, frame, content).read())
    finally:
        text_page.close()
    drawing = drawing_of(page, frame)
    content.rulings, content.pictures = drawing.rulings, drawing.pictures
    return content


class _Runs:
    """Gathers a page's characters, in the order of the file, into runs."""

    def __init__(self, text_page: Any, frame: Frame, content: PageContent) -> None:
        self._text_page = text_page
        self._raw = text_page.raw
        self._frame = frame
        self._content = content
        self._rect = pdfium_c.FS_RECTF()

    def read(self) -> Iterator[Run]:
        """All runs."""
        waiting: _Open | None = None
        after_space = True
        for index in range(self._text_page.count_chars()):
            text = self._text(index)
            box = self._box(index) if text and not text.isspace() else None
            if box is None:
                after_space = after_space or text is not None
                if text is not None and waiting is not None:
                    yield waiting.closed()
                    waiting = None
                continue
            left, top, right, bottom = box
            if waiting is not None and waiting.takes(*box):
                waiting.parts.append(text or "")
                waiting.right = max(waiting.right, right)
                waiting.left, waiting.top = min(waiting.left, left), min(waiting.top, top)
                waiting.bottom = max(waiting.bottom, bottom)
                continue
            if waiting is not None:
                yield waiting.closed()
            waiting = _Open([text or ""], left, top, right, bottom, self._font(index), after_space)
            after_space = False
        if waiting is not None:
            yield waiting.closed()

    def _text(self, index: int) -> str | None:
        """A character; empty for a space, None for half a character."""
        code = pdfium_c.FPDFText_GetUnicode(self._raw, index)
        if 0xD800 <= code < 0xE000:  # halves of a character beyond the basic plane
            if code >= 0xDC00:
                return None
            low = pdfium_c.FPDFText_GetUnicode(self._raw, index + 1)
            return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)) if 0xDC00 <= low < 0xE000 else None
        char = chr(code)
        if char in _HYPHENS:
            return HYPHEN
        if char.isspace() or code < 32 or pdfium_c.FPDFText_IsGenerated(self._raw, index) == 1:
            return ""
        self._content.chars += 1
        char = _SYMBOLS.get(char, char)
        if char in _UNREADABLE or "\ue000" <= char <= "\uf8ff":
            self._content.unreadable_chars += 1
        return "" if char in _UNREADABLE else char

    def _box(self, index: int) -> tuple[float, float, float, float] | None:
        rect = self._rect
        if not pdfium_c.FPDFText_GetLooseCharBox(self._raw, index, rect):
            return None
        box = self._frame.box(rect.left, rect.bottom, rect.right, rect.top)
        return box if math.isfinite(sum(box)) else None

    def _font(self, index: int) -> _Font:
        name = ctypes.create_string_buffer(128)
        flags = ctypes.c_int()
        pdfium_c.FPDFText_GetFontInfo(self._raw, index, name, 128, flags)
        shown = name.value.decode("latin-1").lower()
        is_bold = "bold" in shown or "heavy" in shown
        is_bold = is_bold or pdfium_c.FPDFText_GetFontWeight(self._raw, index) >= _BOLD_WEIGHT
        is_mono = any(word in shown for word in ("mono", "courier", "consolas", "menlo", "typewriter", "cmtt"))
        return _Font(is_bold, is_mono or (bool(flags.value & _FIXED_PITCH) and shown.isascii()))
