"""`.pptx`, written by python-pptx."""

from __future__ import annotations

import io

import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from ingest.loaders.registry import load_bytes


def read(presentation):
    out = io.BytesIO()
    presentation.save(out)
    return load_bytes(out.getvalue(), "x.pptx")


def test_slides_are_pages_with_their_titles_tables_and_notes():
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "星隼 K100"
    body = first.placeholders[1].text_frame
    body.text = "柜号 C-17"
    body.add_paragraph().text = "周期 41 天"
    first.notes_slide.notes_text_frame.text = "说明：先断电。"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Register"
    table = second.shapes.add_table(3, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for row, cells in enumerate((("Card", "Cabinet", "Days"), ("K100", "C-17", "41"), ("", "C-18", "63"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    document = read(deck)
    assert [(b.kind, b.page, document.text[b.start : b.end]) for b in document.blocks] == [
        ("heading", 1, "# 星隼 K100"),
        ("list", 1, "- 柜号 C-17\n- 周期 41 天"),
        ("paragraph", 1, "说明：先断电。"),
        ("heading", 2, "# Register"),
        ("table", 2, "| Card | Cabinet | Days |\n|---|---|---|\n| K100 | C-17 | 41 |\n| K100 | C-18 | 63 |"),
    ]
    assert document.title == "星隼 K100"


def test_the_figures_of_a_chart_are_a_table_and_hidden_slides_are_told():
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Power"
    data = CategoryChartData()
    data.categories = ["K100", "K1000"]
    data.add_series("W", (233, 240.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(4), Inches(3), data)
    hidden = deck.slides.add_slide(deck.slide_layouts[5])
    hidden.shapes.title.text = "secret"
    hidden._element.set("show", "0")
    document = read(deck)
    assert "|  | W |\n|---|---|\n| K100 | 233 |\n| K1000 | 240.5 |" in document.text
    assert "secret" not in document.text
    assert document.warnings == ("1 hidden slide(s) left out",)


def test_boxes_are_read_line_by_line():
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for text, left, top in (("right", 5, 1), ("below", 1, 3), ("left", 1, 1)):
        slide.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(1)).text_frame.text = text
    assert read(deck).text == "left\n\nright\n\nbelow"
