"""Pipe tables: the one way in which tables of every format are written into a document's text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_SPACES = re.compile(r"\s+")
_DELIMITER_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_WORD = re.compile(r"\(?[A-Za-z]+[,\-)]*")
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def cell(text: str) -> str:
    """A cell's text on one line, with its pipes escaped."""
    return _SPACES.sub(" ", text).strip().replace("|", "\\|")


def joined_lines(lines: Sequence[str]) -> str:
    """A cell's lines as one: statements are parted by `;`, words that were only broken to save space are not."""
    text = lines[0] if lines else ""
    for previous, line in pairwise(lines):
        is_broken = previous.endswith((",", "-", "/", "(")) or (_WORD.fullmatch(previous) and _WORD.fullmatch(line))
        text += (" " if is_broken else "; ") + line
    return text


def render(rows: Sequence[Sequence[str]], header_rows: int) -> str:
    """A table as Markdown; several header rows are joined into one, column by column.

    A table without header rows is written as rows alone, so that no column gets a made-up name.
    """
    width = max(len(row) for row in rows)
    padded = [[cell(value) for value in row] + [""] * (width - len(row)) for row in rows]
    lines = []
    if header_rows:
        lines = [_line(_joined(padded[:header_rows])), "|" + "---|" * width]
    lines.extend(_line(row) for row in padded[header_rows:])
    return "\n".join(lines)


def header_length(text: str) -> int:
    """Length of the header (header row, delimiter row and their line ends) of a rendered table; 0 if it has none."""
    first = text.find("\n")
    if first < 0:
        return 0
    second = text.find("\n", first + 1)
    second = len(text) if second < 0 else second
    return min(second + 1, len(text)) if is_delimiter_row(text[first + 1 : second]) else 0


def is_delimiter_row(line: str) -> bool:
    """Whether a line is the `|---|---|` under a header."""
    return "-" in line and _DELIMITER_ROW.fullmatch(line) is not None


def split_row(line: str) -> list[str]:
    """The cells of one row, unescaped."""
    body = line.strip()
    if body.startswith("|"):
        body = body[1:]
    if body.endswith("|") and not body.endswith("\\|"):
        body = body[:-1]
    return [part.strip().replace("\\|", "|") for part in _CELL_BORDER.split(body)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _joined(rows: Sequence[Sequence[str]]) -> list[str]:
    names = []
    for column in zip(*rows, strict=True):
        distinct = list(dict.fromkeys(value for value in column if value))  # a spanned name is not said twice
        names.append(" / ".join(distinct))
    return names
