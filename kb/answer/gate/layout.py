"""What of a text is read at once: a sentence, a list item, a table cell; and what stands above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from kb.text import sentences
from kb.types import Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text.

    Attributes:
        span: its place.
        above: headings and lead-ins over it, nearest first.
        follows: it goes on from the piece before it (the next sentence of a paragraph).
        head, label: for a table cell, the cell that heads its column and the one that names its row.
        row: for a table cell, its whole row.
        name: for a table cell, the cell of its row under a heading like "Card", where that is not the first.
        corner: for a table cell, the first cell of the header: what all rows are of (`Resource per SM`).
        columns: of the table.
        is_rest: it goes on in the middle of a sentence that was too long.
    """

    span: Span
    above: tuple[Span, ...] = ()
    follows: bool = False
    head: Span | None = None
    label: Span | None = None
    row: Span | None = None
    name: Span | None = None
    corner: Span | None = None
    columns: int = 0
    is_rest: bool = False

    def __len__(self) -> int:
        return self.span.end - self.span.start

    @property
    def is_cell(self) -> bool:
        """Whether it is a table cell."""
        return self.row is not None


_LINE = re.compile(r"[^\r\n]+")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s|\s*(?:\*\*|__)[^*_\n]+(?:\*\*|__)\s*[:：]?\s*$|\s*【[^】\n]+】\s*$")
_ITEM = re.compile(
    r"(\s*)(?:(?:[-*+•·▪●◆■✅✔☑✓➤►▶→»–—]\ufe0f?|\d{1,3}[.)])\s+|\d{1,3}、\s*|[(（]\d{1,3}[)）]\s*|[①-⑳]\s*)"
)
_UNDERLINE = re.compile(r"\s{0,3}(?:={3,}|-{3,})\s*$")
_LONGEST_LEAD = 100
_LEADER = re.compile(r"\w\s?\.{4,}\s")
_FULL_STOP = re.compile(r"[.。;；!！]\s*$")
_LEAD_IN = re.compile(r"[:：]\s*(?:\*\*)?\s*$")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_CELL = re.compile(r"(?:\\\||[^|\n])+")
_TAB_CELL = re.compile(r"[^\t\n]+")
_COMMA_CELL = re.compile(r'"[^"\n]*"|[^,\n]+')
_DIGITS_ONLY = re.compile(r"(?:^|,)[\d.]+(?:,|$)")
_LABELLED = re.compile(r": |：")
_PROSE = re.compile(r", ")


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
        cells = _table_cells(text, lines, number)
        if cells:
            yield from _of_table(text, cells, outline.above())
            number += len(cells) + (1 if _is_rule(text, lines, number + 1) else 0)
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
        heading, item = _HEADING.match(shown), _ITEM.match(shown)
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
        following = _ITEM.match(text, lines[number + 1].start, lines[number + 1].end)
        return following is not None and len(following.group(1)) > indent


def _is_underline(text: str, lines: Sequence[Span], number: int) -> bool:
    """Whether a line is the rule under a heading."""
    if number >= len(lines) or "\n\n" in text[lines[number - 1].end : lines[number].start]:
        return False
    return _UNDERLINE.match(text, lines[number].start, lines[number].end) is not None


def _may_lead(shown: str) -> bool:
    """Whether a line may be what the list below it is about: `Why the L4?`."""
    return len(shown) <= _LONGEST_LEAD and not _FULL_STOP.search(shown)


# ---------------------------------------------------------------- tables


def _is_rule(text: str, lines: Sequence[Span], number: int) -> bool:
    if number >= len(lines):
        return False
    shown = text[lines[number].start : lines[number].end]
    return "-" in shown and "|" in shown and _RULE.match(shown) is not None


def _table_cells(text: str, lines: Sequence[Span], number: int) -> list[list[Span]]:
    """The rows of a table that begins at a line, header first, the rule left out; empty if none begins there."""
    if _is_rule(text, lines, number + 1) and "|" in text[lines[number].start : lines[number].end]:
        rows = [lines[number], *_while(lines[number + 2 :], text, "|")]
        return [_pipe_cells(text, row) for row in rows]
    for sign, pattern in (("\t", _TAB_CELL), (",", _COMMA_CELL), ("|", _CELL)):
        rows = _of_equal_width(lines[number:], text, sign)
        if len(rows) > (1 if rows and text.count(sign, rows[0].start, rows[0].end) > 1 else 2):
            return [
                _pipe_cells(text, row)
                if sign == "|"
                else [_stripped(text, m) for m in pattern.finditer(text, row.start, row.end)]
                for row in rows
            ]
    return []


def _while(lines: Sequence[Span], text: str, sign: str) -> Iterator[Span]:
    for line in lines:
        if sign not in text[line.start : line.end]:
            return
        yield line


def _of_equal_width(lines: Sequence[Span], text: str, sign: str) -> list[Span]:
    """Lines that have the same number of separators, at least one (of commas two, and none inside numbers)."""
    rows: list[Span] = []
    width = 0
    for line in lines:
        shown = text[line.start : line.end]
        count = shown.count(sign)
        if count < 1 or (rows and count != width):
            break
        if sign == "," and (_ITEM.match(shown) or _LABELLED.search(shown)):
            break
        if sign == "," and (_PROSE.search(shown) or (not rows and _DIGITS_ONLY.search(shown))):
            break
        if sign == "|" and not shown.strip().startswith("|") and count < 2:
            break
        width = count
        rows.append(line)
    return rows


def _pipe_cells(text: str, row: Span) -> list[Span]:
    start, end = row.start, row.end
    while start < end and (text[start].isspace() or text[start] == "|"):
        start += 1
        if text[start - 1] == "|":
            break
    return [_stripped(text, m) for m in _CELL.finditer(text, start, end) if m.group().strip() or m.end() < end]


def _stripped(text: str, match: re.Match[str]) -> Span:
    start, end = match.span()
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


_NAME_HEAD = re.compile(
    r"型号|卡|产品|加速器|显卡|card|gpu|model|accelerator|product|name|device|sku|part", re.IGNORECASE
)


def _of_table(text: str, rows: Sequence[Sequence[Span]], above: tuple[Span, ...]) -> Iterator[Piece]:
    header = rows[0]
    for cell in header:
        yield Piece(cell, above, row=Span(header[0].start, header[-1].end), columns=len(header))
    naming = next((n for n, cell in enumerate(header) if n and _NAME_HEAD.search(text[cell.start : cell.end])), None)
    for cells in rows[1:]:
        if not cells:
            continue
        row = Span(cells[0].start, cells[-1].end)
        name = cells[naming] if naming is not None and naming < len(cells) else None
        for column, cell in enumerate(cells):
            head = header[column] if column < len(header) else None
            label, corner = (cells[0], header[0]) if column else (None, None)
            yield Piece(cell, above, head=head, label=label, row=row, name=name, corner=corner, columns=len(header))
