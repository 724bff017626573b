"""The same register in every format: found, answered in both languages, and cited where it stands."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import docx
import openpyxl
import pptx
import pytest
import xlwt
from reportlab.lib import colors
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

Serve = Callable[..., Any]

# A name, its cabinet and its interval; each file has cards of its own, so that an answer can only come from it.
CARDS = {
    "register.docx": ("K201", "D-21", "31"),
    "register.xlsx": ("K202", "D-22", "32"),
    "register.xls": ("K203", "D-23", "33"),
    "register.pptx": ("K204", "D-24", "34"),
    "register.pdf": ("K205", "D-25", "35"),
    "register.epub": ("K206", "D-26", "36"),
    "register.rst": ("K207", "D-27", "37"),
    "归档.zip/内/登记.csv": ("K208", "D-28", "38"),
}
HEADER = ("Card 型号", "Cabinet 柜号", "Interval 周期 (days)")


def rows_of(name: str) -> tuple[tuple[str, ...], ...]:
    card, cabinet, days = CARDS[name]
    return HEADER, (f"{card}X", "X-99", "99"), (card, cabinet, days)


def write_docx(path: Path, rows: tuple[tuple[str, ...], ...]) -> None:
    document = docx.Document()
    document.add_heading("Register of cards", 1)
    table = document.add_table(rows=len(rows), cols=3)
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.save(str(path))


def write_xlsx(path: Path, rows: tuple[tuple[str, ...], ...]) -> None:
    workbook = openpyxl.Workbook()
    for row in rows:
        workbook.active.append(row)
    workbook.save(path)


def write_xls(path: Path, rows: tuple[tuple[str, ...], ...]) -> None:
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("Register")
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            sheet.write(row, column, text)
    workbook.save(str(path))


def write_pptx(path: Path, rows: tuple[tuple[str, ...], ...]) -> None:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Cards"
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Register of cards"
    table = slide.shapes.add_table(len(rows), 3, 0, 0, 6_000_000, 2_000_000).table
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    deck.save(path)


def write_pdf(path: Path, rows: tuple[tuple[str, ...], ...]) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    canvas = Canvas(str(path))
    canvas.setFont("STSong-Light", 12)
    canvas.drawString(72, 700, "保养手册第一页。")
    canvas.showPage()
    style = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONT", (0, 0), (-1, -1), "STSong-Light")]
    table = Table(rows, style=style)
    table.wrapOn(canvas, 500, 800)
    table.drawOn(canvas, 72, 600)
    canvas.save()


def write_epub(path: Path, rows: tuple[tuple[str, ...], ...]) -> None:
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="b.opf"/></rootfiles></container>',
        )
        book.writestr(
            "b.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
            'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
        )
        book.writestr("a.xhtml", f"<html><body><h1>Register of cards</h1><table>{body}</table></body></html>")


def write_late_fact(path: Path) -> None:
    document = docx.Document()
    words = "The kestrel crate is checked and put back into its place by the keeper of the hall. "
    document.add_paragraph(words * 60 + "The seal number is QZ-5519. " + words * 5)
    document.save(str(path))


def write_rst(path: Path, rows: tuple[tuple[str, ...], ...]) -> None:
    lines = ["Register of cards", "=" * 17, "", ".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'* -' if not number else '  -'} {cell}" for number, cell in enumerate(row)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def trial(request: pytest.FixtureRequest) -> Path | None:
    """The trial files of the requirements, where they are at hand."""
    try:
        shared: Path = request.getfixturevalue("shared")
    except pytest.skip.Exception:
        return None
    return shared / "requirements/files"


@pytest.fixture(scope="module")
def service(serve_folder: Serve, tmp_path_factory: pytest.TempPathFactory, trial: Path | None) -> Iterator[Any]:
    corpus = tmp_path_factory.mktemp("formats")
    if trial is not None:
        shutil.copy(trial / "R03_table.docx", corpus)
    write_late_fact(corpus / "late.docx")
    for write in (write_docx, write_xlsx, write_xls, write_pptx, write_pdf, write_epub, write_rst):
        name = f"register.{write.__name__.removeprefix('write_')}"
        write(corpus / name, rows_of(name))
    with zipfile.ZipFile(corpus / "归档.zip", "w") as archive:
        rows = rows_of("归档.zip/内/登记.csv")
        archive.writestr("内/登记.csv", "\n".join(",".join(row) for row in rows).encode("gbk"))
        archive.writestr("../out.md", "K299 stands in cabinet Z-1.")
    (corpus / "x.md/pages").mkdir(parents=True)
    (corpus / "x.md/pages/1.md").write_text("The anvil code is QX-7781.", encoding="utf-8")
    (corpus / "two\nlines.md").write_text("The bellows code is QX-7782.", encoding="utf-8")
    with serve_folder(corpus) as opened:
        yield opened


def test_all_are_listed_and_nothing_from_outside(service: Any) -> None:
    listed = {item["id"] for item in service.client.get("/v1/documents").json()["data"]}
    assert listed - {"R03_table.docx"} == {*CARDS, "late.docx", "x.md/pages/1.md", "two\nlines.md"}


@pytest.mark.parametrize("name", CARDS)
def test_a_row_is_answered_in_both_languages_and_cited_in_its_table(service: Any, name: str) -> None:
    card, cabinet, days = CARDS[name]
    for question in (f"What are the cabinet and the interval of {card}?", f"{card} 的柜号和周期是什么？"):
        reply = service.ask(question)
        assert cabinet in reply["answer"], (question, reply["answer"])
        assert days in reply["answer"], (question, reply["answer"])
        assert "X-99" not in reply["answer"]
        (source,) = [item for item in reply["sources"] if item["doc_id"] == name]
        assert source["kind"] == "table"
        assert source["page"] == (2 if name.endswith((".pptx", ".pdf")) else None)
        citation = next(item for item in reply["citations"] if item["doc_id"] == name)
        assert service.document_text(quote(name))[citation["doc_start"] : citation["doc_end"]] == citation["quote"]


@pytest.mark.parametrize(("name", "code"), [("x.md/pages/1.md", "QX-7781"), ("two\nlines.md", "QX-7782")])
def test_any_name_opens(service: Any, name: str, code: str) -> None:
    assert code in service.document_text(quote(name))
    page = service.client.get(f"/v1/documents/{quote(name)}/pages/1")
    assert (page.status_code, page.json()["doc_id"]) == (200, name)


def test_r03_tables_in_word_files_are_kept(service: Any, shared: Path) -> None:
    reply = service.ask("Which cabinet holds K1000?")
    assert "C-18" in reply["answer"], reply["answer"]
    assert (reply["sources"][0]["doc_id"], reply["sources"][0]["kind"]) == ("R03_table.docx", "table")
    assert "28" in service.ask("What is the interval of K100 SE in days?")["answer"]


def test_r08_a_late_fact_in_a_long_page_is_found(service: Any) -> None:
    assert "QZ-5519" in service.ask("What is the seal number of the kestrel crate?")["answer"]
    assert "gpukb_truncated_inputs_total 0.0" in service.client.get("/metrics").text
