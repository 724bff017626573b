"""What of a text is read at once: a sentence, a list item, a table cell; and what stands above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from kb.answer.gate.piece import ITEM, Piece
from kb.answer.gate.tables import is_rule, of_table, table_cells
from kb.text import sentences
from kb.types import Span

_LINE = re.compile(r"[^\r\n]+")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s|\s*(?:\*\*|__)[^*_\n]+(?:\*\*|__)\s*[:：]?\s*$|\s*【[^】\n]+】\s*$")
_UNDERLINE = re.compile(r"\s{0,3}(?:={3,}|-{3,})\s*$")
_LONGEST_LEAD = 100
_LEADER = re.compile(r"\w\s?\.{4,}\s")
_FULL_STOP = re.compile(r"[.。;；!！]\s*$")
_LEAD_IN = re.compile(r"[:：]\s*(?:\*\*)?\s*$")


_MOST_CHARACTERS = 400
"""Of a piece, and of what is read above it; reading a piece takes time that grows with the square of its length."""
_MOST_NUMBERS = 24
"""In a piece; each number is read with a look at all the others."""
_NUMBER = re.compile(r"\d[\d.,]*")
_MOST_ABOVE = 12
_CUT = re.compile(r"[;；,，、](?!\d)|\s")
"""Where a sentence that is too long is cut, rather than anywhere."""


def pieces_of(text: str) -> Iterator[Piece]:
    """The pieces of a text, in order; every character that is not white space or a table's rule is in one."""
    for piece in _pieces(text):
        piece = _with_short_context(piece)
        yield from _cut(text, piece)


def _with_short_context(piece: Piece) -> Piece:
    context = (*piece.above, piece.head, piece.label, piece.name, piece.corner)
    if len(piece.above) <= _MOST_ABOVE and all(s is None or s.end - s.start <= _MOST_CHARACTERS for s in context):
        return piece
    return replace(
        piece,
        above=tuple(_beginning(span) for span in piece.above[:_MOST_ABOVE]),
        head=piece.head and _beginning(piece.head),
        label=piece.label and _beginning(piece.label),
        name=piece.name and _beginning(piece.name),
        corner=piece.corner and _beginning(piece.corner),
    )


def _beginning(span: Span) -> Span:
    return Span(span.start, min(span.end, span.start + _MOST_CHARACTERS))


def _cut(text: str, piece: Piece) -> Iterator[Piece]:
    """A piece in parts that are neither too long nor too full of numbers."""
    start, end = piece.span.start, piece.span.end
    while (longest := _longest(text, start, end)) < end - start:
        borders = [m.end() for m in _CUT.finditer(text, start + longest // 2, start + longest)]
        border = borders[-1] if borders else start + longest
        yield replace(piece, span=Span(start, border))
        start = border
        piece = piece if piece.is_cell else replace(piece, follows=True, is_rest=True)
    yield replace(piece, span=Span(start, end))


def _longest(text: str, start: int, end: int) -> int:
    """How many characters may be read at once from a place on."""
    longest = min(end - start, _MOST_CHARACTERS)
    if longest <= _MOST_NUMBERS:
        return longest
    numbers = islice(_NUMBER.finditer(text, start, start + longest), _MOST_NUMBERS, None)
    following = next(numbers, None)
    return longest if following is None else following.start() - start


def _pieces(text: str) -> Iterator[Piece]:
    lines = [Span(m.start(), m.end()) for m in _LINE.finditer(text)]
    outline = _Outline()
    number = 0
    while number < len(lines):
        cells = table_cells(text, lines, number)
        if cells:
            yield from of_table(text, cells, outline.above())
            number += len(cells) + (1 if is_rule(text, lines, number + 1) else 0)
            continue
        yield from outline.read(text, lines, number)
        number += 1


class _Outline:
    """Headings and lead-ins while a text is read from top to bottom."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, Span]] = []
        self._leads: list[tuple[int, Span]] = []
        self._end = -2

    def above(self) -> tuple[Span, ...]:
        return tuple(span for _, span in (*reversed(self._leads), *reversed(self._headings)))

    def read(self, text: str, lines: Sequence[Span], number: int) -> Iterator[Piece]:
        line = lines[number]
        shown = text[line.start : line.end]
        heading, item = _HEADING.match(shown), ITEM.match(shown)
        underlined = item is None and _is_underline(text, lines, number + 1)
        if heading is not None or underlined:
            level = len(heading.group(1)) if heading is not None and heading.group(1) else 7
            self._headings = [entry for entry in self._headings if entry[0] < level]
            self._leads = []
            yield Piece(line, self.above())
            self._headings.append((level, line))
            self._end = -2
            return
        indent = len(item.group(1)) if item else -1
        broken = "\n\n" in text[max(0, self._end) : line.start] if self._end >= 0 else True
        self._leads = [entry for entry in self._leads if entry[0] < indent] if item else []
        follows = not broken and item is None
        for span in (line,) if _LEADER.search(shown) else sentences(text, line.start, line.end):
            yield Piece(span, self.above(), follows)
            follows = True
        if _LEAD_IN.search(shown) or (self._opens(text, lines, number, indent) and (item or _may_lead(shown))):
            self._leads.append((indent, line))
        self._end = line.end

    @staticmethod
    def _opens(text: str, lines: Sequence[Span], number: int, indent: int) -> bool:
        """Whether the next line is an item inside this one."""
        if number + 1 >= len(lines):
            return False
        following = ITEM.match(text, lines[number + 1].start, lines[number + 1].end)
        return following is not None and len(following.group(1)) > indent


def _is_underline(text: str, lines: Sequence[Span], number: int) -> bool:
    """Whether a line is the rule under a heading."""
    if number >= len(lines) or "\n\n" in text[lines[number - 1].end : lines[number].start]:
        return False
    return _UNDERLINE.match(text, lines[number].start, lines[number].end) is not None


def _may_lead(shown: str) -> bool:
    """Whether a line may be what the list below it is about: `Why the L4?`."""
    return len(shown) <= _LONGEST_LEAD and not _FULL_STOP.search(shown)
