"""Tables of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell: what is shown, and the figure behind it."""

    text: str
    value: float | str | None = None
    unit: str | None = None
    qualifier: str | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A table column; `unit` holds for all its cells."""

    key: str
    label: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A table row: cells by column key."""

    key: str
    label: str
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an answer; the same table stands in the answer's text as Markdown."""

    table_id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
