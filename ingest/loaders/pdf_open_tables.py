"""Tables without lines between their columns: by rules between rows, or by alignment alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ingest.loaders.pdf_boxed import positions
from ingest.loaders.pdf_cells import LEADER, SNAP, PrintedTable, columns_of, glued, in_columns
from ingest.loaders.pdf_drawing import Ruling
from ingest.loaders.pdf_lines import Line, joined, rows_of
from ingest.loaders.pdf_page import Run

_CLEAR_GAP_EM = 1.1
_MAX_CELL_CHARS = 60
_MIN_ALIGNED_ROWS = 3
_MARKER = re.compile(r"[•●▪■◦‣–—○◆➢✓∙·*-]|\(?\d{1,2}[.)、]|[（(]\d{1,2}[)）]")


def rule_groups(rules: list[Ruling]) -> list[list[Ruling]]:
    """Rules of equal extent below each other."""
    groups: list[list[Ruling]] = []
    for rule in sorted(rules, key=lambda item: item.top):
        for group in groups:
            if abs(group[0].left - rule.left) <= SNAP and abs(group[0].right - rule.right) <= SNAP:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) >= 2]


def table_between(rules: list[Ruling], runs: Sequence[Run]) -> PrintedTable | None:
    """The table that stands between rules of equal extent, if what stands there is one."""
    left, right = rules[0].left, rules[0].right
    heights = positions([rule.top for rule in rules])
    inside = [
        run
        for run in runs
        if left - SNAP <= (run.left + run.right) / 2 <= right + SNAP and heights[0] < run.middle < heights[-1]
    ]
    bands = [[run for run in inside if low < run.middle < high] for low, high in pairwise(heights)]
    bands = [band for band in bands if band]
    lines = [rows_of(band) for band in bands]
    all_lines = [line for band in lines for line in band]
    if len(all_lines) < 2:
        return None
    columns = columns_of(all_lines)
    if len(columns) < 2:
        return None
    ruled_rows = len(bands) > 3 or (len(bands) > 2 and len(all_lines) <= len(bands))
    if ruled_rows:  # a rule between any two rows: a cell may have several lines
        rows = [in_columns([run for line in band for run in line], columns) for band in lines]
        header = None
    else:
        rows = _joined_rows([in_columns(line, columns) for line in all_lines], all_lines)
        header = len(lines[0]) if len(bands) == 2 and len(lines[0]) < len(rows) else None
    full = sum(1 for row in rows if sum(map(bool, row)) > 1)
    share = 0.8 if len(bands) == 1 else 0.5  # a page between the rules of its header and footer is no table
    leaders = sum(1 for line in all_lines if LEADER.search(joined(line)))
    if full < 2 or full < share * len(rows) or 3 * leaders > len(all_lines):
        return None
    return PrintedTable(left, heights[0], right, heights[-1], tuple(map(tuple, rows)), (), header)


def aligned_tables(lines: Sequence[Line]) -> list[tuple[int, int, PrintedTable]]:
    """Tables without any rule: first and last (exclusive) line, and the table."""
    found: list[tuple[int, int, PrintedTable]] = []
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and _is_row(lines[end]) and (end == start or _is_below(lines[end - 1], lines[end])):
            end += 1
        if end - start >= _MIN_ALIGNED_ROWS:
            table = _aligned(lines[start:end])
            if table is not None:
                found.append((start, end, table))
        start = max(end, start + 1)
    return found


def _is_row(line: Line) -> bool:
    return len(_clear_parts(line.runs)) > 1 and not line.is_mono and not LEADER.search(line.text)


def _is_below(above: Line, line: Line) -> bool:
    return above.column == line.column and -SNAP < line.top - above.bottom < 2.5 * line.size


def _clear_parts(runs: Sequence[Run]) -> list[list[Run]]:
    parts: list[list[Run]] = [[runs[0]]]
    for previous, run in pairwise(runs):
        if run.left - previous.right > _CLEAR_GAP_EM * max(run.size, previous.size):
            parts.append([])
        parts[-1].append(run)
    return parts


def _aligned(lines: Sequence[Line]) -> PrintedTable | None:
    columns = columns_of([line.runs for line in lines])
    if len(columns) < 2:
        return None
    rows = [in_columns(line.runs, columns) for line in lines]
    if sum(1 for row in rows if _MARKER.fullmatch(row[0])) > len(rows) // 2:  # a list
        return None
    cells = [cell for row in rows for cell in row if cell]
    full = sum(1 for row in rows if sum(map(bool, row)) > 1)
    if full < _MIN_ALIGNED_ROWS or sum(map(len, cells)) / len(cells) > _MAX_CELL_CHARS:
        return None
    return PrintedTable(
        min(line.left for line in lines),
        min(line.top for line in lines),
        max(line.right for line in lines),
        max(line.bottom for line in lines),
        tuple(map(tuple, rows)),
    )


def _joined_rows(rows: list[list[str]], lines: Sequence[Sequence[Run]]) -> list[list[str]]:
    """Rows, with lines that only go on with cells above them joined to these: they stand closer."""
    tops = [min(run.top for run in line) for line in lines]
    leading = [below - above for above, below in pairwise(tops)]
    usual = sorted(leading)[len(leading) // 2] if leading else 0.0
    merged: list[list[str]] = []
    for number, row in enumerate(rows):
        filled = sum(map(bool, row))
        is_continuation = bool(merged) and not row[0] and 2 * filled <= len(row) and leading[number - 1] < 0.85 * usual
        if is_continuation:
            merged[-1] = [glued(above, cell) if cell else above for above, cell in zip(merged[-1], row, strict=True)]
        else:
            merged.append(row)
    return merged
