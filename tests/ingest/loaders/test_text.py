from __future__ import annotations

from ingest.loaders.registry import load_bytes


def read(text):
    return load_bytes(text.encode(), "notes.txt")


def test_paragraphs_lists_and_the_title():
    document = read("机房手册\n\n第一段。\n第二行。\n\n- a\n- b\n")
    assert document.title == "机房手册"
    assert [(b.kind, document.text[b.start : b.end]) for b in document.blocks] == [
        ("paragraph", "机房手册"),
        ("paragraph", "第一段。\n第二行。"),
        ("list", "- a\n- b"),
    ]


def test_numbered_chinese_headings_make_the_path():
    document = read("一、概念定义\n\n图形卡。\n\n（一）训练\n训练卡。\n\n二、演进\n\n三次转折。\n")
    paths = [b.heading_path for b in document.blocks if b.kind == "paragraph"]
    assert paths == [("一、概念定义",), ("一、概念定义", "（一）训练"), ("二、演进",)]


def test_a_numbered_sentence_is_no_heading():
    document = read("一、先关机，再断电。\n\n二、等待 5 分钟。\n")
    assert {b.kind for b in document.blocks} == {"paragraph"}


def test_the_text_is_kept_as_it_is():
    source = "a  b\n\n\n\tc\n"
    assert read(source).text == source
