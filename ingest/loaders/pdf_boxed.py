"""Tables with lines around their cells: the lines that cross make the grid, missing ones merge cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ingest.loaders.grid import Merge
from ingest.loaders.pdf_cells import SNAP, PrintedTable, cell_text
from ingest.loaders.pdf_drawing import Ruling
from ingest.loaders.pdf_page import Run

_MIN_EDGE_COVER = 0.6
_MAX_CELLS = 20_000


def crossing_lines(across: list[Ruling], down: list[Ruling]) -> list[tuple[list[Ruling], list[Ruling]]]:
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
                line.left - SNAP <= other.left <= line.right + SNAP
                and other.top - SNAP <= line.top <= other.bottom + SNAP
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


def boxed_table(across: list[Ruling], down: list[Ruling], runs: Sequence[Run]) -> PrintedTable | None:
    """The table that lines make; None if they only frame something."""
    ys = positions([line.top for line in across])
    xs = positions([line.left for line in down])
    # Tables without lines at their sides: the horizontal lines say how far they reach.
    left, right = min(line.left for line in across), max(line.right for line in across)
    xs = ([left] if xs[0] - left > 4 * SNAP else []) + xs + ([right] if right - xs[-1] > 4 * SNAP else [])
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
        tuple(cell_text(texts.get((row, column), [])) for column in range(len(xs) - 1)) for row in range(len(ys) - 1)
    )
    return PrintedTable(xs[0], ys[0], xs[-1], ys[-1], rows, tuple(merges))


def positions(values: Sequence[float]) -> list[float]:
    """Distinct places among many that nearly agree, in order."""
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > SNAP:
            found.append(value)
    return found


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
            line.right - line.left + line.bottom - line.top for place, line in lines if abs(place - edge) <= SNAP
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
            if abs(line.top - ys[row + 1]) <= SNAP
        )
        return covered >= _MIN_EDGE_COVER * (xs[column + 1] - xs[column])

    def has_line_right(row: int, column: int) -> bool:
        covered = sum(
            max(0.0, min(line.bottom, ys[row + 1]) - max(line.top, ys[row]))
            for line in down
            if abs(line.left - xs[column + 1]) <= SNAP
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
