"""`.pdf`, written by reportlab."""

from __future__ import annotations

import io

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from ingest.loaders.base import LoadLimits
from ingest.loaders.reader import open_reader
from ingest.loaders.registry import load_bytes
from kb.errors import DocumentError

WIDTH, HEIGHT = A4
pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
SENTENCE = "The card is cleaned with dry air and its fans are turned by hand before it goes back into its cabinet. "


def drawn(draw, **options):
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, **options)
    draw(canvas)
    canvas.save()
    return out.getvalue()


def read(draw, name="x.pdf", **options):
    return load_bytes(drawn(draw, **options), name)


def shown(document):
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def tables(document):
    return [text for kind, text in shown(document) if kind == "table"]


def lines(canvas, texts, x=72, y=HEIGHT - 100, leading=14, font=("Helvetica", 11)):
    canvas.setFont(*font)
    for number, text in enumerate(texts):
        canvas.drawString(x, y - number * leading, text)


def wrapped(text, chars):
    words, out = text.split(), [""]
    for word in words:
        if len(out[-1]) + len(word) >= chars:
            out.append("")
        out[-1] = f"{out[-1]} {word}".strip()
    return out


def draw_table(canvas, rows, style=(), at=(72, HEIGHT - 250)):
    table = Table(rows, style=style)
    table.wrapOn(canvas, WIDTH, HEIGHT)
    table.drawOn(canvas, *at)
    return table


GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]


def test_paragraphs_headings_and_pages():
    def draw(canvas):
        lines(canvas, ["Maintenance manual"], y=HEIGHT - 72, font=("Helvetica-Bold", 20))
        lines(canvas, wrapped(SENTENCE * 4, 80))
        canvas.showPage()
        lines(canvas, ["2 Cabinets"], y=HEIGHT - 72, font=("Helvetica-Bold", 15))
        lines(canvas, ["K100 stands in C-17."])

    document = read(draw)
    assert document.title == "Maintenance manual"
    assert [(kind, text) for kind, text in shown(document)] == [
        ("heading", "# Maintenance manual"),
        ("paragraph", " ".join((SENTENCE * 4).split())),
        ("heading", "# 2 Cabinets"),
        ("paragraph", "K100 stands in C-17."),
    ]
    assert [block.page for block in document.blocks] == [1, 1, 2, 2]


def test_chinese_lines_are_joined_without_spaces():
    def draw(canvas):
        lines(
            canvas,
            ["星隼 K100 的保养周期是四十一天，备件存放在 C-17 号", "柜，柜门钥匙由值班员保管。"],
            font=("STSong-Light", 12),
        )

    document = read(draw)
    assert shown(document) == [
        ("paragraph", "星隼 K100 的保养周期是四十一天，备件存放在 C-17 号柜，柜门钥匙由值班员保管。")
    ]
    assert document.language == "zh"


def test_two_columns_are_read_one_after_the_other():
    left = [f"left {n} " + "and so on to the edge of it" for n in range(20)]
    right = [f"right {n} " + "and so on to the edge of it" for n in range(20)]

    def draw(canvas):
        lines(canvas, left, x=60)
        lines(canvas, right, x=310)

    text = read(draw).text
    assert text.index("left 19") < text.index("right 0")


def test_words_a_kilometre_apart_cost_no_more_than_others(tmp_path):
    def draw(canvas):
        for y in range(100, 700, 20):
            canvas.drawString(60, y, "near")
            canvas.drawString(3e6, y, "far")

    path = tmp_path / "wide.pdf"
    path.write_bytes(drawn(draw))
    with open_reader(LoadLimits(max_step_seconds=2)) as reader:
        assert "near" in reader.load(path, "wide.pdf").text


