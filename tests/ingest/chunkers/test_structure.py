from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.ruler import columns
from ingest.chunkers.structure import chunk, chunker_name
from ingest.loaders.registry import load_bytes
from kb.errors import ConfigError, DocumentError

SMALL = ChunkLimits(
    passage_columns=160, passage_target_columns=120, piece_columns=80, piece_target_columns=60, inline_code_columns=60,
    context_columns=40, max_tokens=120,
)  # fmt: skip


def count(text):
    """A stand-in for a tokenizer that is never far off: one token for two columns."""
    return 4 + columns(text) // 2


def document_of(text, name="doc.md"):
    return load_bytes(text.encode("utf-8", "replace"), name)


def chunks_of(text, limits=None, name="doc.md"):
    return chunk(document_of(text, name), count, limits)


def check(document, chunks, limits):
    """What holds for every document."""
    for ordinal, item in enumerate(chunks):
        body = document.text[item.start : item.end]
        assert item.ordinal == ordinal
        assert body
        assert item.text.endswith(body)
        assert item.kind != "text" or item.text == body
        assert columns(item.text) <= limits.passage_columns
        assert len(item.pieces) == len(item.embed_texts) > 0
        assert all(count(text) <= limits.max_tokens for text in item.embed_texts)
        for piece in item.pieces:
            assert item.start <= piece.start < piece.end <= item.end
        assert all(a.end <= b.start for a, b in pairwise(item.pieces))
    assert all(a.end <= b.start for a, b in pairwise(chunks))
    assert len({item.chunk_id for item in chunks}) == len(chunks)


def test_a_short_document_is_one_chunk():
    chunks = chunks_of("# 题\n\n第一段。\n\n第二段。\n\n- 项\n")
    assert [(c.kind, c.text, c.heading_path) for c in chunks] == [("text", "第一段。\n\n第二段。\n\n- 项", ("题",))]
    assert chunks[0].embed_texts == ("题\n第一段。\n第二段。\n- 项",)


def test_sections_are_not_mixed_and_bare_headings_are_kept():
    chunks = chunks_of("# A\n\n## B\n\nb words\n\n## Empty\n\n## C\n\nc words\n\n## Last\n")
    assert [(c.heading_path, c.text) for c in chunks] == [
        (("A", "B"), "b words"),
        (("A", "C"), "## Empty\n\n## C\n\nc words\n\n## Last"),
    ]


def test_small_code_stays_with_its_explanation_and_long_code_stands_alone():
    source = "Run this:\n\n```\nnvidia-smi\n```\n\nThen look.\n\nThe script:\n\n```sh\n" + "echo line\n" * 30 + "```\n"
    chunks = chunks_of(source)
    assert [c.kind for c in chunks] == ["text", "code"]
    assert chunks[0].text == "Run this:\n\n```\nnvidia-smi\n```\n\nThen look."
    assert chunks[1].caption == "The script:"
    assert chunks[1].text.startswith("```sh\necho")


def test_languages_of_a_mixed_document():
    chunks = chunks_of("# 显存\n\n## 甲\n\n带宽是每秒搬运的数据量。\n\n## B\n\nBandwidth is data moved each second.\n")
    assert [c.language for c in chunks] == ["zh", "en"]


def test_a_file_name_that_says_nothing_is_no_context():
    assert chunks_of("只有一段话。", name="xquad_zh_0-0.md")[0].embed_texts == ("只有一段话。",)
    assert chunks_of("只有一段话。", name="机房手册.md")[0].embed_texts == ("机房手册\n只有一段话。",)
    assert chunks_of("只有一段话。", name="notes/README.md")[0].embed_texts == ("notes README\n只有一段话。",)


def test_the_title_leads_the_headings_also_when_it_is_none():
    chunks = chunks_of("---\ntitle: 显卡手册\n---\n## 保养\n\n每周一次。\n")
    assert chunks[0].heading_path == ("显卡手册", "保养")
    assert chunks_of("# A\n\nwords\n")[0].heading_path == ("A",)


def test_links_and_marks_are_not_embedded_but_shown():
    item = chunks_of("See **[the page](https://example.com/x?y=1)** now.\n")[0]
    assert item.text == "See **[the page](https://example.com/x?y=1)** now."
    assert item.embed_texts[0] == "See the page now."


def test_pages_are_carried():
    from dataclasses import replace

    document = document_of("one\n\ntwo\n")
    blocks = tuple(replace(block, page=number) for number, block in enumerate(document.blocks, 4))
    item = chunk(replace(document, blocks=blocks), count)[0]
    assert (item.page, item.page_end) == (4, 5)


def test_the_name_of_the_chunker_tells_every_limit():
    assert chunker_name(SMALL) != chunker_name(ChunkLimits())
    assert "passage_columns=160" in chunker_name(SMALL)


def test_limits_beyond_the_window_are_refused():
    with pytest.raises(ConfigError, match="reads only 256 tokens"):
        ChunkLimits(max_tokens=512).check_window(256, "small-model")
    ChunkLimits(max_tokens=256).check_window(256, "small-model")


@pytest.mark.parametrize("wrong", [{"max_tokens": 0}, {"piece_columns": 100}, {"passage_target_columns": 3000}])
def test_impossible_limits_are_refused(wrong):
    with pytest.raises(ConfigError):
        ChunkLimits(**wrong)


def test_a_character_longer_than_the_window_is_refused_not_cut():
    with pytest.raises(DocumentError, match="longer than the model"):
        chunk(document_of("words 中"), lambda text: 10 + 600 * text.count("中"))


def test_a_dense_text_is_cut_finer_until_it_fits():
    document = document_of("密" * 300)
    chunks = chunk(document, lambda text: 3 + 10 * len(text), ChunkLimits(max_tokens=100))
    pieces = [piece for item in chunks for piece in item.pieces]
    assert "".join(document.text[p.start : p.end] for p in pieces) == "密" * 300


WORDS = st.sampled_from(
    [
        *(
            "显存带宽是 900 GB/s。",
            "第二句；",
            "他说：“好。”",
            "无标点的很长的一段话",
            "…",
            "？！",
            "\n",
            "\n\n",
            "x" * 50,
        ),
        *("Plain words here. ", "A100 has 80 GB of memory, ", "1,979 TFLOPS ", "# 标题\n\n", "## Sub\n\n", "- item\n"),
        *("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n", "```sh\necho 1\n\techo 2\n```\n\n"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=60).map("".join))
def test_any_document_is_cut_soundly_and_always_the_same_way(text):
    try:
        document = document_of(text)
    except DocumentError:
        return
    chunks = chunk(document, count, SMALL)
    check(document, chunks, SMALL)
    assert chunk(document, count, SMALL) == chunks
    covered = "".join(document.text[c.start : c.end] for c in chunks)
    captions = "".join(c.caption for c in chunks)
    for block in document.blocks:
        if block.kind != "heading":
            for word in document.text[block.start : block.end].split():
                assert word in covered or word in captions or not word.strip("|-`~…#1. \u200b")
