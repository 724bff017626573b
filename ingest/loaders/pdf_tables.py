"""Tables of a printed page: by the lines that are ruled around cells, by rules between rows, by alignment alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.loaders.grid import Merge
from ingest.loaders.pdf_lines import Line, joined, rows_of
from ingest.loaders.pdf_page import HYPHEN, Ruling, Run
from ingest.loaders.pipe_table import joined_lines

_SNAP = 3.0
_MIN_RULE = 12.0
_MIN_EDGE_COVER = 0.6
_MAX_RULINGS = 4000
_MAX_CELLS = 20_000
_MIN_GAP_EM = 0.55
_CLEAR_GAP_EM = 1.1
_MAX_CELL_CHARS = 60
_MIN_ALIGNED_ROWS = 3
_MARKER = re.compile(r"[•●▪■◦‣–—○◆➢✓∙·*-]|\(?\d{1,2}[.)、]|[（(]\d{1,2}[)）]")
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}")


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
        return self.left - _SNAP <= x <= self.right + _SNAP and self.top - _SNAP <= run.middle <= self.bottom + _SNAP


def ruled_tables(runs: Sequence[Run], rulings: Sequence[Ruling]) -> list[PrintedTable]:
    """Tables that lines are drawn for, from top to bottom."""
    if len(rulings) > _MAX_RULINGS:
        return []
    across = _snapped([line for line in rulings if line.is_horizontal and line.right - line.left >= _MIN_RULE])
    down = [
        _turned(line)
        for line in _snapped([_turned(line) for line in rulings if not line.is_horizontal])
        if line.right - line.left >= _SNAP
    ]
    tables: list[PrintedTable] = []
    for group_across, group_down in _grids(across, down):
        table = _boxed(group_across, group_down, runs)
        if table is not None:
            tables.append(table)
    free = [line for line in across if not any(_touches(table, line) for table in tables)]
    for rules in _rule_groups(free):
        table = _between_rules(rules, runs)
        if table is not None and not any(_overlap(table, other) for other in tables):
            tables.append(table)
    return sorted(tables, key=lambda table: (table.top, table.left))


# ------------------------------------------------------------------ lines around every cell


def _turned(line: Ruling) -> Ruling:
    return Ruling(line.top, line.left, line.bottom, line.right)


def _snapped(lines: list[Ruling]) -> list[Ruling]:
    """Horizontal lines, those that lie on each other or go on with each other made one."""
    merged: list[Ruling] = []
    for line in sorted(lines, key=lambda item: (round((item.top + item.bottom) / 2), item.left)):
        height = (line.top + line.bottom) / 2
        for index in range(len(merged) - 1, max(len(merged) - 12, -1), -1):
            other = merged[index]
            if abs(other.top - height) <= 1.5 and line.left <= other.right + _SNAP and line.right >= other.left - _SNAP:
                merged[index] = Ruling(min(other.left, line.left), other.top, max(other.right, line.right), other.top)
                break
        else:
            merged.append(Ruling(line.left, height, line.right, height))
    return merged


def _grids(across: list[Ruling], down: list[Ruling]) -> list[tuple[list[Ruling], list[Ruling]]]:
    """Lines that hang together by crossing."""
    parent = list(range(len(across) + len(down)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for first, line in enumerate(across):
        for second, other in enumerate(down, len(across)):
            if (
                line.left - _SNAP <= other.left <= line.right + _SNAP
                and other.top - _SNAP <= line.top <= other.bottom + _SNAP
            ):
                parent[root(first)] = root(second)
    groups: dict[int, tuple[list[Ruling], list[Ruling]]] = {}
    for index in range(len(parent)):
        group = groups.setdefault(root(index), ([], []))
        if index < len(across):
            group[0].append(across[index])
        else:
            group[1].append(down[index - len(across)])
    return [group for group in groups.values() if len(group[0]) >= 2 and group[1]]


def _positions(values: Sequence[float]) -> list[float]:
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _SNAP:
            found.append(value)
    return found


def _boxed(across: list[Ruling], down: list[Ruling], runs: Sequence[Run]) -> PrintedTable | None:
    ys = _positions([line.top for line in across])
    xs = _positions([line.left for line in down])
    # Tables without lines at their sides: the horizontal lines say how far they reach.
    left, right = min(line.left for line in across), max(line.right for line in across)
    xs = ([left] if xs[0] - left > 4 * _SNAP else []) + xs + ([right] if right - xs[-1] > 4 * _SNAP else [])
    if len(xs) < 3 or len(ys) < 3 or (len(xs) - 1) * (len(ys) - 1) > _MAX_CELLS:
        return None
    middles = [((run.left + run.right) / 2, run.middle) for run in runs]
    xs = _without_empty(xs, [x for x, y in middles if ys[0] < y < ys[-1]], [(line.left, line) for line in down])
    ys = _without_empty(ys, [y for x, y in middles if xs[0] < x < xs[-1]], [(line.top, line) for line in across])
    if len(xs) < 3 or len(ys) < 3:
        return None
    inside: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        place = _cell_at(xs, ys, (run.left + run.right) / 2, run.middle)
        if place is not None:
            inside.setdefault(place, []).append(run)
    merges = _merged_cells(xs, ys, across, down)
    home = {
        (row, column): (merge.top, merge.left)
        for merge in merges
        for row in range(merge.top, merge.bottom + 1)
        for column in range(merge.left, merge.right + 1)
    }
    texts: dict[tuple[int, int], list[Run]] = {}
    for place, cell_runs in inside.items():
        texts.setdefault(home.get(place, place), []).extend(cell_runs)
    if len(texts) < 3:
        return None
    rows = tuple(
        tuple(_cell_text(texts.get((row, column), [])) for column in range(len(xs) - 1)) for row in range(len(ys) - 1)
    )
    return PrintedTable(xs[0], ys[0], xs[-1], ys[-1], rows, tuple(merges))


def _without_empty(edges: list[float], places: list[float], lines: list[tuple[float, Ruling]]) -> list[float]:
    """Edges without those that only frame a strip in which nothing stands, as double lines and shadings do.

    Of the edges of such a strip the one with the longest lines on it stays.
    """
    groups: list[list[float]] = [[edges[0]]]
    for low, high in pairwise(edges):
        if any(low <= place <= high for place in places):
            groups.append([high])
        else:
            groups[-1].append(high)

    def length_on(edge: float) -> float:
        return sum(
            line.right - line.left + line.bottom - line.top for place, line in lines if abs(place - edge) <= _SNAP
        )

    return [max(group, key=length_on) for group in groups]


def _cell_at(xs: list[float], ys: list[float], x: float, y: float) -> tuple[int, int] | None:
    column = next((index for index, (low, high) in enumerate(pairwise(xs)) if low <= x <= high), None)
    row = next((index for index, (low, high) in enumerate(pairwise(ys)) if low <= y <= high), None)
    return None if column is None or row is None else (row, column)


def _merged_cells(xs: list[float], ys: list[float], across: list[Ruling], down: list[Ruling]) -> list[Merge]:
    """Rectangles of cells without a line between them."""

    def has_line_below(row: int, column: int) -> bool:
        covered = sum(
            max(0.0, min(line.right, xs[column + 1]) - max(line.left, xs[column]))
            for line in across
            if abs(line.top - ys[row + 1]) <= _SNAP
        )
        return covered >= _MIN_EDGE_COVER * (xs[column + 1] - xs[column])

    def has_line_right(row: int, column: int) -> bool:
        covered = sum(
            max(0.0, min(line.bottom, ys[row + 1]) - max(line.top, ys[row]))
            for line in down
            if abs(line.left - xs[column + 1]) <= _SNAP
        )
        return covered >= _MIN_EDGE_COVER * (ys[row + 1] - ys[row])

    rows, columns = len(ys) - 1, len(xs) - 1
    taken: set[tuple[int, int]] = set()
    merges: list[Merge] = []
    for row in range(rows):
        for column in range(columns):
            if (row, column) in taken:
                continue
            right = column
            while right + 1 < columns and (row, right + 1) not in taken and not has_line_right(row, right):
                right += 1
            bottom = row
            while bottom + 1 < rows and not any(has_line_below(bottom, c) for c in range(column, right + 1)):
                bottom += 1
            if (bottom, right) != (row, column):
                merges.append(Merge(row, column, bottom, right))
                taken.update((r, c) for r in range(row, bottom + 1) for c in range(column, right + 1))
    return merges


def _cell_text(runs: Sequence[Run]) -> str:
    lines = [joined(row) for row in rows_of(runs)]
    text = ""
    for line in lines:
        if text.endswith(HYPHEN):
            text = text[:-1] + line
        else:
            text = joined_lines([text, line]) if text and _is_statement(text, line) else _glued(text, line)
    return text.replace(HYPHEN, "-")


def _is_statement(text: str, line: str) -> bool:
    return text.endswith((";", "；", "。")) or line.startswith(("•", "- "))


def _glued(text: str, line: str) -> str:
    """A wrapped cell's lines; Chinese goes on without a space."""
    if not text:
        return line
    return text + ("" if ord(text[-1]) > 0x2E7F and ord(line[0]) > 0x2E7F else " ") + line


