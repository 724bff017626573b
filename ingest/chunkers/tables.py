"""Cutting tables: between rows, every part with the header; a row too wide for that between its columns.

A part cut out of a row carries the row's label and its own columns' names, so that it can still be read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.chunkers.borders import Atom, Border, pack
from ingest.chunkers.context import Context
from ingest.chunkers.draft import Draft, Piece
from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.pieces import PieceCutter
from ingest.chunkers.ruler import Ruler, columns
from ingest.loaders.markdown import plain
from ingest.loaders.pipe_table import split_row
from kb.types import Block, Span

_CELL = re.compile(r"(?:\\.|[^|\\])*")
# Heads a column whose cells are themselves the names of what stands beside them.
_NAME_COLUMN = re.compile(
    r"参数|参数名称?|项目?|名称|指标|属性|规格|字段|特性|配置项?|parameters?|items?|propert(?:y|ies)|specs?|specifications?"
    r"|attributes?|fields?|features?|keys?|names?|metrics?|",
    re.IGNORECASE,
)
_MAX_LABEL_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class _Row:
    start: int
    end: int
    label: str
    """Its first cell; for a row that leaves it empty, as in a merged column, the one above."""
    starts_group: bool


class TableCutter:
    """Cuts the tables of one document."""

    def __init__(self, text: str, ruler: Ruler, context: Context, limits: ChunkLimits) -> None:
        self._text = text
        self._ruler = ruler
        self._context = context
        self._limits = limits

    def passages(self, block: Block, caption: str) -> list[Draft]:
        """Passages of one table."""
        return _Table(self._text, self._ruler, self._context, self._limits, block, caption).passages()


class _Table:
    def __init__(
        self, text: str, ruler: Ruler, context: Context, limits: ChunkLimits, block: Block, caption: str
    ) -> None:
        self._text = text
        self._ruler = ruler
        self._context = context
        self._limits = limits
        self._block = block
        self._caption = caption
        self._header = text[block.start : block.header_end]
        first_line = self._header.split("\n", 1)[0]
        self._names = [plain(name) for name in split_row(first_line)] if first_line else []
        self._is_name_and_value = len(self._names) == 2 and _NAME_COLUMN.fullmatch(self._names[0]) is not None
        self._rows = self._read_rows()

    def passages(self) -> list[Draft]:
        """All rows in order; parts of a row where it is too wide."""
        limit = self._limits.passage_columns
        if not self._rows:  # a header and nothing else
            return [self._draft(self._block.start, self._block.end, "", self._rows)]
        if self._ruler.width(self._block.start, self._block.end) <= limit:
            return [self._draft(self._block.start, self._block.end, "", self._rows)]
        room = limit - columns(self._header)
        drafts: list[Draft] = []
        run: list[_Row] = []
        for row in self._rows:
            if self._ruler.width(row.start, row.end) <= room:
                run.append(row)
                continue
            drafts += self._run(run, room)
            run = []
            drafts += self._wide_row(row)
        return drafts + self._run(run, room)

    def _read_rows(self) -> list[_Row]:
        rows: list[_Row] = []
        label = ""
        position = self._block.header_end
        while position < self._block.end:
            line_end = self._text.find("\n", position, self._block.end)
            line_end = self._block.end if line_end < 0 else line_end
            line = self._text[position:line_end]
            if line.strip():
                first = plain(split_row(line)[0])
                label = first or label
                rows.append(_Row(position, line_end, label, bool(first)))
            position = line_end + 1
        return rows

    def _run(self, rows: Sequence[_Row], room: int) -> list[Draft]:
        """Passages of rows that all fit beside the header, cut between groups of rows where possible."""
        if not rows:
            return []
        following = [*(row.starts_group for row in rows[1:]), True]
        atoms = [
            Atom(row.start, row.end, Border.SENTENCE if next_starts else Border.COMMA)
            for row, next_starts in zip(rows, following, strict=True)
        ]
        target = max(1, min(room, self._limits.passage_target_columns - columns(self._header)))
        drafts = []
        for group in pack(atoms, self._ruler, room, target):
            inside = [row for row in rows if group.start <= row.start < group.end]
            is_first = bool(self._header) and inside[0] is self._rows[0]
            start = self._block.start if is_first else group.start
            drafts.append(self._draft(start, group.end, "" if is_first else self._prefix(), inside))
        return drafts

    def _prefix(self) -> str:
        return self._header if not self._header or self._header.endswith("\n") else self._header + "\n"

    def _draft(self, start: int, end: int, prefix: str, rows: Sequence[_Row]) -> Draft:
        pieces = self._pieces(rows) if rows else self._header_piece(start, end)
        return self._finished(start, end, prefix, pieces)

    def _finished(self, start: int, end: int, prefix: str, pieces: Sequence[Piece]) -> Draft:
        block = self._block
        return Draft(
            "table",
            start,
            end,
            block.heading_path,
            tuple(pieces),
            prefix=prefix,
            caption=self._caption,
            page=block.page,
            page_end=block.page,
        )

    # ---------------------------------------------------------------- pieces

    def _pieces(self, rows: Sequence[_Row]) -> list[Piece]:
        pieces: list[Piece] = []
        waiting: list[tuple[_Row, str]] = []
        width = 0
        for row in rows:
            sentence = self._said(row, range(10**9))
            if waiting and width + columns(sentence) > self._limits.piece_columns:
                pieces += self._piece_of(waiting)
                waiting, width = [], 0
            waiting.append((row, sentence))
            width += columns(sentence)
        return pieces + (self._piece_of(waiting) if waiting else [])

    def _piece_of(self, rows: Sequence[tuple[_Row, str]]) -> list[Piece]:
        embed_text = self._embed_text("\n".join(sentence for _, sentence in rows))
        if self._context.fits(embed_text):
            return [Piece(Span(rows[0][0].start, rows[-1][0].end), embed_text)]
        if len(rows) > 1:
            half = len(rows) // 2
            return self._piece_of(rows[:half]) + self._piece_of(rows[half:])
        return self._row_pieces(rows[0][0], self._cells(rows[0][0]))

    def _row_pieces(self, row: _Row, cells: Sequence[Span]) -> list[Piece]:
        """Pieces of one row, each some neighbouring cells told with the row's label."""
        first = self._cells(row).index(cells[0])
        embed_text = self._embed_text(self._said(row, range(first, first + len(cells))))
        if self._context.fits(embed_text):
            return [Piece(Span(cells[0].start, cells[-1].end), embed_text)]
        if len(cells) > 1:
            half = len(cells) // 2
            return self._row_pieces(row, cells[:half]) + self._row_pieces(row, cells[half:])
        return self._cell_pieces(row, first, cells[0])

    def _cell_pieces(self, row: _Row, column: int, cell: Span) -> list[Piece]:
        """Pieces of one cell that is longer than the model's window."""
        name = self._names[column] if column < len(self._names) else ""
        head = self._label_and_name(row, name) if column else name

        def embed_text(start: int, end: int) -> str:
            said = plain(self._text[start:end].strip("| \t"))
            return self._embed_text(f"{head}: {said}" if head else said) if said else ""

        return PieceCutter(self._text, self._ruler, self._context).fitting(cell.start, cell.end, embed_text)

    def _header_piece(self, start: int, end: int) -> list[Piece]:
        embed_text = self._embed_text("; ".join(name for name in self._names if name))
        return [Piece(Span(start, end), embed_text)] if self._context.fits(embed_text) else []

    def _embed_text(self, body: str) -> str:
        return self._context.embed_text(self._block.heading_path, self._caption, body)

    def _said(self, row: _Row, wanted: range) -> str:
        """A row as words: `card: K100; cabinet: C-17`."""
        cells = [plain(value) for value in split_row(self._text[row.start : row.end])]
        if len(cells) == 2 and all(cells) and self._is_name_and_value:
            return ": ".join(cells)
        if cells and not cells[0]:
            cells[0] = row.label
        parts = []
        for column, value in enumerate(cells):
            if value and column in wanted:
                name = self._names[column] if column < len(self._names) else ""
                parts.append(f"{name}: {value}" if name and name != value else value)
        if wanted.start and row.label:
            parts.insert(0, row.label)
        return "; ".join(parts)

    def _label_and_name(self, row: _Row, name: str) -> str:
        return " ".join(part for part in (row.label[:_MAX_LABEL_COLUMNS], name) if part)

    # ---------------------------------------------------------------- rows wider than a passage

    def _cells(self, row: _Row) -> list[Span]:
        """Spans of a row's cells, each with the pipe before it."""
        spans: list[Span] = []
        position = row.start + len(self._text[row.start : row.end]) - len(self._text[row.start : row.end].lstrip())
        while position < row.end:
            inside = position + 1 if self._text[position] == "|" else position
            match = _CELL.match(self._text, inside, row.end)
            end = max(match.end() if match else row.end, inside)
            if not self._text[inside:end].strip() and end >= row.end:
                break  # only the closing pipe is left
            spans.append(Span(position, end))
            position = end if end > position else end + 1
        return spans or [Span(row.start, row.end)]

    def _wide_row(self, row: _Row) -> list[Draft]:
        cells = self._cells(row)
        limit = self._limits.passage_columns
        drafts: list[Draft] = []
        group: list[Span] = []
        for cell in cells:
            candidate = [*group, cell]
            if group and self._group_columns(row, cells, candidate) > limit:
                drafts.append(self._group_draft(row, cells, group))
                group = []
            group.append(cell)
        drafts.append(self._group_draft(row, cells, group))
        return drafts

    def _group_columns(self, row: _Row, cells: Sequence[Span], group: Sequence[Span]) -> int:
        return columns(self._group_prefix(row, cells, group)) + self._ruler.width(group[0].start, group[-1].end) + 2

    def _group_prefix(self, row: _Row, cells: Sequence[Span], group: Sequence[Span]) -> str:
        first = cells.index(group[0])
        names = [self._names[i] if i < len(self._names) else "" for i in range(first, first + len(group))]
        if first == 0:
            labels: list[str] = []
        else:
            names.insert(0, self._names[0] if self._names else "")
            labels = [row.label[:_MAX_LABEL_COLUMNS]]
        header = ""
        if self._header:
            header = (
                "| " + " | ".join(name.replace("|", "\\|") for name in names) + " |\n" + "|---" * len(names) + "|\n"
            )
        return header + "".join(f"| {label.replace('|', chr(92) + '|')} " for label in labels)

    def _group_draft(self, row: _Row, cells: Sequence[Span], group: Sequence[Span]) -> Draft:
        end = group[-1].end
        if end < row.end and self._text[end] == "|":
            end += 1
        prefix = self._group_prefix(row, cells, group)
        return self._finished(group[0].start, end, prefix, self._row_pieces(row, group))
