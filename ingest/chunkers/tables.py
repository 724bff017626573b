"""Cutting tables: between rows, every part with the header; a row too wide for that between its columns.

A part cut out of a row carries the row's label and its own columns' names, so that it can still be read.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingest.chunkers.borders import Atom, Border, pack
from ingest.chunkers.context import Context
from ingest.chunkers.draft import Draft, Piece
from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.pieces import PieceCutter
from ingest.chunkers.ruler import Ruler, columns
from ingest.chunkers.table_text import Row, RowCells, TableText
from ingest.loaders.markdown import plain
from kb.types import Block, Span


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
        self._table = TableText(text, block)
        self._pieces_of = PieceCutter(text, ruler, context)

    def passages(self) -> list[Draft]:
        """All rows in order; parts of a row where it is too wide."""
        block, limit = self._block, self._limits.passage_columns
        rows = list(self._table.rows())
        if not rows:
            return [self._draft(block.start, block.end, "", self._header_piece())]
        if self._ruler.width(block.start, block.end) <= limit:
            return [self._draft(block.start, block.end, "", self._pieces(rows))]
        room = limit - columns(self._table.header)
        drafts: list[Draft] = []
        run: list[Row] = []
        for row in rows:
            if self._ruler.width(row.start, row.end) <= room:
                run.append(row)
                continue
            drafts += self._run(run, room, is_first=not drafts)
            run = []
            drafts += self._wide_row(row)
        return drafts + self._run(run, room, is_first=not drafts)

    def _run(self, rows: Sequence[Row], room: int, *, is_first: bool) -> list[Draft]:
        """Passages of rows that all fit beside the header, cut between groups of rows where possible."""
        if not rows:
            return []
        following = [*(row.starts_group for row in rows[1:]), True]
        atoms = [
            Atom(row.start, row.end, Border.SENTENCE if next_starts else Border.COMMA)
            for row, next_starts in zip(rows, following, strict=True)
        ]
        header = self._table.header
        target = max(1, min(room, self._limits.passage_target_columns - columns(header)))
        drafts: list[Draft] = []
        position = 0
        for group in pack(atoms, self._ruler, room, target):
            begin = position
            while position < len(rows) and rows[position].end <= group.end:
                position += 1
            with_header = is_first and not drafts
            start = self._block.start if with_header else group.start
            pieces = self._pieces(rows[begin:position])
            drafts.append(self._draft(start, group.end, "" if with_header else header, pieces))
        return drafts

    def _wide_row(self, row: Row) -> list[Draft]:
        """Passages of one row that is wider than a passage, each some neighbouring cells."""
        cells = self._table.cells(row)
        fixed = columns(self._table.part_prefix(cells, 1, 1)) + 2
        drafts: list[Draft] = []
        first = width = 0
        for column, span in enumerate(cells.spans):
            added = self._ruler.width(span.start, span.end) + columns(self._table.name(column)) + len(" | |---")
            if column > first and fixed + width + added > self._limits.passage_columns:
                drafts += self._row_part(cells, first, column)
                first, width = column, 0
            width += added
        return drafts + self._row_part(cells, first, len(cells.spans))

    def _row_part(self, cells: RowCells, first: int, last: int) -> list[Draft]:
        start, end = cells.spans[first].start, cells.spans[last - 1].end
        if end < cells.row.end and self._text[end] == "|":
            end += 1
        prefix = self._table.part_prefix(cells, first, last)
        pieces = self._cell_pieces(cells, first, last)
        if columns(prefix) + self._ruler.width(start, end) <= self._limits.passage_columns:
            return [self._draft(start, end, prefix, pieces)]
        # One cell is wider than a passage: its text is cut like prose, each part under the same names.
        room = max(self._limits.passage_columns - columns(prefix), self._limits.passage_columns // 2)
        return [
            self._draft(
                piece.span.start, piece.span.end, prefix if piece.span.start == start else prefix + "| ", [piece]
            )
            for piece in self._one_cell(cells, first, max_columns=room)
        ]

    def _draft(self, start: int, end: int, prefix: str, pieces: Sequence[Piece]) -> Draft:
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

    def _pieces(self, rows: Sequence[Row]) -> list[Piece]:
        """A few rows each."""
        pieces: list[Piece] = []
        waiting: list[tuple[RowCells, str]] = []
        width = 0
        for row in rows:
            cells = self._table.cells(row)
            sentence = self._table.said(cells)
            if waiting and width + columns(sentence) > self._limits.piece_columns:
                pieces += self._piece_of(waiting)
                waiting, width = [], 0
            waiting.append((cells, sentence))
            width += columns(sentence)
        return pieces + (self._piece_of(waiting) if waiting else [])

    def _piece_of(self, rows: Sequence[tuple[RowCells, str]]) -> list[Piece]:
        said = "\n".join(sentence for _, sentence in rows if sentence)
        if not said:
            return []
        embed_text = self._embed_text(said)
        if self._context.fits(embed_text):
            return [Piece(Span(rows[0][0].row.start, rows[-1][0].row.end), embed_text)]
        if len(rows) > 1:
            half = len(rows) // 2
            return self._piece_of(rows[:half]) + self._piece_of(rows[half:])
        cells = rows[0][0]
        return self._cell_pieces(cells, 0, len(cells.spans))

    def _cell_pieces(self, cells: RowCells, first: int, last: int) -> list[Piece]:
        """Pieces of one row, each some neighbouring cells told with the row's label."""
        said = self._table.said(cells, first, last)
        embed_text = self._embed_text(said)
        if said and columns(said) <= 2 * self._limits.piece_columns and self._context.fits(embed_text):
            return [Piece(Span(cells.spans[first].start, cells.spans[last - 1].end), embed_text)]
        if last - first > 1:
            half = (first + last) // 2
            return self._cell_pieces(cells, first, half) + self._cell_pieces(cells, half, last)
        return self._one_cell(cells, first)

    def _one_cell(self, cells: RowCells, column: int, max_columns: int = 0) -> list[Piece]:
        """Pieces of one cell, each told with the row's label and the column's name."""
        name = self._table.name(column)
        head = " ".join(part for part in (cells.row.label, name) if part) if column else name
        span = cells.spans[column]

        def embed_text(start: int, end: int) -> str:
            said = plain(self._text[start:end].strip("| \t"))
            return self._embed_text(f"{head}: {said}" if head else said) if said else ""

        return self._pieces_of.fitting(span.start, span.end, embed_text, max_columns=max_columns)

    def _header_piece(self) -> list[Piece]:
        span = Span(self._block.start, self._block.end)
        embed_text = self._embed_text("; ".join(name for name in self._table.names if name))
        return [Piece(span, embed_text)] if self._context.fits(embed_text) else []

    def _embed_text(self, body: str) -> str:
        return self._context.embed_text(self._block.heading_path, self._caption, body)
