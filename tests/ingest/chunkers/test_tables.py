from __future__ import annotations

from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.ruler import columns
from ingest.chunkers.structure import chunk
from ingest.chunkers.table_text import TableText
from ingest.loaders.pipe_table import split_row
from ingest.loaders.registry import load, load_bytes
from kb.types import Block


def count(text):
    return 4 + columns(text) // 2


def chunks_of(text, limits=None, name="doc.md"):
    return chunk(load_bytes(text.encode(), name), count, limits)


HEADER = "| 卡 | 柜号 | 风扇上限 (rpm) |\n|---|---|---|\n"


def test_every_part_of_a_long_table_carries_header_heading_and_whole_rows(shared):
    document = load(shared / "requirements/files/R06_long_table.md", "register.md")
    chunks = [item for item in chunk(document, count) if item.kind == "table"]
    header = "| Card | Cabinet | Interval (days) | Fan limit (rpm) | Wall power (W) |\n|---|---|---|---|---|\n"
    assert len(chunks) > 1
    for item in chunks:
        assert item.text.startswith(header)
        assert item.heading_path == ("Card register",)
        assert item.text.count(header) == 1
        for row in item.text.removeprefix(header).split("\n"):
            assert len(split_row(row)) == 5
    [hit] = [item for item in chunks if "| K709 |" in item.text]
    assert any("Card: K709" in e and "Fan limit (rpm): 2783; Wall power (W): 240" in e for e in hit.embed_texts)
    rows = [row for item in chunks for row in item.text.removeprefix(header).split("\n")]
    assert len(rows) == len(set(rows)) == document.text.count("\n| K")


def test_the_caption_is_searched_but_is_no_row():
    item = chunks_of("# 登记\n\n下表列出各卡：\n\n" + HEADER + "| K1 | C-1 | 2000 |\n")
    assert [c.kind for c in item] == ["table"]
    assert item[0].caption == "下表列出各卡："
    assert "下表列出" not in item[0].text
    assert item[0].embed_texts == ("登记\n下表列出各卡：\n卡: K1; 柜号: C-1; 风扇上限 (rpm): 2000",)


def test_a_sentence_with_content_above_a_table_is_a_passage_too():
    kinds = [c.kind for c in chunks_of("All values come from our own rack.\n\n" + HEADER + "| K1 | C-1 | 2 |\n")]
    assert kinds == ["text", "table"]


def test_rows_without_a_label_are_told_with_the_one_above():
    table = "| os | version |\n|---|---|\n| Ubuntu | 24.04 |\n|  | 22.04 |\n"
    assert "os: Ubuntu; version: 22.04" in chunks_of(table)[0].embed_texts[0]


def test_a_row_wider_than_a_passage_is_cut_between_columns_with_its_label():
    names = "| card |" + "".join(f" field {i} |" for i in range(80))
    row = "| K1 |" + "".join(f" value number {i} |" for i in range(80))
    source = f"{names}\n{'|---' * 81}|\n{row}\n"
    limits = ChunkLimits(passage_columns=400, passage_target_columns=300, piece_columns=200, piece_target_columns=150)
    document = load_bytes(source.encode(), "wide.md")
    chunks = chunk(document, count, limits)
    assert len(chunks) > 3
    seen = []
    for item in chunks:
        lines = item.text.split("\n")
        assert len(lines) == 3
        header, values = split_row(lines[0]), split_row(lines[2])
        assert len(header) == len(values)
        assert (header[0], values[0]) == ("card", "K1")
        for name, value in zip(header[1:], values[1:], strict=True):
            assert value == f"value number {name.removeprefix('field ')}"
            seen.append(name)
        assert item.text.endswith(document.text[item.start : item.end])
        assert columns(item.text) <= limits.passage_columns
        assert all("K1" in embedded for embedded in item.embed_texts)
    assert seen == [f"field {i}" for i in range(80)]


def test_a_cell_longer_than_the_window_is_embedded_in_parts():
    document = load_bytes(f"| card | note |\n|---|---|\n| K1 | {'long words ' * 400}|\n".encode(), "cell.md")
    chunks = chunk(document, count, ChunkLimits(max_tokens=100))
    texts = [text for item in chunks for text in item.embed_texts]
    assert all(count(text) <= 100 for text in texts)
    assert sum(text.count("long") for text in texts) == sum(text.count("words") for text in texts) == 400
    assert all(text.startswith("card: K1") or text.startswith("K1 note: ") for text in texts)
    for item in chunks:
        assert item.text.startswith("| card | note |\n|---|---|\n| K1 ") or item.text.startswith(
            "| card |\n|---|\n| K1 "
        )
        assert columns(item.text) <= ChunkLimits().passage_columns


def test_tables_without_header_and_with_nothing_but_a_header():
    assert chunks_of("a,1\nb,2\n", name="t.csv")[0].embed_texts == ("a; 1\nb; 2",)
    assert chunks_of("| a | b |\n|---|---|\n")[0].text == "| a | b |\n|---|---|"


def test_a_table_of_names_and_values_is_told_without_its_empty_words():
    table = "| 参数 | 数值 |\n|---|---|\n| 核心 | GT218 |\n| 工艺 | 40 nm |\n"
    assert chunks_of(f"# G310\n\n{table}")[0].embed_texts == ("G310\n核心: GT218\n工艺: 40 nm",)


def test_a_row_with_more_cells_than_names_gets_no_wrong_names():
    text = "| a | b |\n|---|---|\n| L1 | 28 | 128 |\n| L2 | 193 |"
    table = TableText(text, Block("table", 0, len(text), header_end=20))
    assert [table.said(table.cells(row)) for row in table.rows()] == ["L1; 28; 128", "a: L2; b: 193"]