# ------------------------------------------------------------------ rules between rows only


def _touches(table: PrintedTable, line: Ruling) -> bool:
    return table.top - _SNAP <= line.top <= table.bottom + _SNAP and line.left < table.right and line.right > table.left


def _overlap(first: PrintedTable, second: PrintedTable) -> bool:
    return first.top < second.bottom and second.top < first.bottom and first.left < second.right


def _rule_groups(rules: list[Ruling]) -> list[list[Ruling]]:
    """Rules of equal extent below each other."""
    groups: list[list[Ruling]] = []
    for rule in sorted(rules, key=lambda item: item.top):
        for group in groups:
            if abs(group[0].left - rule.left) <= _SNAP and abs(group[0].right - rule.right) <= _SNAP:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) >= 2]


def _between_rules(rules: list[Ruling], runs: Sequence[Run]) -> PrintedTable | None:
    left, right = rules[0].left, rules[0].right
    heights = _positions([rule.top for rule in rules])
    inside = [
        run
        for run in runs
        if left - _SNAP <= (run.left + run.right) / 2 <= right + _SNAP and heights[0] < run.middle < heights[-1]
    ]
    bands = [[run for run in inside if low < run.middle < high] for low, high in pairwise(heights)]
    bands = [band for band in bands if band]
    lines = [rows_of(band) for band in bands]
    all_lines = [line for band in lines for line in band]
    if len(all_lines) < 2:
        return None
    columns = _columns(all_lines)
    if len(columns) < 2:
        return None
    ruled_rows = len(bands) > 3 or (len(bands) > 2 and len(all_lines) <= len(bands))
    if ruled_rows:  # a rule between any two rows: a cell may have several lines
        rows = [_in_columns([run for line in band for run in line], columns) for band in lines]
        header = None
    else:
        rows = _joined_rows([_in_columns(line, columns) for line in all_lines], all_lines)
        header = len(lines[0]) if len(bands) == 2 and len(lines[0]) < len(rows) else None
    full = sum(1 for row in rows if sum(map(bool, row)) > 1)
    share = 0.8 if len(bands) == 1 else 0.5  # a page between the rules of its header and footer is no table
    leaders = sum(1 for line in all_lines if _LEADER.search(joined(line)))
    if full < 2 or full < share * len(rows) or 3 * leaders > len(all_lines):
        return None
    return PrintedTable(left, heights[0], right, heights[-1], tuple(map(tuple, rows)), (), header)


