from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunkers.borders import cut, pack
from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.ruler import Ruler, columns
from ingest.chunkers.structure import chunk
from ingest.loaders.registry import load, load_bytes

STOPS = "。！？；"
CLOSERS = "”’」』）》】"


def count(text):
    return 4 + columns(text)


def parts(text, limit):
    ruler = Ruler(text)
    return [text[p.start : p.end] for p in pack(cut(text, 0, len(text), ruler, limit), ruler, limit, limit)]


def test_long_chinese_prose_without_line_breaks():
    sentences = [
        f"星隼K{i}的散热片每{i % 40 + 10}天清洗一次；否则告警灯会闪烁！“真的吗？”他问。" for i in range(100, 400)
    ]
    chunks = chunk(load_bytes("".join(sentences).encode(), "prose.txt"), count)
    assert len(chunks) > 3
    for item in chunks:
        assert re.search(rf"[{STOPS}][{CLOSERS}]*$", item.text)
        assert item.text[0] not in STOPS + CLOSERS
        assert columns(item.text) <= ChunkLimits().passage_columns


def test_the_trial_file_of_r07(shared):
    chunks = chunk(load(shared / "requirements/files/R07_chinese_prose.txt", "prose.txt"), count)
    assert len(chunks) > 3
    for item in chunks:
        assert item.text[-1] in STOPS + CLOSERS
        assert item.text[0] not in STOPS + CLOSERS
        assert columns(item.text) <= ChunkLimits().passage_columns
        for piece in item.embed_texts:
            assert piece.rstrip()[-1] in STOPS + CLOSERS
    [hit] = [item for item in chunks if "星隼K163" in item.text]
    assert "星隼K163的散热片每21天清洗一次" in hit.text


def test_closing_quotes_stay_with_their_sentence():
    assert parts("他说：“很好。”然后走了。" * 3, 26) == ["他说：“很好。”然后走了。"] * 3


def test_text_without_any_mark_is_cut_below_the_limit_and_not_inside_a_figure():
    text = "显卡" * 30 + "带宽3350GB/s" + "机房" * 30
    cut_up = parts(text, 40)
    assert "".join(cut_up) == text
    assert all(columns(part) <= 40 for part in cut_up)
    assert any("3350GB/s" in part for part in cut_up)


def test_figures_keep_their_units():
    text = "word " * 7 + "1,979 TFLOPS and 80 GB at 700 W with RTX 4090 for 3.35 TB/s until 2026 年 " + "more " * 9
    for limit in range(24, 60, 3):
        for part in parts(text, limit):
            assert not re.search(r"(?:1,979|80|700|3\.35|RTX|2026)$", part)


def test_english_sentences_end_where_they_should():
    text = "See Fig. 3 and e.g. the A100. It has approx. 40 GB, v1. Really? Yes! No."
    assert [text[p.start : p.end] for p in cut(text, 0, len(text), Ruler(text), 1000)] == [
        "See Fig. 3 and e.g. the A100.", "It has approx. 40 GB, v1.", "Really?", "Yes!", "No.",
    ]  # fmt: skip


def test_wrapped_lines_do_not_end_a_sentence():
    text = "MPS does space partitioning and allows memory and\ncompute resources to be partitioned. Next one."
    assert len(cut(text, 0, len(text), Ruler(text), 1000)) == 2


def test_parts_are_balanced():
    text = "十个字的一句话在这里。" * 11
    widths = [columns(part) for part in parts(text, 200)]
    assert max(widths) - min(widths) <= 30


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="显存。！？；，、”」）a1 .,GB/\n", min_size=1, max_size=300), st.integers(12, 60))
def test_no_part_is_too_wide_and_nothing_is_lost(text, limit):
    cut_up = parts(text, limit)
    assert "".join("".join(cut_up).split()) == "".join(text.split())
    assert all(columns(part) <= limit for part in cut_up)
