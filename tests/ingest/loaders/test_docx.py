"""`.docx`, written by python-docx."""

from __future__ import annotations

import io

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from ingest.loaders.registry import load_bytes
from kb.errors import DocumentError


def read(document, name="x.docx"):
    out = io.BytesIO()
    document.save(out)
    return load_bytes(out.getvalue(), name)


def shown(document):
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_headings_lists_and_tables_in_document_order():
    word = docx.Document()
    word.add_heading("星隼手册", 0)
    word.add_heading("保养", 1)
    word.add_paragraph("每 41 天一次。")
    word.add_paragraph("清灰", style="List Bullet")
    word.add_paragraph("换油", style="List Bullet")
    word.add_paragraph("先断电", style="List Number")
    word.add_paragraph("再拆盖", style="List Number")
    table = word.add_table(rows=3, cols=3)
    for row, cells in enumerate((("型号", "柜号", "周期"), ("K100", "C-17", "41"), ("K1000", "C-18", "63"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    word.add_paragraph("表后的话。")
    document = read(word)
    assert document.title == "星隼手册"
    assert shown(document) == [
        ("heading", "# 星隼手册"),
        ("heading", "# 保养"),
        ("paragraph", "每 41 天一次。"),
        ("list", "- 清灰\n- 换油\n1. 先断电\n2. 再拆盖"),
        ("table", "| 型号 | 柜号 | 周期 |\n|---|---|---|\n| K100 | C-17 | 41 |\n| K1000 | C-18 | 63 |"),
        ("paragraph", "表后的话。"),
    ]
    assert document.blocks[-2].heading_path == ("保养",)


def test_merged_cells_and_a_header_of_two_rows():
    word = docx.Document()
    table = word.add_table(rows=4, cols=3)
    texts = (("Card", "Speed", ""), ("", "dense", "sparse"), ("K100", "1", "2"), ("", "3", "4"))
    for row, cells in enumerate(texts):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(2, 0).merge(table.cell(3, 0))
    (block,) = shown(read(word))
    assert block[1] == ("| Card | Speed / dense | Speed / sparse |\n|---|---|---|\n| K100 | 1 | 2 |\n| K100 | 3 | 4 |")


def test_a_table_inside_a_cell_and_a_frame_of_one_cell():
    word = docx.Document()
    outer = word.add_table(rows=2, cols=2)
    outer.cell(0, 0).text, outer.cell(0, 1).text, outer.cell(1, 0).text = "Card", "Ports", "K100"
    inner = outer.cell(1, 1).add_table(rows=2, cols=2)
    for row, cells in enumerate((("HDMI", "2"), ("DP", "3"))):
        for column, text in enumerate(cells):
            inner.cell(row, column).text = text
    frame = word.add_table(rows=1, cols=1)
    frame.cell(0, 0).text = "Only a frame."
    found = shown(read(word))
    assert found[0] == ("table", "| Card | Ports |\n|---|---|\n| K100 | HDMI, 2; DP, 3 |")
    assert found[1] == ("paragraph", "Only a frame.")


def test_what_was_deleted_is_not_read_and_what_was_inserted_is():
    word = docx.Document()
    paragraph = word.add_paragraph("The limit is ")
    for tag, inner in (("del", "<w:r><w:delText>250</w:delText></w:r>"), ("ins", "<w:r><w:t>233</w:t></w:r>")):
        paragraph._p.append(parse_xml(f"<w:{tag} {nsdecls('w')} w:id='1' w:author='a'>{inner}</w:{tag}>"))
    paragraph.add_run(" W.")
    assert shown(read(word)) == [("paragraph", "The limit is 233 W.")]


def test_code_keeps_its_lines_and_indentation():
    word = docx.Document()
    for line in ("if ready:", "    start()", "stop()"):
        run = word.add_paragraph().add_run(line)
        run.font.name = "Consolas"
    assert shown(read(word)) == [("code", "```\nif ready:\n    start()\nstop()\n```")]


def test_pages_are_those_that_word_has_drawn():
    word = docx.Document()
    word.add_paragraph("first")
    run = word.add_paragraph().add_run()
    run._r.append(parse_xml(f"<w:lastRenderedPageBreak {nsdecls('w')}/>"))
    run.add_text("second")
    assert [block.page for block in read(word).blocks] == [1, 2]


def test_an_entity_bomb_is_refused_or_stays_small():
    import zipfile

    word, out = docx.Document(), io.BytesIO()
    word.add_paragraph("x")
    word.save(out)
    bomb = b"""<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">""" + b"".join(
        b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)
    )
    ns = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    bomb += b"]><w:document xmlns:w='%s'><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>" % ns
    changed = io.BytesIO()
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            new.writestr(name, bomb if name == "word/document.xml" else old.read(name))
    with pytest.raises(DocumentError):
        load_bytes(changed.getvalue(), "x.docx")


def test_the_table_of_r03(shared):
    from ingest.loaders.registry import load

    document = load(shared / "requirements/files/R03_table.docx", "R03_table.docx")
    assert [block.kind for block in document.blocks] == ["paragraph", "table", "paragraph"]
    assert "| K1000 | C-18 | 63 |" in document.text
