"""Lines of a printed page in reading order: runs joined, columns told apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.loaders.pdf_page import HYPHEN, Run

_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]")
_NO_SPACE_BEFORE = frozenset("，。；：！？、）】》”’,.;:!?)]}%")
_GUTTER_POINTS = 9.0
_BIN_POINTS = 3.0
_MIN_COLUMN_LINES = 8
_MIN_COLUMN_POINTS = 90.0
_MIN_FILL = 0.6
_MAX_COLUMNS = 4
_MONO_SHARE = 0.7
_EXPONENT = re.compile(r"[-+−–]?[0-9A-Za-z]{1,3}")
_TREE = re.compile(r"[│├└┌|`][─│├└ -]")  # a drawn tree of folders: its lines must not be joined


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line.

    Attributes:
        runs: from left to right.
        column: `left` and `right` of the column it stands in.
    """

    runs: tuple[Run, ...]
    column: tuple[float, float]

    @property
    def text(self) -> str:
        """Its words; ends with `HYPHEN` if the last word goes on in the next line."""
        return joined(self.runs)

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.runs[0].left

    @property
    def right(self) -> float:
        """Where it ends."""
        return max(run.right for run in self.runs)

    @property
    def top(self) -> float:
        """Its upper edge."""
        return min(run.top for run in self.runs)

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return max(run.bottom for run in self.runs)

    @property
    def size(self) -> float:
        """Height of most of its characters."""
        return max(self.runs, key=lambda run: len(run.text)).size

    @property
    def is_bold(self) -> bool:
        """Whether nearly all of it is bold."""
        return _share(self.runs, [run.is_bold for run in self.runs]) > 0.9

    @property
    def is_mono(self) -> bool:
        """Whether nearly all of it is set in a font of fixed width, as programs are."""
        if _TREE.match(self.runs[0].text + " "):
            return True
        numbered = len(self.runs) > 1 and self.runs[0].text.isdigit()  # of a listing's line
        runs = self.runs[1:] if numbered else self.runs
        return _share(runs, [run.is_mono and not _WIDE.search(run.text) for run in runs]) > _MONO_SHARE


def joined(runs: Sequence[Run]) -> str:
    """Words of neighbouring runs; no space between Chinese characters that merely stand apart."""
    parts: list[str] = []
    previous: Run | None = None
    for run in runs:
        if previous is not None and _is_exponent(previous, run):
            parts.append("^")
        elif previous is not None and _has_space(previous, run):
            parts.append(" ")
        parts.append(run.text if run is runs[-1] else run.text.replace(HYPHEN, "-"))
        previous = run
    return "".join(parts)


def _is_exponent(previous: Run, run: Run) -> bool:
    """Whether a run is small and raised behind a character: 10¹², m²; it must not become 1012."""
    is_small = run.size < 0.8 * previous.size and run.left - previous.right < 0.25 * previous.size
    is_raised = run.bottom < previous.bottom - 0.2 * previous.size
    return is_small and is_raised and previous.text[-1].isalnum() and _EXPONENT.fullmatch(run.text) is not None


def _has_space(previous: Run, run: Run) -> bool:
    gap = run.left - previous.right
    size = max(previous.size, run.size)
    if _WIDE.match(previous.text[-1]) and _WIDE.match(run.text[0]):
        return gap > 0.9 * size
    if run.text[0] in _NO_SPACE_BEFORE and gap < 0.5 * size:
        return False
    return gap > 0.12 * size or (run.after_space and gap > 0.02 * size)


def _share(runs: Sequence[Run], chosen: Sequence[bool]) -> float:
    total = sum(len(run.text) for run in runs)
    return sum(len(run.text) for run, is_chosen in zip(runs, chosen, strict=True) if is_chosen) / max(total, 1)


def rows_of(runs: Iterable[Run]) -> list[list[Run]]:
    """Runs that stand on one line, from top to bottom, each from left to right."""
    rows: list[list[Run]] = []
    edges: list[tuple[float, float]] = []
    for run in sorted(runs, key=lambda item: (item.middle, item.left)):
        for index in range(len(rows) - 1, max(len(rows) - 4, -1), -1):
            top, bottom = edges[index]
            overlap = min(bottom, run.bottom) - max(top, run.top)
            if overlap > 0.5 * min(bottom - top, run.bottom - run.top):
                rows[index].append(run)
                # The largest run of a line decides: an exponent must not pull the next line in.
                if run.bottom - run.top > bottom - top:
                    edges[index] = (run.top, run.bottom)
                break
        else:
            rows.append([run])
            edges.append((run.top, run.bottom))
    return [sorted(row, key=lambda run: run.left) for row in rows]


def lines_of(runs: Sequence[Run]) -> list[Line]:
    """Lines in reading order: what stands in columns is read column by column."""
    return _lines(list(runs), _MAX_COLUMNS)


def _lines(runs: list[Run], columns_left: int) -> list[Line]:
    rows = rows_of(runs)
    gutter = _gutter(rows) if columns_left > 1 else None
    if gutter is None:
        if not runs:
            return []
        column = (min(run.left for run in runs), max(run.right for run in runs))
        return [Line(tuple(row), column) for row in rows]
    lines: list[Line] = []
    band: list[list[Run]] = []
    for row in rows:
        if any(run.left < gutter < run.right for run in row):  # a line across all columns ends what stood above it
            lines += _band(band, gutter, columns_left)
            band = []
            lines.append(Line(tuple(row), (row[0].left, max(run.right for run in row))))
        else:
            band.append(row)
    return lines + _band(band, gutter, columns_left)


def _band(rows: list[list[Run]], gutter: float, columns_left: int) -> list[Line]:
    left = [run for row in rows for run in row if run.right <= gutter]
    right = [run for row in rows for run in row if run.left >= gutter]
    return _lines(left, columns_left - 1) + _lines(right, columns_left - 1)


def _gutter(rows: list[list[Run]]) -> float | None:
    """Where a page is parted into columns of prose, if it is."""
    # How many gaps begin at a place less how many ended before it: a damaged page may be millions of points wide.
    changes: Counter[int] = Counter()
    for row in rows:
        for previous, run in pairwise(row):
            if run.left - previous.right >= _GUTTER_POINTS:
                changes[int(previous.right / _BIN_POINTS) + 1] += 1
                changes[int(run.left / _BIN_POINTS) + 1] -= 1
    most = gaps = first = last = 0
    for place, following in pairwise(sorted(changes)):
        gaps += changes[place]
        if gaps > most:
            most, first = gaps, place
        if gaps == most:
            last = following - 1
    gutter = (first + last) / 2 * _BIN_POINTS
    return gutter if most >= _MIN_COLUMN_LINES and _parts_prose(rows, gutter) else None


def _parts_prose(rows: list[list[Run]], gutter: float) -> bool:
    """Whether both sides of a gap are filled as prose fills its lines; cells of a table are short."""
    crossing = sum(1 for row in rows if any(run.left < gutter < run.right for run in row))
    for side in (
        [[run for run in row if run.right <= gutter] for row in rows],
        [[run for run in row if run.left >= gutter] for row in rows],
    ):
        filled = [row for row in side if row]
        if len(filled) < _MIN_COLUMN_LINES or crossing > len(filled):
            return False
        left = min(row[0].left for row in filled)
        right = max(run.right for row in filled for run in row)
        width = right - left
        fill = sorted((row[-1].right - row[0].left) / max(width, 1) for row in filled)
        if width < _MIN_COLUMN_POINTS or fill[len(fill) // 2] < _MIN_FILL:
            return False
    return True
