"""CSV and TSV: each run of rows is one table, each `#` comment line between runs is its caption."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from ingest.cleaning import clean
from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.builder import TextBuilder
from ingest.loaders.encoding import decode
from ingest.loaders.header_row import looks_like_header
from kb.errors import DocumentError

_DELIMITERS = ",\t;|"
_SAMPLE_CHARS = 64 * 1024
# A table written for a Sphinx document: :doc:`label <target>`, [#note]_
_ROLE = re.compile(r":[a-z:]+:`([^`<]+?)\s*(?:<[^`>]*>)?`")
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
        for comments, table in _tables(rows):
            _write(builder, comments, table)
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
    if "`" in value:
        value = _ROLE.sub(r"\1", value)
    return _FOOTNOTE_MARK.sub("", value).strip()


def _tables(rows: list[list[str]]) -> Iterator[tuple[list[list[str]], list[list[str]]]]:
    """Runs of rows with the comment rows above each."""
    comments: list[list[str]] = []
    table: list[list[str]] = []
    for row in rows:
        is_comment = bool(row) and row[0].startswith("#")
        if (is_comment or not any(row)) and table:
            yield comments, table
            comments, table = [], []
        if is_comment:
            comments.append([row[0].lstrip("# "), *row[1:]])
        elif any(row):
            table.append([] if _is_sphinx_target(row) else row)
    if comments or table:
        yield comments, table


def _is_sphinx_target(row: list[str]) -> bool:
    return [value[:4] for value in row if value] == [".. _"]


def _write(builder: TextBuilder, comments: list[list[str]], table: list[list[str]]) -> None:
    rows = [row for row in table if row]
    words = [", ".join(value for value in comment if value) for comment in comments]
    if not rows:
        builder.paragraph("\n".join(words))
        return
    header = 1 if looks_like_header(rows[0], rows[1:]) else 0
    builder.table(_without_empty_columns(rows), header, "\n".join(word for word in words if word))


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    width = max(map(len, rows))
    kept = [column for column in range(width) if any(column < len(row) and row[column] for row in rows)]
    return [[row[column] if column < len(row) else "" for column in kept] for row in rows]
