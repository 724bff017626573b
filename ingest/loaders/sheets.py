"""What all spreadsheets have in common: sheets as headings, their tables one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.cleaning import clean
from ingest.loaders.builder import TextBuilder
from ingest.loaders.grid import Merge, Place, tables_of

_MAX_CAPTION_CHARS = 120


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet's cells as text."""

    name: str
    cells: Mapping[Place, str]
    merges: Sequence[Merge] = field(default_factory=tuple)


def write_sheet(builder: TextBuilder, sheet: Sheet) -> None:
    """Append a sheet under its name; nothing if it is empty."""
    if not any(text.strip() for text in sheet.cells.values()):
        return
    builder.heading(sheet.name, 1)
    for table in tables_of({place: clean(text) for place, text in sheet.cells.items()}, sheet.merges):
        above = list(table.above)
        caption = above.pop() if table.rows and above and len(above[-1]) <= _MAX_CAPTION_CHARS else ""
        builder.paragraph("\n".join(above))
        builder.table(table.rows, table.header_rows, caption)
        builder.paragraph("\n".join(table.below))
