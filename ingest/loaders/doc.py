"""Word documents of 1997–2003 (`.doc`): paragraphs, headings, lists and tables out of the binary format."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.docx_styles import CODE_STYLE, HEADING_STYLE
from ingest.loaders.flow import Flow
from ingest.loaders.grid import Merge
from ingest.loaders.pipe_table import joined_lines
from ingest.loaders.word_binary import (
    IN_TABLE,
    LIST_DEPTH,
    LIST_ID,
    OUTLINE_LEVEL,
    ROW_END,
    TABLE_DEPTH,
    TABLE_HEADER,
    CellSpan,
    Properties,
    WordBinary,
    table_stream,
)

_PARAGRAPH_END = re.compile(r"[\r\x07\x0c]")
_SIGNS = str.maketrans({"\x0b": "\n", "\x1e": "-", **dict.fromkeys("\x1f\x01\x02\x05\x08")})
_FIELD_MARKS = re.compile(r"[\x13\x14\x15]")
_STI_TITLE = 62
_STI_TABLE_OF_CONTENTS = range(19, 28)
_EDGE_TOLERANCE_TWIPS = 40
_MAX_BASES = 20
_MAX_LABEL_CHARS = 60


class DocLoader:
    """Reads `.doc`."""

    media_type = "application/msword"

    def parse(self, source: SourceFile) -> Parsed:
        """Read the body, then footnotes, endnotes and the labels of drawings."""
        import olefile

        with olefile.OleFileIO(io.BytesIO(source.data)) as container:
            main = container.openstream("WordDocument").read()
            table = container.openstream(table_stream(main)).read()
            data = container.openstream("Data").read() if container.exists("Data") else b""
            stated = container.get_metadata().title if container.exists("\x05SummaryInformation") else b""
        reader = _Reader(WordBinary(main, table, data))
        reader.read()
        title = reader.title or (stated or b"").decode("utf-8", "replace")
        return Parsed(reader.flow.builder.text, reader.flow.builder.blocks, title)


@dataclass(slots=True)
class _Row:
    cells: list[str]
    spans: tuple[CellSpan, ...]
    is_header: bool


class _Reader:
    def __init__(self, document: WordBinary) -> None:
        self.flow = Flow()
        self.title = ""
        self._document = document
        self._field_depth: list[bool] = []  # of each open field: whether its result has begun
        self._cell: list[str] = []
        self._cells: list[str] = []
        self._rows: list[_Row] = []

    def read(self) -> None:
        """Write all blocks."""
        document = self._document
        for start, end in ((0, document.body_end), document.footnotes, document.endnotes):
            self._part(start, end)
        labels = [" ".join(self._visible(text).split()) for text, _ in self._paragraphs(*document.text_boxes)]
        self.flow.paragraph("; ".join(label for label in labels if 0 < len(label) <= _MAX_LABEL_CHARS))
        for label in labels:
            if len(label) > _MAX_LABEL_CHARS:
                self.flow.paragraph(label)
        self.flow.finish()

    def _part(self, start: int, end: int) -> None:
        for text, properties in self._paragraphs(start, end):
            is_in_table = bool(properties.numbers.get(IN_TABLE) or properties.numbers.get(TABLE_DEPTH))
            words = self._visible(text[:-1])
            if is_in_table:
                self._in_table(words, text[-1:], properties)
            else:
                self._end_table()
                self._paragraph(words, properties)
        self._end_table()

    def _paragraphs(self, start: int, end: int) -> list[tuple[str, Properties]]:
        """Texts with their end marks, and what they are."""
        text = self._document.text
        found = []
        position = start
        end = min(end, len(text))
        while position < end:
            match = _PARAGRAPH_END.search(text, position, end)
            stop = match.end() if match else end
            found.append((text[position:stop], self._document.properties_at(stop - 1)))
            position = stop
        return found

    def _visible(self, text: str) -> str:
        """A text without the instructions of its fields; a field may span paragraphs."""
        out: list[str] = []
        position = 0
        for match in _FIELD_MARKS.finditer(text):
            if all(self._field_depth):
                out.append(text[position : match.start()])
            position = match.end()
            if match[0] == "\x13":
                self._field_depth.append(False)
            elif self._field_depth and match[0] == "\x14":
                self._field_depth[-1] = True
            elif self._field_depth:
                self._field_depth.pop()
        if all(self._field_depth):
            out.append(text[position:])
        return "".join(out).translate(_SIGNS)

    def _paragraph(self, text: str, properties: Properties) -> None:
        stis, names = self._style_chain(properties.style)
        if stis and stis[0] in _STI_TABLE_OF_CONTENTS:
            return
        level = self._level(stis, names, properties)
        if stis and stis[0] == _STI_TITLE:
            self.title = self.title or " ".join(text.split())
            level = 1
        if level:
            self.flow.heading(text, level)
        elif any(CODE_STYLE.search(name) for name in names) and text.strip():
            for line in text.split("\n"):
                self.flow.code(line)
        elif properties.numbers.get(LIST_ID):
            self.flow.item(text, properties.numbers.get(LIST_DEPTH, 0))
        else:
            self.flow.paragraph(text)

    def _level(self, stis: list[int], names: list[str], properties: Properties) -> int:
        for sti, name in zip(stis, names, strict=True):
            match = HEADING_STYLE.fullmatch(name.strip())
            if 1 <= sti <= 9 or match is not None:
                return min(sti if 1 <= sti <= 9 else int(match[1]) if match else 1, 6)
        outline = properties.numbers.get(OUTLINE_LEVEL, 9)
        return min(outline + 1, 6) if outline < 9 else 0

    def _style_chain(self, style: int) -> tuple[list[int], list[str]]:
        stis: list[int] = []
        names: list[str] = []
        styles = self._document.styles
        while style < len(styles) and len(stis) < _MAX_BASES:
            stis.append(styles[style].sti)
            names.append(styles[style].name)
            style = styles[style].base
        return stis, names

    def _in_table(self, text: str, mark: str, properties: Properties) -> None:
        if properties.numbers.get(ROW_END):
            is_header = bool(properties.numbers.get(TABLE_HEADER))
            self._rows.append(_Row(self._cells, properties.cells, is_header))
            self._cells, self._cell = [], []
            return
        self._cell += [line.strip() for line in text.split("\n") if line.strip()]
        if mark == "\x07":
            self._cells.append(joined_lines(self._cell))
            self._cell = []

    def _end_table(self) -> None:
        if self._cells or self._cell:  # a row without an end
            self._rows.append(_Row([*self._cells, *filter(None, [joined_lines(self._cell)])], (), is_header=False))
            self._cells, self._cell = [], []
        if self._rows:
            rows, self._rows = self._rows, []
            marked = [row.is_header for row in rows]
            grid, merges = _grid(rows)
            self.flow.table(grid, merges, (marked.index(False) if False in marked else 0) or None)


def _grid(rows: list[_Row]) -> tuple[list[list[str]], list[Merge]]:
    """Cells on the columns that all their edges together make; rows of any width where edges are not known."""
    if any(len(row.spans) < len(row.cells) for row in rows):
        width = max(len(row.cells) for row in rows)
        return [row.cells + [""] * (width - len(row.cells)) for row in rows], []
    edges: list[int] = []
    for edge in sorted({edge for row in rows for span in row.spans for edge in (span.left, span.right)}):
        if not edges or edge - edges[-1] > _EDGE_TOLERANCE_TWIPS:
            edges.append(edge)
    width = max(len(edges) - 1, 1)
    grid: list[list[str]] = []
    merges: list[Merge] = []
    open_merges: dict[int, Merge] = {}
    for number, row in enumerate(rows):
        line = [""] * width
        for cell, span in zip(row.cells, row.spans, strict=False):
            left = min(_column(edges, span.left), width - 1)
            right = min(max(_column(edges, span.right) - 1, left), width - 1)
            above = open_merges.pop(left, None)
            if span.goes_on and above is not None:
                open_merges[left] = Merge(above.top, left, number, above.right)
                continue
            if above is not None:
                merges.append(above)
            line[left] = cell
            open_merges[left] = Merge(number, left, number, right)
        grid.append(line)
    merges += open_merges.values()
    return grid, [merge for merge in merges if (merge.top, merge.left) != (merge.bottom, merge.right)]


def _column(edges: list[int], edge: int) -> int:
    return min(range(len(edges)), key=lambda number: abs(edges[number] - edge))
