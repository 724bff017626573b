"""Cells on a grid, as spreadsheets and slides have them, taken apart into tables that can be read alone.

A sheet holds several tables, parted by blank rows or columns; titles above, remarks below; merged cells; headers of
two rows. Merged cells repeat their text, so that each row and column says all that belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ingest.loaders.header_row import is_figure, looks_like_header
from kb.errors import DocumentError

Place = tuple[int, int]
"""Row and column, from 0."""

_UNIT_ROW_CELL = re.compile(r"[(（\[].{1,16}[)）\]]|[%°µA-Za-z][\w²³°µ%]{0,7}(?:/[A-Za-z]{1,4})?|")
_MAX_HEADER_ROWS = 4
_MAX_MERGED_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class Merge:
    """A rectangle of merged cells; all bounds belong to it."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class GridTable:
    """A table, with the lines that stand above and below it.

    Attributes:
        rows: of equal width; empty if there are only lines.
        header_rows: how many of them name the columns.
        above: lines right above the table, titles most of all.
        below: lines right below it.
    """

    rows: tuple[tuple[str, ...], ...]
    header_rows: int = 0
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Region:
    """A part of the grid without a blank row or column through it."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class _Grid:
    cells: dict[Place, str]
    merges: list[Merge] = field(default_factory=list)


def tables_of(cells: Mapping[Place, str], merges: Iterable[Merge] = ()) -> list[GridTable]:
    """All tables of a sheet, from top to bottom.

    Args:
        cells: the text of each cell that is not empty.
        merges: rectangles of merged cells.

    Raises:
        DocumentError: more cells are merged than a sheet can show.
    """
    grid = _Grid({place: text.strip() for place, text in cells.items() if text.strip()}, list(merges))
    grid.merges = [merge for merge in grid.merges if (merge.top, merge.left) in grid.cells]
    occupied = set(grid.cells)
    last_row = max((row for row, _ in occupied), default=-1)
    last_column = max((column for _, column in occupied), default=-1)
    # A merge may be drawn over a million empty rows: it counts as far as the sheet has text.
    grid.merges = [
        Merge(merge.top, merge.left, min(merge.bottom, last_row), min(merge.right, last_column))
        for merge in grid.merges
    ]
    area = sum((merge.bottom - merge.top + 1) * (merge.right - merge.left + 1) for merge in grid.merges)
    if area > _MAX_MERGED_CELLS:
        raise DocumentError(f"A sheet has more than {_MAX_MERGED_CELLS} merged cells.")
    for merge in grid.merges:
        occupied.update(
            (row, column) for row in range(merge.top, merge.bottom + 1) for column in range(merge.left, merge.right + 1)
        )
    regions = _beside(_joined(_regions(occupied), grid), grid)
    return [_table(grid, region) for region in regions]


def header_rows_of(rows: Sequence[Sequence[str]], merges: Iterable[Merge] = ()) -> int:
    """How many rows name the columns; merges are relative to `rows`."""
    if len(rows) < 2:
        return 0
    merges = list(merges)
    if _names_label_columns(rows, merges):
        return 1
    merged = _merged_header_rows(rows, merges)
    if merged:
        return merged
    if _is_group_row(rows):
        return 2
    if not looks_like_header(rows[0], rows[1:]):
        return 0
    has_units = len(rows) > 2 and any(rows[1]) and all(_UNIT_ROW_CELL.fullmatch(cell) for cell in rows[1][1:])
    return 2 if has_units and _has_figures(rows[2:]) and not rows[1][0] else 1


def spread(rows: Sequence[Sequence[str]], merges: Iterable[Merge], header_rows: int) -> list[list[str]]:
    """Rows with the text of merged cells in every cell they cover; a band across the whole table is said once."""
    spread_rows = [list(row) for row in rows]
    width = max(map(len, rows), default=0)
    for merge in merges:
        is_band = merge.left == 0 and merge.right >= width - 1 and merge.top == merge.bottom and width > 1
        text = spread_rows[merge.top][merge.left]
        for row in range(merge.top, merge.bottom + 1):
            for column in range(merge.left, merge.right + 1):
                spread_rows[row][column] = "" if is_band and column else text
    if header_rows > 1:
        _fill_group_names(spread_rows[:header_rows])
    return spread_rows


def _fill_group_names(header: list[list[str]]) -> None:
    """A name above several columns stands over the first of them only: `FP32 | | FP16 |`."""
    for upper, lower in pairwise(header):
        for column in range(1, len(upper)):
            if not upper[column] and lower[column] and upper[column - 1] and lower[column - 1] != upper[column - 1]:
                upper[column] = upper[column - 1]


def _regions(occupied: set[Place]) -> list[_Region]:
    """The grid cut at blank rows, then at blank columns, until nothing can be cut."""
    found: list[_Region] = []
    waiting = [occupied] if occupied else []
    while waiting:
        places = waiting.pop()
        parts = _cut(places, 0)
        if len(parts) == 1:
            parts = _cut(places, 1)
        if len(parts) == 1:
            rows, columns = [row for row, _ in places], [column for _, column in places]
            found.append(_Region(min(rows), min(columns), max(rows), max(columns)))
        else:
            waiting.extend(parts)
    return sorted(found, key=lambda region: (region.top, region.left))


def _cut(places: set[Place], axis: int) -> list[set[Place]]:
    present = sorted({place[axis] for place in places})
    part_of: dict[int, int] = {}
    part = 0
    for number, position in enumerate(present):
        if number and position > present[number - 1] + 1:
            part += 1
        part_of[position] = part
    parts: list[set[Place]] = [set() for _ in range(part + 1)]
    for place in places:
        parts[part_of[place[axis]]].add(place)
    return parts


def _joined(regions: list[_Region], grid: _Grid) -> list[_Region]:
    """Regions, with those joined to the one above that only go on with its rows after a blank line."""
    joined: list[_Region] = []
    for region in regions:
        above = next(
            (item for item in reversed(joined) if item.right >= region.left and item.left <= region.right), None
        )
        if above is not None and _goes_on(above, region, grid):
            joined[joined.index(above)] = _Region(above.top, above.left, region.bottom, above.right)
        else:
            joined.append(region)
    return joined


def _beside(regions: list[_Region], grid: _Grid) -> list[_Region]:
    """Regions, with figures side by side in the same rows taken together where none of them has names for its columns.

    Left apart, none could be read alone: the number of a row may stand in one of them and its values in another.
    """
    joined: list[_Region] = []
    for region in regions:
        before = joined[-1] if joined else None
        if (
            before is not None
            and (before.top, before.bottom) == (region.top, region.bottom)
            and before.right < region.left
            and _begins_with_figures(before, grid)
            and _begins_with_figures(region, grid)
        ):
            joined[-1] = _Region(region.top, before.left, region.bottom, region.right)
        else:
            joined.append(region)
    return joined


def _begins_with_figures(region: _Region, grid: _Grid) -> bool:
    """Whether the first row of several holds figures alone."""
    first = [grid.cells.get((region.top, column), "") for column in range(region.left, region.right + 1)]
    return region.top < region.bottom and all(is_figure(cell) for cell in first if cell)


def _goes_on(above: _Region, region: _Region, grid: _Grid) -> bool:
    if (above.left, above.right) != (region.left, region.right) or above.left == above.right:
        return False
    if region.top - above.bottom > 2 or above.top == above.bottom:
        return False
    first = [grid.cells.get((region.top, column), "") for column in range(region.left, region.right + 1)]
    return any(map(is_figure, first[1:])) and sum(map(bool, first)) > 1


def _table(grid: _Grid, region: _Region) -> GridTable:
    rows = [
        [grid.cells.get((row, column), "") for column in range(region.left, region.right + 1)]
        for row in range(region.top, region.bottom + 1)
    ]
    first, last = 0, len(rows)
    if region.left == region.right:
        return GridTable((), above=tuple(row[0] for row in rows if row[0]))
    while first < last and _is_line(rows[first]):
        first += 1
    while last > first and _is_line(rows[last - 1]) and last - 1 not in _covered_rows(grid, region):
        last -= 1
    above = tuple("".join(row) for row in rows[:first] if any(row))
    below = tuple("".join(row) for row in rows[last:] if any(row))
    body = rows[first:last]
    if len(body) < 2:
        return GridTable((), above=(*above, *("; ".join(filter(None, row)) for row in body), *below))
    merges = _merges_within(grid, region, region.top + first, region.top + last - 1)
    header = header_rows_of(body, merges)
    kept = [tuple(row) for number, row in enumerate(spread(body, merges, header)) if number < header or any(row)]
    return GridTable(tuple(kept), header, above, below)


def _merges_within(grid: _Grid, region: _Region, first: int, last: int) -> list[Merge]:
    """Merges of a region's rows from `first` to `last`, relative to them."""
    return [
        Merge(merge.top - first, merge.left - region.left, min(merge.bottom, last) - first, merge.right - region.left)
        for merge in grid.merges
        if first <= merge.top <= last and region.left <= merge.left <= region.right
    ]