# ------------------------------------------------------------------ alignment


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
    return len(_clear_parts(line.runs)) > 1 and not line.is_mono and not _LEADER.search(line.text)


def _is_below(above: Line, line: Line) -> bool:
    return above.column == line.column and -_SNAP < line.top - above.bottom < 2.5 * line.size


def _clear_parts(runs: Sequence[Run]) -> list[list[Run]]:
    parts: list[list[Run]] = [[runs[0]]]
    for previous, run in pairwise(runs):
        if run.left - previous.right > _CLEAR_GAP_EM * max(run.size, previous.size):
            parts.append([])
        parts[-1].append(run)
    return parts


def _aligned(lines: Sequence[Line]) -> PrintedTable | None:
    columns = _columns([line.runs for line in lines])
    if len(columns) < 2:
        return None
    rows = [_in_columns(line.runs, columns) for line in lines]
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


def _columns(lines: Sequence[Sequence[Run]]) -> list[tuple[float, float]]:
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


def _in_columns(runs: Sequence[Run], columns: Sequence[tuple[float, float]]) -> list[str]:
    cells: list[list[Run]] = [[] for _ in columns]
    for run in runs:
        overlaps = [min(right, run.right) - max(left, run.left) for left, right in columns]
        cells[overlaps.index(max(overlaps))].append(run)
    return [_cell_text(cell) for cell in cells]


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
            merged[-1] = [_glued(above, cell) if cell else above for above, cell in zip(merged[-1], row, strict=True)]
        else:
            merged.append(row)
    return merged
