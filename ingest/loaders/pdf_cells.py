"""Cells of a printed table: what stands in them, and which columns they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.loaders.grid import Merge
from ingest.loaders.pdf_lines import joined, rows_of
from ingest.loaders.pdf_page import HYPHEN, Run
from ingest.loaders.pipe_table import joined_lines

SNAP = 3.0
"""Points that two edges may lie apart and still be one."""
LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}")
"""The dots between a heading and its page in a table of contents."""
_MIN_GAP_EM = 0.55


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table and where it stands.

    Attributes:
        header_rows: where rules tell; None if the cells must.
    """

    left: float
    top: float
    right: float
    bottom: float
    rows: tuple[tuple[str, ...], ...]
    merges: tuple[Merge, ...] = ()
    header_rows: int | None = None

    def holds(self, run: Run) -> bool:
        """Whether a run stands in it."""
        x = (run.left + run.right) / 2
        return self.left - SNAP <= x <= self.right + SNAP and self.top - SNAP <= run.middle <= self.bottom + SNAP


def cell_text(runs: Sequence[Run]) -> str:
    """What stands in a cell, its lines joined."""
    lines = [joined(row) for row in rows_of(runs)]
    text = ""
    for line in lines:
        if text.endswith(HYPHEN):
            text = text[:-1] + line
        else:
            text = joined_lines([text, line]) if text and _is_statement(text, line) else glued(text, line)
    return text.replace(HYPHEN, "-")


def _is_statement(text: str, line: str) -> bool:
    return text.endswith((";", "；", "。")) or line.startswith(("•", "- "))


def glued(text: str, line: str) -> str:
    """A wrapped cell's lines; Chinese goes on without a space."""
    if not text:
        return line
    return text + ("" if ord(text[-1]) > 0x2E7F and ord(line[0]) > 0x2E7F else " ") + line


def columns_of(lines: Sequence[Sequence[Run]]) -> list[tuple[float, float]]:
    """Stretches of the page that text fills, parted by gaps which hardly any line reaches into."""
    size = sorted(run.size for line in lines for run in line)[sum(map(len, lines)) // 2]
    events: list[tuple[float, int]] = []
    for line in lines:
        for part in _parts_without_gaps(line, _MIN_GAP_EM * size):
            events += [(part[0].left, 1), (part[-1].right, -1)]
    tolerated = len(lines) // 10
    columns: list[tuple[float, float]] = []
    depth, start = 0, 0.0
    for place, step in sorted(events):
        was_filled = depth > tolerated
        depth += step
        if not was_filled and depth > tolerated:
            start = place
        elif was_filled and depth <= tolerated:
            columns.append((start, place))
    joined_columns: list[tuple[float, float]] = []
    for left, right in columns:
        if joined_columns and left - joined_columns[-1][1] < _MIN_GAP_EM * size:
            joined_columns[-1] = (joined_columns[-1][0], right)
        else:
            joined_columns.append((left, right))
    return joined_columns


def _parts_without_gaps(line: Sequence[Run], gap: float) -> list[list[Run]]:
    parts: list[list[Run]] = [[line[0]]]
    for previous, run in pairwise(line):
        if run.left - previous.right > gap:
            parts.append([])
        parts[-1].append(run)
    return parts


def in_columns(runs: Sequence[Run], columns: Sequence[tuple[float, float]]) -> list[str]:
    """The cells of a line."""
    cells: list[list[Run]] = [[] for _ in columns]
    for run in runs:
        overlaps = [min(right, run.right) - max(left, run.left) for left, right in columns]
        cells[overlaps.index(max(overlaps))].append(run)
    return [cell_text(cell) for cell in cells]
