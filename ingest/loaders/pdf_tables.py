"""Tables of a printed page that lines are drawn for."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.loaders.pdf_boxed import boxed_table, crossing_lines
from ingest.loaders.pdf_cells import SNAP, PrintedTable
from ingest.loaders.pdf_drawing import Ruling
from ingest.loaders.pdf_open_tables import rule_groups, table_between
from ingest.loaders.pdf_page import Run

_MIN_RULE = 12.0
_MAX_RULINGS = 4000


def ruled_tables(runs: Sequence[Run], rulings: Sequence[Ruling]) -> list[PrintedTable]:
    """Tables that lines are drawn for, from top to bottom."""
    if len(rulings) > _MAX_RULINGS:
        return []
    across = _snapped([line for line in rulings if line.is_horizontal and line.right - line.left >= _MIN_RULE])
    down = [
        _turned(line)
        for line in _snapped([_turned(line) for line in rulings if not line.is_horizontal])
        if line.right - line.left >= SNAP
    ]
    tables: list[PrintedTable] = []
    for group_across, group_down in crossing_lines(across, down):
        table = boxed_table(group_across, group_down, runs)
        if table is not None:
            tables.append(table)
    free = [line for line in across if not any(_touches(table, line) for table in tables)]
    for rules in rule_groups(free):
        table = table_between(rules, runs)
        if table is not None and not any(_overlap(table, other) for other in tables):
            tables.append(table)
    return sorted(tables, key=lambda table: (table.top, table.left))


def _turned(line: Ruling) -> Ruling:
    return Ruling(line.top, line.left, line.bottom, line.right)


def _snapped(lines: list[Ruling]) -> list[Ruling]:
    """Horizontal lines, those that lie on each other or go on with each other made one."""
    merged: list[Ruling] = []
    for line in sorted(lines, key=lambda item: (round((item.top + item.bottom) / 2), item.left)):
        height = (line.top + line.bottom) / 2
        for index in range(len(merged) - 1, max(len(merged) - 12, -1), -1):
            other = merged[index]
            if abs(other.top - height) <= 1.5 and line.left <= other.right + SNAP and line.right >= other.left - SNAP:
                merged[index] = Ruling(min(other.left, line.left), other.top, max(other.right, line.right), other.top)
                break
        else:
            merged.append(Ruling(line.left, height, line.right, height))
    return merged


def _touches(table: PrintedTable, line: Ruling) -> bool:
    return table.top - SNAP <= line.top <= table.bottom + SNAP and line.left < table.right and line.right > table.left


def _overlap(first: PrintedTable, second: PrintedTable) -> bool:
    return first.top < second.bottom and second.top < first.bottom and first.left < second.right