def _is_line(row: Sequence[str]) -> bool:
    """Whether a row holds one text only, in its first cell: a title or a remark."""
    return bool(row[0]) and not any(row[1:])


def _covered_rows(grid: _Grid, region: _Region) -> set[int]:
    """Rows of a region that a merged cell reaches into from above."""
    return {
        row - region.top
        for merge in grid.merges
        if merge.bottom > merge.top and region.left <= merge.left <= region.right
        for row in range(merge.top, merge.bottom + 1)
    }


def _names_label_columns(rows: Sequence[Sequence[str]], merges: Sequence[Merge]) -> bool:
    """Whether the first cell is one name over several columns of labels, as in `Card | | 4 GB | 8 GB`."""
    width = max(map(len, rows))
    first = [merge for merge in merges if merge.top == 0 and merge.right > merge.left]
    if len(first) != 1 or first[0].left or first[0].bottom or first[0].right >= width - 1:
        return False
    labels = range(first[0].right + 1)
    return all(rows[0][first[0].right + 1 :]) and all(any(row[column] for row in rows[1:]) for column in labels)


def _merged_header_rows(rows: Sequence[Sequence[str]], merges: Iterable[Merge]) -> int:
    """Header rows that merged cells tell: a name over several columns has their own names below it."""
    width = max(map(len, rows))
    header = 0
    while header < min(_MAX_HEADER_ROWS, len(rows) - 1):
        here = [merge for merge in merges if merge.top == header and (merge.left, merge.right) != (0, width - 1)]
        across = any(merge.right > merge.left for merge in here)
        if not across or any(is_figure(cell) for cell in rows[header]):
            break
        tallest = max(merge.bottom - merge.top for merge in here)
        header += max(tallest, 1)
    return min(header + 1, len(rows) - 1) if header else 0


def _is_group_row(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names groups of columns and the second the columns, without merged cells."""
    if len(rows) < 3:
        return False
    upper, lower = rows[0], rows[1]
    gaps = [column for column in range(1, len(upper)) if not upper[column]]
    named = [cell for cell in upper if cell]
    if not gaps or not named or any(is_figure(cell) for cell in (*named, *lower)):
        return False
    return all(lower[column] for column in gaps) and _has_figures(rows[2:]) and not _has_figures([lower])


def _has_figures(rows: Sequence[Sequence[str]]) -> bool:
    return any(is_figure(cell) for row in rows for cell in row[1:])
