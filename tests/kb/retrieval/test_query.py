"""Codes, language and neutrality of search texts."""

from __future__ import annotations

import pytest

from kb.retrieval.query import SearchQuery, code_key, codes_in


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("A100", ("a100",)),
        ("Is the A100X faster than the A1000 or the A10?", ("a100x", "a1000", "a10")),
        ("RTX 4090 / RTX-4090D / rtx4090", ("rtx4090", "rtx4090d")),
        ("昇腾910B 和 H20 相比", ("910b", "h20")),
        ("PPR-9087 在哪？", ("ppr9087",)),
        ("gfx90a or just 90a", ("gfx90a", "90a")),
        ("How fast are eight H100s?", ("h100",)),
        ("TPU v5e, T4 and L4", ("v5e", "t4", "l4")),
        ("A100-SXM4-80GB", ("a100sxm480gb",)),
        ("K100_AI", ("k100",)),
    ],
)
def test_card_and_part_numbers(text, codes):
    assert codes_in(text) == codes


@pytest.mark.parametrize(
    "text",
    [
        "80GB of HBM3e at 3.35 TB/s over PCIe 5.0",
        "FP8, INT4 and BF16 on sm_90a",
        "Qwen2.5-72B and a 70B model in 2024",
        "CUDA 12.4 with ROCm 6.2.4 and k8s 1.23",
        "the top 10 of 1080p at 60fps, 48V",
        "H264 and utf-8 and gb18030",
        "in 2016",
    ],
)
def test_what_only_looks_like_a_code(text):
    assert codes_in(text) == ()


def test_spellings_of_a_code_are_one_key():
    assert code_key("RTX 4090") == code_key("RTX-4090") == code_key("ｒｔｘ４０９０") != code_key("RTX 4090 D")


def test_a_bare_code_is_neutral_and_bare():
    query = SearchQuery.read("rtx 4090")
    assert query.is_bare
    assert query.is_neutral


@pytest.mark.parametrize("text", ["T4 的显存", "What memory bandwidth has the T4?"])
def test_a_question_is_not_neutral(text):
    assert not SearchQuery.read(text).is_neutral


def test_codes_found_by_the_caller_are_added_once():
    assert SearchQuery.read("H100 显存", ("H100 SXM", "L40S")).codes == ("h100", "l40s")
