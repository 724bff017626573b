"""Table rows, read from the pipe tables that documents of every format hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kb.answer.extract.markup import plain
from kb.types import Block, Span

_BORDER: Final = re.compile(r"(?<!\\)\|")
_DELIMITER: Final = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EMPTY: Final = frozenset({"", "-", "—", "–", "/", "?", "？", "TBD"})
_FIGURE: Final = re.compile(r"[\d.,%~<>=+ -]+")
_RELEASE: Final = re.compile(r"\s*v?\d+(?:\.\d+)+\s*")
_REPEATED_PART: Final = 0.6
_MERGED_ROWS: Final = 60


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell.

    Attributes:
        column: from 0.
        shown: its words without markup.
        span: its place in the document's text, without the white space around.
    """

    column: int
    shown: str
    span: Span

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return self.shown in _EMPTY


@dataclass(frozen=True, slots=True)
class Header:
    """The names of a table's columns; empty names where it has none.

    Attributes:
        spans: places of the header lines.
    """

    names: tuple[str, ...]
    spans: tuple[Span, ...]
    caption: str

    @classmethod
    def read(cls, source: str, block: Block, caption: str) -> Header:
        """From a table block."""
        if block.header_end <= block.start:
            return cls((), (), plain(caption))
        end = source.find("\n", block.start, block.header_end)
        span = Span(block.start, block.header_end if end < 0 else end)
        cells = list(_cells(source, span))
        names = tuple(cell.shown for cell in cells)
        if len(names) == 2 and re.search(
            rf"\n\|?[ \t]*{re.escape(names[1])}[ \t]*\|", source[block.header_end - 1 : block.end]
        ):
            names = ("", "")  # the first record stands where the names should
        full, second = _with_second_row(source, block, names)
        return cls(full, (span, second) if second else (span,), plain(caption))

    def spoken(self, column: int) -> str:
        """The name of a column in words: `launchPrice` is `launchPrice launch Price`."""
        name = self.name(column)
        apart = _CAMEL.sub(" ", name)
        return name if apart == name else f"{name} {apart}"

    @property
    def releases(self) -> int:
        """How many columns are named by a version."""
        return sum(_RELEASE.fullmatch(name) is not None for name in self.names)

    def name(self, column: int) -> str:
        """Of a column."""
        return self.names[column] if column < len(self.names) else ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row.

    Attributes:
        label: its first cell; where that is empty, the first cell of the rows above.
        label_span: place of the label.
        cells: those inside the passage, the label's included unless it is inherited.
        span: of the row, as far as it lies in the passage.
    """

    header: Header
    label: str
    label_span: Span
    cells: tuple[TableCell, ...]
    span: Span

    @property
    def versions(self) -> str:
        """Versions that name the columns in which it says something, as in a table of what each release supports."""
        names = (self.header.name(cell.column) for cell in self.cells if not cell.is_empty)
        return " ".join(dict.fromkeys(name for name in names if _RELEASE.fullmatch(name)))


def _with_second_row(source: str, block: Block, names: tuple[str, ...]) -> tuple[tuple[str, ...], Span | None]:
    """Names that a second header row tells apart (`Atlas 800T A2` twice, below it `FP16` and `W8A8`), and its place."""
    filled = [name for name in names if name not in _EMPTY]
    has_groups = 1 < len(filled) <= len(names) // 2
    if block.header_end >= block.end or (len(filled) == len(set(filled)) and not has_groups):
        return names, None
    line = next(_lines(source, block.header_end, block.end, block.end), Span(block.end, block.end))
    below = [cell.shown for cell in _cells(source, line)]
    if len(below) != len(names):
        return names, None
    if has_groups:
        if not _names_columns(below):
            return names, None
        groups = _spread(names)
        full = tuple(" ".join(filter(None, pair)) for pair in zip(groups, below, strict=True))
        return full, line
    full = tuple(
        " ".join(dict.fromkeys(part for part in pair if part)) if names.count(pair[0]) > 1 else pair[0]
        for pair in zip(names, below, strict=True)
    )
    return full, line


def _names_columns(cells: Sequence[str]) -> bool:
    """Whether a row holds the names of columns below the names of groups: no figures, some of them several times."""
    return len(set(cells)) < len(cells) and not any(cell in _EMPTY or _FIGURE.fullmatch(cell) for cell in cells)


def _spread(names: Sequence[str]) -> Iterator[str]:
    """The name of a group of columns for each of them; it stands above the first."""
    group = ""
    for name in names:
        group = group if name in _EMPTY else name
        yield group


def rows_of(source: str, block: Block, header: Header, start: int, end: int) -> Iterator[TableRow]:
    """The rows of a table that lie in `source[start:end]`, some of them perhaps in part."""
    first = max(block.header_end, source.rfind("\n", block.header_end, start) + 1)
    label: TableCell | None = None
    for line in _lines(source, first, min(block.end, end), block.end):
        if any(line.start == span.start for span in header.spans):
            continue
        cells = list(_cells(source, line))
        if not cells[0].is_empty:
            label = cells[0]
        elif label is None:
            label = _label_above(source, block.header_end, line.start)
        if _repeats(header, cells):
            continue
        inside = tuple(cell for cell in cells if cell.span.start >= start and cell.span.end <= end)
        named = label or cells[0]
        if any(not cell.is_empty and cell.span != named.span for cell in inside) or len(cells) == 1:
            span = Span(max(line.start, start), min(line.end, end))
            yield TableRow(header, named.shown, named.span, inside, span)


def _repeats(header: Header, cells: Sequence[TableCell]) -> bool:
    """Whether a row says the names of the columns again, as long tables do."""
    equal = sum(cell.shown == header.name(cell.column) for cell in cells if not cell.is_empty)
    return equal > _REPEATED_PART * len(cells)


def _lines(source: str, start: int, end: int, last: int) -> Iterator[Span]:
    """Lines that begin before `end`, whole, without rules and blank ones."""
    while start < end:
        stop = source.find("\n", start, last)
        stop = last if stop < 0 else stop
        text = source[start:stop]
        if text.strip() and not ("-" in text and _DELIMITER.fullmatch(text)):
            yield Span(start, stop)
        start = stop + 1


def _label_above(source: str, first: int, start: int) -> TableCell | None:
    """The nearest first cell above that is not empty, as in a column whose cells were merged."""
    for _ in range(_MERGED_ROWS):
        if start <= first:
            return None
        line = Span(max(first, source.rfind("\n", first, start - 1) + 1), start - 1)
        cell = next(_cells(source, line))
        if not cell.is_empty:
            return cell
        start = line.start
    return None


def _cells(source: str, line: Span) -> Iterator[TableCell]:
    start, end = line.start, line.end
    while start < end and source[start].isspace():
        start += 1
    while end > start and source[end - 1].isspace():
        end -= 1
    if start < end and source[start] == "|":
        start += 1
    if end > start and source[end - 1] == "|" and source[end - 2] != "\\":
        end -= 1
    borders = [match.start() for match in _BORDER.finditer(source, start, end)]
    for column, (begin, stop) in enumerate(zip([start, *(b + 1 for b in borders)], [*borders, end], strict=True)):
        while begin < stop and source[begin].isspace():
            begin += 1
        while stop > begin and source[stop - 1].isspace():
            stop -= 1
        yield TableCell(column, plain(source[begin:stop]), Span(begin, stop))
