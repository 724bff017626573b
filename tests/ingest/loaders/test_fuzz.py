"""Damaged files of every format: each is read or refused with a reason, none crashes or hangs the reader.

A real file of each format is damaged in ways that files get damaged in: bytes changed, parts lost, doubled or swapped;
inside a zip container also its parts, packed again, so that the damage reaches the parsers behind the checksum.
"""

from __future__ import annotations

import io
import os
import random
import zipfile
from collections import Counter
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
import xlwt
from reportlab.pdfgen.canvas import Canvas

from ingest.loaders.base import LoadLimits
from ingest.loaders.reader import open_reader
from kb.errors import DocumentError

_EDGE_BYTES = (0x00, 0x01, 0x7F, 0x80, 0xFF)
_TABLE = (("Card", "Cabinet", "Days"), ("K100", "C-17", "41"), ("K1000", "C-18", "63"))


def _docx():
    document = docx.Document()
    document.add_heading("Register", 1)
    document.add_paragraph("Clean it.", style="List Bullet")
    table = document.add_table(rows=3, cols=3)
    for row, cells in enumerate(_TABLE):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    return document


def _xlsx():
    workbook = openpyxl.Workbook()
    for row in _TABLE:
        workbook.active.append(row)
    workbook.active.merge_cells("A2:A3")
    return workbook


def _xls():
    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("Register")
    for row, cells in enumerate(_TABLE):
        for column, text in enumerate(cells):
            sheet.write(row, column, text)
    return workbook


def _pptx():
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Register"
    table = slide.shapes.add_table(3, 3, 0, 0, 900_000, 900_000).table
    for row, cells in enumerate(_TABLE):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    return deck


def _saved(document):
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _pdf():
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


def _epub():
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


RST = b"""Register
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
MARKDOWN = """# 登记

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


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """Whole files by suffix."""
    found = {
        "docx": _saved(_docx()),
        "xlsx": _saved(_xlsx()),
        "xls": _saved(_xls()),
        "pptx": _saved(_pptx()),
        "pdf": _pdf(),
        "epub": _epub(),
        "rst": RST,
        "md": MARKDOWN,
        "html": b"<!doctype html><title>x</title><h1>R</h1><table><tr><td rowspan=2>a<td>b</table><pre>c</pre>",
        "csv": '型号,柜号\nK100,"C-17, ""a"""\n'.encode("gbk"),
        "json": b'{"a": [{"b": 1, "c": "x"}, {"b": 2}], "d": {"e": [1, 2]}}',
        "yaml": b"a: &x [1, 2]\nb: *x\nc:\n  - d: e\n",
        "txt": "第一章 登记\n\n柜号 C-17。\n".encode("gb18030"),
    }
    extra = os.environ.get("FUZZ_DIR")  # more files to damage
    for path in Path(extra).rglob("*") if extra else ():
        if path.is_file():
            found[path.name] = path.read_bytes()
    return found


def damaged(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not data:
            break
        at = rng.randrange(len(data))
        length = rng.randint(1, max(1, min(len(data) // 4, 300)))
        kind = rng.randrange(6)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at] = rng.choice(_EDGE_BYTES)
        elif kind == 2:
            del data[at : at + length]
        elif kind == 3:
            data[at:at] = data[at : at + length]
        elif kind == 4:
            other = rng.randrange(len(data))
            data[at : at + length] = data[other : other + length]
        else:
            data[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f"))
    return bytes(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data)


def damaged_inside(data, rng):
    """A zip container with one of its parts damaged and packed again."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, damaged(part, rng) if name == chosen else part)
    return out.getvalue()


def run(seeds, tmp_path, cases, seed):
    """What became of the damaged files; the kinds of answers that no file may cause."""
    rng = random.Random(seed)
    names = sorted(seeds)
    outcomes, bad = Counter(), []
    with open_reader(LoadLimits(max_step_seconds=10)) as reader:
        for case in range(cases):
            name = names[case % len(names)]
            data = seeds[name]
            is_zip = data.startswith(b"PK")
            changed = damaged_inside(data, rng) if is_zip and rng.random() < 0.7 else damaged(data, rng)
            path = tmp_path / f"case.{name.rsplit('.', 1)[-1]}"
            path.write_bytes(changed)
            try:
                document = reader.load(path, path.name)
            except DocumentError as error:
                outcomes[name, "refused"] += 1
                if "crash" in error.message or "takes more than" in error.message or "stopped by" in error.message:
                    bad.append((case, name, error.message))
            else:
                outcomes[name, "read"] += 1
                position = 0
                for block in document.blocks:
                    if not position <= block.start < block.end <= len(document.text):
                        bad.append((case, name, f"block {block}"))
                    position = block.end
    return outcomes, bad


def test_damaged_files_are_read_or_refused(seeds, tmp_path):
    outcomes, bad = run(seeds, tmp_path, cases=130, seed=1)
    assert bad == []
    assert {outcome for _, outcome in outcomes} == {"read", "refused"}


@pytest.mark.slow
def test_many_damaged_files_are_read_or_refused(seeds, tmp_path):
    cases = int(os.environ.get("FUZZ_CASES", "20000"))
    _, bad = run(seeds, tmp_path, cases=cases, seed=int(os.environ.get("FUZZ_SEED", "2")))
    assert bad == []