def test_a_table_with_ruled_and_merged_cells():
    rows = [["Card", "Speed", "", "W"], ["", "dense", "sparse", ""], ["K100", "1", "2", "233"], ["", "3", "4", "240"]]
    spans = [("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (3, 1)), ("SPAN", (0, 2), (0, 3))]

    def draw(canvas):
        lines(canvas, ["Table 1: Speeds"])
        draw_table(canvas, rows, GRID + spans)
        lines(canvas, ["After the table."], y=HEIGHT - 300)

    document = read(draw)
    assert shown(document) == [
        ("paragraph", "Table 1: Speeds"),
        (
            "table",
            "| Card | Speed / dense | Speed / sparse | W |\n|---|---|---|---|\n"
            "| K100 | 1 | 2 | 233 |\n| K100 | 3 | 4 | 240 |",
        ),
        ("paragraph", "After the table."),
    ]


def test_tables_with_three_rules_and_with_none():
    rows = [["Card", "Memory", "Bandwidth"], ["K100", "32 GB", "900 GB/s"], ["K1000", "16 GB", "732 GB/s"]]
    rules = [
        ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
        ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
        ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
    ]
    expected = "| Card | Memory | Bandwidth |\n|---|---|---|\n| K100 | 32 GB | 900 GB/s |\n| K1000 | 16 GB | 732 GB/s |"
    for style in (rules, []):
        wide = [("LEFTPADDING", (0, 0), (-1, -1), 16), *style]
        assert tables(read(lambda canvas, style=wide: draw_table(canvas, rows, style))) == [expected]


def test_a_table_that_goes_on_says_its_header_again():
    def draw(canvas):
        draw_table(canvas, [["Card", "Cabinet"], ["K1", "C-1"], ["K2", "C-2"]], GRID, at=(72, 60))
        canvas.showPage()
        draw_table(canvas, [["K3", "C-3"], ["K4", "C-4"]], GRID, at=(72, HEIGHT - 120))

    document = read(draw)
    assert tables(document) == [
        "| Card | Cabinet |\n|---|---|\n| K1 | C-1 |\n| K2 | C-2 |",
        "| Card | Cabinet |\n|---|---|\n| K3 | C-3 |\n| K4 | C-4 |",
    ]
    assert [block.page for block in document.blocks] == [1, 2]


def test_a_page_between_two_rules_is_no_table():
    def draw(canvas):
        for y in (HEIGHT - 60, 60):
            canvas.line(60, y, WIDTH - 60, y)
        lines(canvas, wrapped(SENTENCE * 10, 80))

    assert [kind for kind, _ in shown(read(draw))] == ["paragraph"]


def test_what_every_page_repeats_is_left_out():
    def draw(canvas):
        for page in range(1, 9):
            lines(canvas, [f"Kestrel manual, chapter {page // 5}"], y=HEIGHT - 40)
            lines(canvas, [f"Words of page {'abcdefgh'[page - 1]} stand here."], y=HEIGHT - 300)
            lines(canvas, [f"- {page} -"], y=30)
            canvas.showPage()

    text = read(draw).text
    assert "Kestrel manual" not in text
    assert "- 3 -" not in text
    assert text.count("Words of page") == 8


def test_code_keeps_its_lines_and_indentation():
    def draw(canvas):
        lines(canvas, ["Run this:"], y=HEIGHT - 72)
        lines(canvas, ["if ready:", "    start()", "stop()"], font=("Courier", 10))
        lines(canvas, [SENTENCE], y=HEIGHT - 200)

    assert ("code", "```\nif ready:\n    start()\nstop()\n```") in shown(read(draw))


def test_lists_broken_words_and_exponents():
    def draw(canvas):
        lines(canvas, ["• dry air", "• new fans"])
        lines(canvas, ["It makes 10", "of them in the main-", "tenance hall."], y=HEIGHT - 200)
        canvas.setFont("Helvetica", 7)
        canvas.drawString(72 + pdfmetrics.stringWidth("It makes 10", "Helvetica", 11), HEIGHT - 195, "12")

    found = shown(read(draw))
    assert found[0] == ("list", "- dry air\n- new fans")
    assert "10^12" in found[1][1]
    assert "1012" not in found[1][1]
    assert "maintenance hall" in found[1][1]


def test_the_outline_says_what_is_a_heading():
    def draw(canvas):
        for page, title in enumerate(("Cabinets", "Keys")):
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, level=page)
            lines(canvas, [title, "", f"All about {title.lower()}."])
            canvas.showPage()

    assert [text for kind, text in shown(read(draw)) if kind == "heading"] == ["# Cabinets", "## Keys"]


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_turned_page_is_read_as_it_is_shown(rotation):
    def draw(canvas):
        canvas.setPageRotation(rotation)
        canvas.saveState()
        canvas.translate(*{90: (WIDTH, 0), 180: (WIDTH, HEIGHT), 270: (0, HEIGHT)}[rotation])
        canvas.rotate(rotation)
        lines(canvas, ["First line.", "", "", "Second line."], y=300)
        canvas.restoreState()

    assert [text for _, text in shown(read(draw))] == ["First line.", "Second line."]


def picture(canvas):
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    canvas.drawImage(ImageReader(Image.new("RGB", (40, 40), "gray")), 0, 0, WIDTH, HEIGHT)
    canvas.showPage()


def test_scanned_pages_are_told():
    def draw(canvas):
        lines(canvas, ["Words."])
        canvas.showPage()
        picture(canvas)
        picture(canvas)

    assert read(draw).warnings == ("pages 2–3 of 3: pictures without text (scanned), not indexed",)
    with pytest.raises(DocumentError, match="Its only page is a picture"):
        read(picture)


def test_a_password_a_missing_end_and_a_drawing_are_plain_reasons():
    with pytest.raises(DocumentError, match="password"):
        read(lambda canvas: lines(canvas, ["x"]), encrypt=StandardEncryption("secret", ownerPassword="owner"))
    out = io.BytesIO()
    canvas = Canvas(out)
    lines(canvas, ["Words."] * 50)
    canvas.save()
    with pytest.raises(DocumentError, match="its end is missing"):
        load_bytes(out.getvalue()[: len(out.getvalue()) // 2], "x.pdf")
    with pytest.raises(DocumentError, match="only drawings"):
        read(lambda canvas: canvas.line(1, 1, 100, 100))


def test_an_owner_password_alone_hides_nothing():
    document = read(lambda canvas: lines(canvas, ["Words."]), encrypt=StandardEncryption("", ownerPassword="owner"))
    assert document.text == "Words."


def test_the_files_of_r02(shared):
    from ingest.loaders.registry import load

    for name, reason in (("20_encrypted.pdf", "password"), ("40_truncated.pdf", "damaged")):
        with pytest.raises(DocumentError, match=reason):
            load(shared / "requirements/files/R02_batch" / name, name)
