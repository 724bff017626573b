"""Lines of printed pages as headings, paragraphs, lists and code: what print only shows is told here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ingest.loaders.flow import Flow
from ingest.loaders.grid import Merge
from ingest.loaders.pdf_cells import LEADER, PrintedTable
from ingest.loaders.pdf_furniture import Outline, edge_lines, furniture_of
from ingest.loaders.pdf_layout import PrintedPage
from ingest.loaders.pdf_lines import Line
from ingest.loaders.pdf_page import HYPHEN

_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?[ 　\u2003]")
_BULLET = re.compile(r"([•●▪■◦‣–—○◆➢✓∙·]|\*(?= ))\s*(?=\S)|(\d{1,2}[.)、](?!\d)|[（(]\d{1,2}[)）])\s*(?=\S)")
_BROKEN_WORD = re.compile(rf"[a-z][-{HYPHEN}]$")
_COMPOUND = re.compile(rf"\w-\w+[-{HYPHEN}]$")  # out-of-, whose last hyphen is one
_TERMINAL = re.compile(r"[。！？!?.;；:：][”’」』）)\"']*$")
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]")
_LARGER = 1.15
_MAX_HEADING_CHARS = 120
_MAX_HEADING_LINES = 3
_NUMBER_BEFORE_WORD = re.compile(r"^(\d+(?:\.\d+)*)(?=[\u4e00-\u9fff])")
_TYPESCRIPT_SHARE = 0.6
_PROGRAM = re.compile(r"[;{}]\s*$|^\s*(?://|#include|__\w+__|[\w.]+\()|^[│├└]")
_CAPTION = re.compile(r"(?:表|图|table|figure|fig\.)\s*\d", re.IGNORECASE)


class TextWriter:
    """Writes the pages of one file."""

    def __init__(self, flow: Flow, pages: Sequence[PrintedPage], outline: Outline) -> None:
        self._flow = flow
        self._pages = pages
        self._outline = outline
        self._furniture = furniture_of(pages)
        self._body_size = _body_size(pages)
        self._is_typescript = _mono_share(pages) > _TYPESCRIPT_SHARE
        self._heading_sizes = self._larger_sizes()
        self._paragraph: list[Line] = []
        self._page = 0
        self._table_above: PrintedTable | None = None
        self._table_header: tuple[tuple[str, ...], ...] = ()

    def write(self) -> None:
        """Write all blocks."""
        for page in self._pages:
            edges = edge_lines(page)
            parts = [part for part in page.parts if part not in edges or not self._is_furniture(part)]
            for number, part in enumerate(parts):
                if isinstance(part, PrintedTable):
                    self._end_paragraph()
                    self._flow.page(page.number)
                    self._table(part, goes_on=number == 0)
                elif not LEADER.search(part.text):  # a line of the table of contents
                    self._line(part, page.number)
                    self._table_above = None
        self._end_paragraph()
        self._flow.finish()

    def _is_furniture(self, line: Line | PrintedTable) -> bool:
        if isinstance(line, PrintedTable):
            return False
        return self._furniture.holds(line)

    # -------------------------------------------------------------- paragraphs

    def _line(self, line: Line, page: int) -> None:
        if self._paragraph and not self._goes_on(self._paragraph, line, page):
            self._end_paragraph()
        if not self._paragraph:
            self._page = page
        self._paragraph.append(line)

    def _goes_on(self, above: Sequence[Line], line: Line, page: int) -> bool:
        """Whether a line belongs to the paragraph above it."""
        last = above[-1]
        if self._is_code(above[0]) or self._is_code(line):
            goes_on = self._is_code(line) or line.text.isdigit()  # the number of an empty line
            return page == self._page and self._is_code(above[0]) and goes_on
        if abs(last.size - line.size) > 0.12 * max(last.size, line.size) or last.is_bold != line.is_bold:
            return self._outline.begins(self._page, last.text)
        if self._level(above, self._page):
            return self._is_heading_continued(above, line)
        if _BULLET.match(line.text) or self._outline.level_of(page, line.text):
            return False
        width = max(last.column[1] - last.column[0], 1.0)
        ends_short = last.right < last.column[1] - 0.12 * width
        if ends_short and (_TERMINAL.search(last.text) or last.right < last.column[1] - 0.35 * width):
            return False
        is_indented = line.left > line.column[0] + 0.9 * line.size and line.left > last.left + 0.9 * line.size
        if is_indented and not (_BULLET.match(above[0].text) and len(above) == 1):
            return False
        if page != self._page or line.column != last.column or line.top < last.top:  # a new page or column
            return not _TERMINAL.search(last.text)
        return line.top - last.bottom < 0.9 * line.size

    def _is_code(self, line: Line) -> bool:
        """Whether a line is set as programs are; where all text is, it must also look like one."""
        return line.is_mono and (not self._is_typescript or _PROGRAM.search(line.text) is not None)

    def _is_heading_continued(self, above: Sequence[Line], line: Line) -> bool:
        last = above[-1]
        if self._outline.begins(self._page, " ".join(item.text for item in above)):
            return True
        if self._outline.level_of(self._page, " ".join(item.text for item in above)):
            return False
        is_large = last.size > _LARGER * self._body_size
        return is_large and len(above) < _MAX_HEADING_LINES and 0 <= line.top - last.bottom < 0.8 * line.size

    def _end_paragraph(self) -> None:
        lines, self._paragraph = self._paragraph, []
        if not lines:
            return
        self._flow.page(self._page)
        if self._is_code(lines[0]):
            self._code(lines)
            return
        text = _text(lines)
        level = self._level(lines, self._page)
        bullet = _BULLET.match(text)
        if level:
            self._flow.heading(_NUMBER_BEFORE_WORD.sub(r"\1 ", text), level)
        elif bullet and (bullet[1] or len(lines) < 12):
            marker = "-" if bullet[1] else bullet[2]
            depth = int(max(0.0, lines[0].left - lines[0].column[0]) // 24)
            self._flow.item(text[bullet.end() :], depth, marker)
        else:
            self._flow.paragraph(text)

    # -------------------------------------------------------------- headings

    def _level(self, lines: Sequence[Line], page: int) -> int:
        text = _text(lines)
        if len(lines) > _MAX_HEADING_LINES or len(text) > _MAX_HEADING_CHARS or not re.search(r"\w", text):
            return 0
        level = self._outline.level_of(page, text)
        if level or not self._outline.is_empty:
            return level
        size = round(lines[0].size, 1)
        numbered = _NUMBERED.match(text)
        if size > _LARGER * self._body_size and not _CAPTION.match(text):
            if numbered is not None:
                return min(numbered[1].count(".") + 1, 6)
            return self._rank(size)
        if not lines[0].is_bold or _TERMINAL.search(text) or len(lines) > 1 or _CAPTION.match(text):
            return 0
        if numbered is not None:
            return min(numbered[1].count(".") + 1, 6)
        # A bold line that fills its column is the beginning of a sentence.
        fills = lines[0].right > lines[0].column[1] - 0.15 * (lines[0].column[1] - lines[0].column[0])
        return 0 if fills or len(text) > _MAX_HEADING_CHARS // 2 else min(len(self._heading_sizes) + 1, 6)

    def _rank(self, size: float) -> int:
        return min(1 + sum(1 for larger in self._heading_sizes if larger > size * 1.05), 6)

    def _larger_sizes(self) -> list[float]:
        """Sizes that headings are set in, largest first; what stands on a page once and larger is a title."""
        sizes: Counter[float] = Counter()
        for page in self._pages:
            for line in page.lines:
                if line.size > _LARGER * self._body_size and len(line.text) <= _MAX_HEADING_CHARS:
                    sizes[round(line.size, 1)] += 1
        distinct: list[float] = []
        for size in sorted(sizes, reverse=True):
            if not distinct or size < distinct[-1] / 1.05:
                distinct.append(size)
        return distinct

    # -------------------------------------------------------------- code and tables

    def _code(self, lines: Sequence[Line]) -> None:
        left = min(line.left for line in lines)
        widths = [run.right - run.left for line in lines for run in line.runs]
        chars = sum(len(run.text) for line in lines for run in line.runs)
        char_width = max(sum(widths) / max(chars, 1), 1.0)
        for line in lines:
            out = ""
            for run in line.runs:
                column = round((run.left - left) / char_width)
                out = out.ljust(column) if len(out) < column else out + (" " if run.after_space and out else "")
                out += run.text.replace(HYPHEN, "-")
            self._flow.code(out)

    def _table(self, table: PrintedTable, *, goes_on: bool) -> None:
        """A table; one that goes on from the page before gets its header row again."""
        rows, header_rows = table.rows, table.header_rows
        above = self._table_above
        self._table_above = table
        header = self._table_header
        if goes_on and above is not None and header and _same_columns(above, table):
            header_rows = len(header)
            if rows[:header_rows] != header:
                moved = [
                    Merge(item.top + header_rows, item.left, item.bottom + header_rows, item.right)
                    for item in table.merges
                ]
                self._flow.table((*header, *rows), moved, header_rows)
                return
        before = len(self._flow.builder.blocks)
        self._flow.table(rows, table.merges, header_rows)
        self._table_header = ()
        written = self._flow.builder.blocks[before:]
        if written and written[-1].kind == "table" and written[-1].header_end > written[-1].start:
            self._table_header = rows[: header_rows or 1]


def _same_columns(first: PrintedTable, second: PrintedTable) -> bool:
    return len(first.rows[0]) == len(second.rows[0]) and abs(first.left - second.left) < 12


def _text(lines: Sequence[Line]) -> str:
    """Lines as one text: words that were broken are whole again, Chinese goes on without a space."""
    text = ""
    for line in lines:
        words = line.text
        if _BROKEN_WORD.search(text) and words[:1].islower():
            text = (text if _COMPOUND.search(text) else text[:-1]) + words
        elif text and _WIDE.match(text[-1]) and _WIDE.match(words[:1]):
            text += words
        else:
            text = f"{text} {words}" if text else words
    return text.rstrip(HYPHEN).replace(HYPHEN, "-")


# ------------------------------------------------------------------ what all pages repeat


def _mono_share(pages: Sequence[PrintedPage]) -> float:
    """How much of a file is set in a font of fixed width."""
    lines = [(len(line.text), line.is_mono) for page in pages for line in page.lines]
    return sum(chars for chars, is_mono in lines if is_mono) / max(sum(chars for chars, _ in lines), 1)


def _body_size(pages: Sequence[PrintedPage]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0
