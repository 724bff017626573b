"""Tables of a text: rows between bars, tabs or commas, and their cells as pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kb.answer.gate.piece import ITEM, Piece
from kb.types import Span

_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_CELL = re.compile(r"(?:\\\||[^|\n])+")
_TAB_CELL = re.compile(r"[^\t\n]+")
_COMMA_CELL = re.compile(r'"[^"\n]*"|[^,\n]+')
_DIGITS_ONLY = re.compile(r"(?:^|,)[\d.]+(?:,|$)")
_LABELLED = re.compile(r": |：")
_PROSE = re.compile(r", ")


def is_rule(text: str, lines: Sequence[Span], number: int) -> bool:
    """Whether a line is the rule under a table's header."""
    if number >= len(lines):
        return False
    shown = text[lines[number].start : lines[number].end]
    return "-" in shown and "|" in shown and _RULE.match(shown) is not None


def table_cells(text: str, lines: Sequence[Span], number: int) -> list[list[Span]]:
    """The rows of a table that begins at a line, header first, the rule left out; empty if none begins there."""
    if is_rule(text, lines, number + 1) and "|" in text[lines[number].start : lines[number].end]:
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
        if sign == "," and (ITEM.match(shown) or _LABELLED.search(shown)):
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


def of_table(text: str, rows: Sequence[Sequence[Span]], above: tuple[Span, ...]) -> Iterator[Piece]:
    """The cells of a table, each with what heads its column and names its row."""
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
