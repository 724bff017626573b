"""`.xlsx` and `.xls`, written by libraries of their own."""

from __future__ import annotations

import io

import openpyxl
import pytest
import xlwt

from ingest.loaders.registry import load_bytes
from kb.errors import DocumentError


def xlsx(fill, **sheets):
    workbook = openpyxl.Workbook()
    fill(workbook)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def tables(document):
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == "table"]


def test_sheets_tables_merged_cells_and_formats():
    def fill(workbook):
        sheet = workbook.active
        sheet.title = "保养登记"
        for row in (
            ["卡片登记表"],
            ["型号", "算力", None, "占用率"],
            [None, "FP16", "FP8", None],
            ["星隼 K100", 41, 82, 0.85],
            [None, 63, 126, 0.5],
        ):
            sheet.append(row)
        for area in ("A2:A3", "B2:C2", "D2:D3", "A4:A5", "A1:D1"):
            sheet.merge_cells(area)
        sheet["D4"].number_format = sheet["D5"].number_format = "0%"
        other = workbook.create_sheet("Racks")
        other.append(["Rack", "Height (U)"])
        other.append(["C-17", 42])
        workbook.create_sheet("Notes").append(["hidden words"])
        workbook["Notes"].sheet_state = "hidden"
        workbook.create_sheet("empty")

    document = load_bytes(xlsx(fill), "登记.xlsx")
    first, second = tables(document)
    assert first == (
        "| 型号 | 算力 / FP16 | 算力 / FP8 | 占用率 |\n|---|---|---|---|\n"
        "| 星隼 K100 | 41 | 82 | 85% |\n| 星隼 K100 | 63 | 126 | 50% |"
    )
    assert second == "| Rack | Height (U) |\n|---|---|\n| C-17 | 42 |"
    assert [block.caption for block in document.blocks if block.kind == "table"] == ["卡片登记表", ""]
    assert [block.heading_path for block in document.blocks if block.kind == "table"] == [("保养登记",), ("Racks",)]
    assert "hidden words" not in document.text
    assert document.warnings == ("1 hidden sheet(s) left out",)
    assert document.language == "zh"


def test_a_formula_without_its_result_is_told():
    document = load_bytes(xlsx(lambda book: book.active.append(["total", "=1+1"])), "x.xlsx")
    assert "1 formula(s)" in document.warnings[0]


def test_a_cell_at_the_end_of_the_sheet_costs_nothing():
    def fill(workbook):
        workbook.active.append(["Card", "W"])
        workbook.active.append(["T4", 70])
        workbook.active["XFD1048576"] = "stray"

    document = load_bytes(xlsx(fill), "x.xlsx")
    assert tables(document) == ["| Card | W |\n|---|---|\n| T4 | 70 |"]
    assert "stray" in document.text


def test_more_columns_than_the_limit_are_refused():
    with pytest.raises(DocumentError, match="columns"):
        load_bytes(xlsx(lambda book: book.active.append(list(range(2001)))), "x.xlsx")


def test_an_old_workbook():
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("登记")
    percent = xlwt.easyxf(num_format_str="0%")
    sheet.write_merge(0, 0, 0, 2, "Register")
    for column, name in enumerate(["Card", "Cabinet", "Load"]):
        sheet.write(1, column, name)
    sheet.write_merge(2, 3, 0, 0, "K100")
    sheet.write(2, 1, "C-17")
    sheet.write(2, 2, 0.85, percent)
    sheet.write(3, 1, "C-18")
    sheet.write(3, 2, 41)
    out = io.BytesIO()
    workbook.save(out)
    document = load_bytes(out.getvalue(), "x.xls")
    assert tables(document) == ["| Card | Cabinet | Load |\n|---|---|---|\n| K100 | C-17 | 85% |\n| K100 | C-18 | 41 |"]
    assert document.blocks[-1].heading_path == ("登记",)
    assert document.blocks[-1].caption == "Register"
