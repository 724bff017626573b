"""CSV and TSV as pipe tables; `#` comment lines part them."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

from ingest.cleaning import clean, is_blank
from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.builder import TextBuilder
from ingest.loaders.encoding import decode
from ingest.loaders.header_row import looks_like_header
from kb.errors import DocumentError

_DELIMITERS = ",\t;|"
_MAX_HEADING_CHARS = 80
_SAMPLE_CHARS = 64 * 1024
# A table written for a Sphinx document: :doc:`label <target>`, [#note]_
_ROLE = re.compile(r"(?::[a-z:]+:)?`([^`<]+?)\s*(?:<[^`>]*>)?`_{0,2}")
_TARGET = re.compile(r"\.\. _[^:]+:")
_FOOTNOTE_MARK = re.compile(r"\s*\[#[\w-]*\]_")


class CsvLoader:
    """Reads `.csv` and `.tsv`."""

    media_type = "text/csv"

    def parse(self, source: SourceFile) -> Parsed:
        """Read the rows; quoted line breaks become spaces, so that a row is one line."""
        decoded = decode(source.data)
        text = clean(decoded.text)
        rows = list(read_rows(text, "\t" if source.doc_id.lower().endswith(".tsv") else _delimiter(text)))
        if rows and max(map(len, rows)) > source.limits.max_table_columns:
            raise DocumentError(f"A row has more than {source.limits.max_table_columns} columns.")
        builder = TextBuilder()
        writer = _Writer(builder, _usual_width(rows))
        for row in rows:
            writer.row(row)
        writer.finish()
        return Parsed(builder.text, builder.blocks, "", decoded.encoding, {}, decoded.warnings)


def _delimiter(text: str) -> str:
    sample = "\n".join(line for line in text[:_SAMPLE_CHARS].split("\n") if line and not line.startswith("#"))
    first = sample.split("\n", 1)[0]
    counts = {mark: _steady_count(sample, mark) for mark in _DELIMITERS}
    return max(_DELIMITERS, key=lambda mark: (counts[mark], first.count(mark)))


def _steady_count(sample: str, mark: str) -> int:
    """How many rows of the sample have the most frequent number of fields, if that is more than one."""
    widths: dict[int, int] = {}
    for row in csv.reader(io.StringIO(sample), delimiter=mark):
        widths[len(row)] = widths.get(len(row), 0) + 1
    return max((n for width, n in widths.items() if width > 1), default=0)


def read_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Rows of `text`; a quoted line break stays inside its cell."""
    previous = csv.field_size_limit(max(len(text), 1))
    try:
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            yield [_cell(value) for value in row]
    except csv.Error as error:
        raise DocumentError(f"It cannot be read as CSV: {error}.") from error
    finally:
        csv.field_size_limit(previous)


def _cell(value: str) -> str:
    if is_blank(value):
        return ""
    if "`" in value:
        value = _ROLE.sub(r"\1", value)
    return "" if _TARGET.fullmatch(value.strip()) else _FOOTNOTE_MARK.sub("", value).strip()


class _Writer:
    """Writes runs of rows as tables.

    A comment is the heading of what follows, a remark, a row that was commented out (it keeps its `#`), or, above
    the first row and as wide as it, the names of the columns.
    """

    def __init__(self, builder: TextBuilder, width: int) -> None:
        self._builder = builder
        self._width = width
        self._names: list[str] = []
        self._remarks: list[str] = []
        self._table: list[list[str]] = []

    def row(self, row: list[str]) -> None:
        """Take the next row."""
        comment = _comment(row)
        if comment is None:
            if any(row):
                self._table.append(row)
        elif len(comment) != self._width or self._width < 2:
            if self._table:
                self.finish()
            self._remarks.append(", ".join(value for value in comment if value))
        elif self._table or self._names:
            self._table.append([f"# {comment[0]}", *comment[1:]])
        else:
            self._names = comment

    def finish(self) -> None:
        """Write what was gathered."""
        remarks = [remark for remark in self._remarks if remark]
        heading = remarks.pop() if self._table and remarks and len(remarks[-1]) <= _MAX_HEADING_CHARS else ""
        self._builder.paragraph("\n".join(remarks))
        if heading:
            self._builder.heading(heading, 2)
        if self._table and self._names:
            self._builder.table(_without_empty_columns([self._names, *self._table]), 1)
        elif self._table:
            header = 1 if looks_like_header(self._table[0], self._table[1:]) else 0
            self._builder.table(_without_empty_columns(self._table), header)
        self._remarks, self._table = [], []


def _comment(row: list[str]) -> list[str] | None:
    return [row[0].lstrip("# "), *row[1:]] if row and row[0].startswith("#") else None


def _usual_width(rows: list[list[str]]) -> int:
    widths = Counter(len(row) for row in rows if any(row) and _comment(row) is None)
    return widths.most_common(1)[0][0] if widths else 0


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    width = max(map(len, rows))
    kept = [column for column in range(width) if any(column < len(row) and row[column] for row in rows)]
    return [[row[column] if column < len(row) else "" for column in kept] for row in rows]
