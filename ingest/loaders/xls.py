"""Excel workbooks up to 2003 (`.xls`): values as they are shown, sheet by sheet."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.builder import TextBuilder
from ingest.loaders.grid import Merge, Place
from ingest.loaders.number_format import shown
from ingest.loaders.sheets import Sheet, write_sheet
from kb.errors import DocumentError

if TYPE_CHECKING:
    from xlrd.book import Book
    from xlrd.sheet import Cell
    from xlrd.sheet import Sheet as XlsSheet


class XlsLoader:
    """Reads `.xls`."""

    media_type = "application/vnd.ms-excel"

    def parse(self, source: SourceFile) -> Parsed:
        """Read the visible sheets."""
        import xlrd

        try:
            book = xlrd.open_workbook(file_contents=source.data, formatting_info=True, logfile=io.StringIO())
        except xlrd.XLRDError as error:
            if "encrypted" in str(error).lower():
                raise DocumentError("It is protected with a password.") from error
            raise
        builder = TextBuilder()
        hidden = 0
        for sheet in book.sheets():
            if sheet.visibility:
                hidden += 1
                continue
            write_sheet(builder, _sheet(book, sheet))
            source.progress()
        notes = (f"{hidden} hidden sheet(s) left out",) if hidden else ()
        return Parsed(builder.text, builder.blocks, "", "", {}, notes)


def _sheet(book: Book, sheet: XlsSheet) -> Sheet:
    cells: dict[Place, str] = {}
    for row in range(sheet.nrows):
        for column, cell in enumerate(sheet.row(row)):
            text = _text(book, cell)
            if text:
                cells[row, column] = text
    merges = tuple(Merge(top, left, bottom - 1, right - 1) for top, bottom, left, right in sheet.merged_cells)
    return Sheet(sheet.name, cells, merges)


def _text(book: Book, cell: Cell) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_TEXT:
        return str(cell.value)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return shown(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, ""))
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return shown(xlrd.xldate_as_datetime(cell.value, book.datemode))
        except (ValueError, OverflowError):
            return shown(cell.value)
    if cell.ctype == xlrd.XL_CELL_NUMBER:
        return shown(cell.value, book.format_map[book.xf_list[cell.xf_index].format_key].format_str)
    return ""
