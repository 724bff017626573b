"""Whole files of every format, small ones made here and real ones of a folder, to be damaged."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import xlwt
from reportlab.pdfgen.canvas import Canvas

_TABLE = (("Card", "Cabinet", "Days"), ("K100", "C-17", "41"), ("K1000", "C-18", "63"))


def _docx() -> Any:
    document = docx.Document()
    document.add_heading("Register", 1)
    document.add_paragraph("Clean it.", style="List Bullet")
    table = document.add_table(rows=3, cols=3)
    for row, cells in enumerate(_TABLE):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    return document


def _xlsx() -> Any:
    workbook = openpyxl.Workbook()
    for row in _TABLE:
        workbook.active.append(row)
    workbook.active.merge_cells("A2:A3")
    return workbook


def _xls() -> Any:
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("Register")
    for row, cells in enumerate(_TABLE):
        for column, text in enumerate(cells):
            sheet.write(row, column, text)
    return workbook


def _pptx() -> Any:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Register"
    table = slide.shapes.add_table(3, 3, 0, 0, 900_000, 900_000).table
    for row, cells in enumerate(_TABLE):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    return deck


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _pdf() -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out)
    for page in range(3):
        for row, cells in enumerate(_TABLE):
            for column, text in enumerate(cells):
                canvas.drawString(72 + 120 * column, 700 - 20 * row, text)
                canvas.rect(70 + 120 * column, 695 - 20 * row, 120, 20)
        canvas.drawString(72, 500, f"Words of page {page}, and some more of them.")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _epub() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfile full-path="b.opf"/>'
            "</container>",
        )
        book.writestr(
            "b.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
            'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
        )
        book.writestr("a.xhtml", "<html><body><h1>Register</h1><table><tr><td>K100<td>C-17</table></body></html>")
    return out.getvalue()


_RST = b"""Register
========

.. list-table:: Cards
   :header-rows: 1

   * - Card
     - Cabinet
   * - K100
     - C-17

+------+------+
| Card | W    |
+======+======+
| K100 | 233  |
+------+------+

.. note:: ``probe`` and :ref:`a <b>`, |x| [1]_

- a

  - b

.. [1] note
"""
_MARKDOWN = """# 登记

| 型号 | 柜号 |
|---|---|
| K100 | C-17 |

```sh
x
```

- a
  - b

<table><tr><td>x</table>
""".encode()


def made_files() -> dict[str, bytes]:
    """One small file of each format, by name."""
    return {
        "made.docx": _saved(_docx()),
        "made.xlsx": _saved(_xlsx()),
        "made.xls": _saved(_xls()),
        "made.pptx": _saved(_pptx()),
        "made.pdf": _pdf(),
        "made.epub": _epub(),
        "made.rst": _RST,
        "made.md": _MARKDOWN,
        "made.html": b"<!doctype html><title>x</title><h1>R</h1><table><tr><td rowspan=2>a<td>b</table><pre>c</pre>",
        "made.csv": '型号,柜号\nK100,"C-17, ""a"""\n'.encode("gbk"),
        "made.tsv": b"Card\tCabinet\nK100\tC-17\n",
        "made.json": b'{"a": [{"b": 1, "c": "x"}, {"b": 2}], "d": {"e": [1, 2]}}',
        "made.yaml": b"a: &x [1, 2]\nb: *x\nc:\n  - d: e\n",
        "made.txt": "第一章 登记\n\n柜号 C-17。\n".encode("gb18030"),
    }


def real_files(folder: Path) -> dict[str, bytes]:
    """The files below a folder, by their path in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }
