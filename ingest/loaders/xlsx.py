"""Excel workbooks since 2007 (`.xlsx`, `.xlsm`): values as they are shown, sheet by sheet."""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING

from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.builder import TextBuilder
from ingest.loaders.container import open_container, read_entry
from ingest.loaders.grid import Merge, Place
from ingest.loaders.number_format import shown
from ingest.loaders.sheets import Sheet, write_sheet
from kb.errors import DocumentError

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_FORMULA_WITHOUT_VALUE = re.compile(rb"(?:</f>|<f/>|<f\s[^>]*/>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")


class XlsxLoader:
    """Reads `.xlsx` and `.xlsm`."""

    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    def parse(self, source: SourceFile) -> Parsed:
        """Read the visible sheets."""
        import openpyxl

        notes = _formulas_without_value(source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parts that are not read: validation, printing, drawings
            workbook = openpyxl.load_workbook(io.BytesIO(source.data), data_only=True, keep_links=False)
        builder = TextBuilder()
        hidden = 0
        for worksheet in workbook.worksheets:
            if worksheet.sheet_state != "visible":
                hidden += 1
                continue
            write_sheet(builder, _sheet(worksheet, source.limits.max_table_columns))
            source.progress()
        if hidden:
            notes = (*notes, f"{hidden} hidden sheet(s) left out")
        title = workbook.properties.title or ""
        return Parsed(builder.text, builder.blocks, title, "", {}, notes)


def _sheet(worksheet: Worksheet, max_columns: int) -> Sheet:
    # The public ways to go through a sheet visit every place up to its last cell, which may be the 17 billionth.
    cells: dict[Place, str] = {
        (row - 1, column - 1): shown(cell.value, cell.number_format)
        for (row, column), cell in sorted(worksheet._cells.items())
        if cell.value is not None
    }
    if cells and len({column for _, column in cells}) > max_columns:
        raise DocumentError(f"A sheet has more than {max_columns} columns.")
    merges = tuple(
        Merge(area.min_row - 1, area.min_col - 1, area.max_row - 1, area.max_col - 1)
        for area in worksheet.merged_cells.ranges
    )
    return Sheet(worksheet.title, cells, merges)


def _formulas_without_value(source: SourceFile) -> tuple[str, ...]:
    """A warning if formulas were saved without their results, as programs without a calculator do."""
    with open_container(source.data, source.limits) as container:
        names = [name for name in container.namelist() if name.startswith("xl/worksheets/") and name.endswith(".xml")]
        count = sum(
            len(_FORMULA_WITHOUT_VALUE.findall(read_entry(container, name, source.limits.max_unpacked_bytes)))
            for name in names
        )
    return (f"{count} formula(s) were saved without their results and are left out",) if count else ()
