"""Whether the first row of a table names its columns, for formats that do not say so."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FIGURE = re.compile(r"[-+±~≈<>≤≥]?[$¥€]?\d[\d,._:/-]*\s*(?:%|[A-Za-z/µ²³°]{0,8})?")
_VERSION_OR_YEAR = re.compile(r"v?\d+\.\d+\.\d+[\w.-]*|(?:19|20)\d\d(?:[-/.年]\d{1,2}月?)?年?")
_MAX_NAME_CHARS = 80
_SAMPLE_ROWS = 50


def looks_like_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """True if every named column has a short name that is no figure, no name twice, and data below.

    Two columns of plain words have a header no less often than not, and calling a data row a header hides it
    from nobody: header rows are repeated and searched with every part of the table.
    """
    names = [name.strip() for name in first]
    named = [name for name in names if name]
    if not rest or not named or len(named) < (len(names) + 1) // 2:
        return False
    if len(set(named)) < len(named) or any(len(name) > _MAX_NAME_CHARS for name in named):
        return False
    if any(is_figure(name) for name in named):
        # Versions and years can name columns; any other figure up there means data, unless all below is words.
        others = names[1:]
        return not is_figure(names[0]) and (all(map(_is_version_or_year, others)) or _columns_hold_words(rest))
    return True


def _is_version_or_year(text: str) -> bool:
    return not text or _VERSION_OR_YEAR.fullmatch(text) is not None


def is_figure(text: str) -> bool:
    """Whether a cell holds a figure, with its unit or without."""
    return _FIGURE.fullmatch(text.strip()) is not None


def _columns_hold_words(rows: Sequence[Sequence[str]]) -> bool:
    cells = [value.strip() for row in rows[:_SAMPLE_ROWS] for value in row[1:] if value.strip()]
    return bool(cells) and sum(not is_figure(value) for value in cells) > len(cells) / 2
