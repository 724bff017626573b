"""Word documents since 2007 (`.docx`): the body in document order, with its tables, lists and headings."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.docx_styles import NS, Styles, w
from ingest.loaders.docx_text import Pages, paragraph_text, text_boxes
from ingest.loaders.flow import Flow
from ingest.loaders.grid import Merge
from ingest.loaders.pipe_table import joined_lines
from kb.errors import DocumentError

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from lxml.etree import _Element as Element

_CONTAINERS = frozenset({w("sdt"), w("sdtContent"), w("customXml"), w("smartTag"), w("ins"), w("moveTo")})
_MAX_SPAN = 1000
_MAX_LABEL_CHARS = 60


class DocxLoader:
    """Reads `.docx`."""

    media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

    def parse(self, source: SourceFile) -> Parsed:
        """Read the body, then the footnotes."""
        import docx

        document = docx.Document(io.BytesIO(source.data))
        body = _Body(document, source)
        body.read()
        builder = body.flow.builder
        title = body.title or (document.core_properties.title or "")
        return Parsed(builder.text, builder.blocks, title)


class _Body:
    def __init__(self, document: WordDocument, source: SourceFile) -> None:
        self.flow = Flow()
        self.title = ""
        self._document = document
        self._source = source
        self._styles = Styles(document)
        self._pages = Pages(document.element.body)

    def read(self) -> None:
        """Write all blocks."""
        self.flow.page(self._pages.current)
        self._blocks(self._document.element.body)
        self._footnotes()
        self.flow.finish()

    def _blocks(self, parent: Element) -> None:
        for child in parent:
            if child.tag == w("p"):
                self._paragraph(child)
            elif child.tag == w("tbl"):
                self._table(child)
            elif child.tag in _CONTAINERS:
                self._blocks(child)

    def _paragraph(self, paragraph: Element) -> None:
        page = self._pages.current
        text = paragraph_text(paragraph)
        self._pages.pass_by(paragraph)
        # A break before the first word has moved the paragraph to the next page.
        self.flow.page(self._pages.first_word_page(paragraph, page))
        style = self._styles.of(paragraph)
        if style.is_contents:
            return
        if style.is_title and not self.title:
            self.title = " ".join(text.split())
        if style.level:
            self.flow.heading(text, style.level)
        elif style.marker:
            self.flow.item(text, style.depth, style.marker)
        elif style.is_code and text.strip():
            for line in text.split("\n"):
                self.flow.code(line)
        else:
            self.flow.paragraph(text)
        self._text_boxes(text_boxes(paragraph))

    def _text_boxes(self, boxes: list[Element]) -> None:
        """The labels of a drawing are one paragraph; a box with more in it is read like the body."""
        labels: list[str] = []
        for box in boxes:
            text = "; ".join(filter(None, (" ".join(paragraph_text(item).split()) for item in box.findall(w("p")))))
            if box.find(w("tbl")) is None and len(text) <= _MAX_LABEL_CHARS:
                labels.append(text)
            else:
                self._blocks(box)
        self.flow.paragraph("; ".join(filter(None, labels)))

    def _table(self, table: Element) -> None:
        rows = table.findall("w:tr", NS)
        self.flow.page(self._pages.current)
        cells = [cell for row in rows for cell in row.findall("w:tc", NS)]
        if len(cells) == 1:  # a frame around text
            self._blocks(cells[0])
            return
        grid, merges = _grid(rows, self._source.limits.max_table_columns)
        marked = [row.find("w:trPr/w:tblHeader", NS) is not None for row in rows]
        header_rows = marked.index(False) if False in marked else 0
        self.flow.table(grid, merges, header_rows or None)
        self._pages.pass_by(table)

    def _footnotes(self) -> None:
        from lxml import etree

        for relation in self._document.part.rels.values():
            if relation.is_external or not relation.reltype.endswith(("/footnotes", "/endnotes")):
                continue
            root = etree.fromstring(relation.target_part.blob, etree.XMLParser(resolve_entities=False))
            for note in root:
                if note.get(w("type")) is None:
                    self.flow.paragraph("\n".join(paragraph_text(item) for item in note.iter(w("p"))))


def _grid(rows: list[Element], max_columns: int) -> tuple[list[list[str]], list[Merge]]:
    """Cells by row and column, and which of them are merged."""
    grid: list[list[str]] = []
    merges: list[Merge] = []
    open_merges: dict[int, Merge] = {}
    for number, row in enumerate(rows):
        line = [""] * _number(row.find("w:trPr/w:gridBefore", NS))
        for cell in _cells(row):
            column, span = len(line), _number(cell.find("w:tcPr/w:gridSpan", NS)) or 1
            vertical = cell.find("w:tcPr/w:vMerge", NS)
            goes_on = vertical is not None and vertical.get(w("val"), "continue") == "continue"
            if goes_on and column in open_merges:
                above = open_merges[column]
                open_merges[column] = Merge(above.top, above.left, number, above.right)
            else:
                _close(open_merges, column, merges)
                if span > 1 or vertical is not None:
                    open_merges[column] = Merge(number, column, number, column + span - 1)
            line += ["" if goes_on else _cell_text(cell)] + [""] * (span - 1)
            if vertical is None:
                _close(open_merges, column, merges)
        if len(line) > max_columns:
            raise DocumentError(f"It holds a table of more than {max_columns} columns.")
        grid.append(line)
    for column in list(open_merges):
        _close(open_merges, column, merges)
    width = max(map(len, grid), default=0)
    return [line + [""] * (width - len(line)) for line in grid], merges


def _close(open_merges: dict[int, Merge], column: int, merges: list[Merge]) -> None:
    merge = open_merges.pop(column, None)
    if merge is not None and (merge.bottom, merge.right) != (merge.top, merge.left):
        merges.append(merge)


def _cells(row: Element) -> list[Element]:
    found: list[Element] = []
    for child in row:
        if child.tag == w("tc"):
            found.append(child)
        elif child.tag in _CONTAINERS:
            found += _cells(child)
    return found


def _cell_text(cell: Element) -> str:
    """All that stands in a cell on one line; a table inside it is told row by row."""
    lines: list[str] = []
    for child in cell:
        if child.tag == w("p"):
            lines += [line.strip() for line in paragraph_text(child).split("\n")]
        elif child.tag == w("tbl"):
            lines += [", ".join(filter(None, map(_cell_text, _cells(row)))) for row in child.findall("w:tr", NS)]
        elif child.tag in _CONTAINERS:
            lines.append(_cell_text(child))
    return joined_lines([line for line in lines if line])


def _number(element: Element | None) -> int:
    value = element.get(w("val"), "") if element is not None else ""
    return min(int(value), _MAX_SPAN) if value.isascii() and value.isdigit() and len(value) < 9 else 0
