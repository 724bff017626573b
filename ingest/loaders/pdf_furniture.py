"""What the pages of a PDF file repeat at their edges, and what its bookmarks say of its headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.loaders.pdf_layout import PrintedPage
from ingest.loaders.pdf_lines import Line

_PAGE_NUMBER = re.compile(
    r"[-–—|\s]*(?:(?:page|p\.|第)\s*)?(?:\d{1,4}|[ivxlc]{1,7})\s*页?(?:\s*(?:of|/|共)\s*\d{1,4}\s*页?)?[-–—|\s]*",
    re.IGNORECASE,
)
_LEADING_NUMBER = re.compile(r"\d+|第[\d一二三四五六七八九十]+[章节]|chapter\d+|appendix[a-z]|附录[a-z]")
_EDGE_SHARE = 0.2
_EDGE_LINES = 2
_MIN_REPEATS = 3
_MIN_PLACES = 6
_MIN_PATTERN_CHARS = 4


class Outline:
    """The bookmarks of a file, which say what its headings are."""

    def __init__(self, items: Sequence[tuple[int, int, str]]) -> None:
        self._by_page: dict[int, list[tuple[int, str]]] = {}
        for page, level, title in items:
            self._by_page.setdefault(page, []).append((level, _squeezed(title)))
        self.is_empty = not items

    def level_of(self, page: int, text: str) -> int:
        """Level of the heading that a text on a page is; 0 if it is none."""
        wanted = _squeezed(text)
        for level, title in self._by_page.get(page, ()):
            words = _LEADING_NUMBER.sub("", title) or title
            if wanted == title or (wanted.endswith(words) and _is_number(wanted[: -len(words)])):
                return min(level, 6)
        return 0

    def begins(self, page: int, text: str) -> bool:
        """Whether a longer heading of the page begins with a text, as the first of two lines."""
        wanted = _squeezed(text)
        return len(wanted) > 3 and any(
            title.startswith(wanted) and title != wanted for _, title in self._by_page.get(page, ())
        )


def _squeezed(text: str) -> str:
    return re.sub(r"[\s\u3000.．·:：]+", "", text).lower()


def _is_number(text: str) -> bool:
    return not text or _LEADING_NUMBER.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Furniture:
    """What the pages of a file repeat at their edges: patterns of lines, and the places where these stand."""

    patterns: frozenset[str]
    places: frozenset[tuple[int, int]]

    def holds(self, line: Line) -> bool:
        """Whether a line at the edge of a page is part of it, or a page number."""
        is_repeated = _pattern(line.text) in self.patterns or _PAGE_NUMBER.fullmatch(line.text) is not None
        return is_repeated or _place(line) in self.places


def _place(line: Line) -> tuple[int, int]:
    return round(line.top), round(line.size)


def furniture_of(pages: Sequence[PrintedPage]) -> Furniture:
    """Lines that stand at the edges of several pages, whatever the page number in them.

    A running title changes with the chapter, its place does not.
    """
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({_pattern(line.text) for line in edge_lines(page)})
    patterns = frozenset(
        pattern for pattern, count in counts.items() if count >= _MIN_REPEATS and len(pattern) >= _MIN_PATTERN_CHARS
    )
    places = Counter(_place(line) for page in pages for line in edge_lines(page) if _pattern(line.text) in patterns)
    return Furniture(patterns, frozenset(place for place, count in places.items() if count >= _MIN_PLACES))


def edge_lines(page: PrintedPage) -> list[Line]:
    """The first and the last lines of a page, as far as they stand near its edges."""
    lines = sorted(page.lines, key=lambda line: line.top)
    upper = [line for line in lines[:_EDGE_LINES] if line.bottom < page.height * _EDGE_SHARE]
    return upper + [line for line in lines[-_EDGE_LINES:] if line.top > page.height * (1 - _EDGE_SHARE)]


def _pattern(text: str) -> str:
    return re.sub(r"\d+", "#", _squeezed(text))
