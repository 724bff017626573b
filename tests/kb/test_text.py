"""Folding, language, sentences and search terms."""

from __future__ import annotations

import pytest

from kb.text import bigrams, fold, language_of, sentences, stem, words


def cut(text):
    return [text[span.start : span.end] for span in sentences(text)]


def test_fold_makes_full_width_half_width_and_lower_case():
    assert fold("ＦＰ８　Ａ１００") == "fp8 a100"


def test_fold_keeps_fractions_apart_from_the_number_before_them():
    assert fold("5½ ＴＢ") == "5½ tb"


def test_fold_simplifies_traditional_characters_one_by_one():
    traditional = "顯示卡的記憶體頻寬與後台"
    assert fold(traditional) == "显示卡的记忆体频宽与后台"
    assert words("顯存") == words("显存")
    assert bigrams("顯存") == bigrams("显存")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("T4 的显存带宽是多少？", "zh"),
        ("RTX 4090 和 RTX 5090 对比", "zh"),
        ("What is the memory bandwidth of the T4?", "en"),
        ("A100", "en"),
        ("the 昇 card of this vendor is not listed here", "en"),
    ],
)
def test_language(text, language):
    assert language_of(text) == language


def test_chinese_sentences_keep_their_closing_quotes():
    assert cut("他说：“够了。”然后走了！真的？") == ["他说：“够了。”", "然后走了！", "真的？"]


def test_english_sentences_do_not_end_at_decimal_points_or_abbreviations():
    assert cut("It draws 3.5 W, e.g. at night. Version 2.1 is better.") == [
        "It draws 3.5 W, e.g. at night.",
        "Version 2.1 is better.",
    ]


def test_sentences_of_a_range_have_offsets_of_the_whole_text():
    text = "一。二。三。"
    assert [(span.start, span.end) for span in sentences(text, 2, 6)] == [(2, 4), (4, 6)]


@pytest.mark.parametrize("spelling", ["RTX 4090", "RTX-4090", "rtx4090"])
def test_spellings_of_a_code_share_their_terms(spelling):
    assert {"rtx4090", "rtx", "4090"} <= set(words(spelling))


@pytest.mark.parametrize("longer", ["A1000", "A100X", "A10"])
def test_a_longer_or_shorter_code_is_another_term(longer):
    assert "a100" not in words(longer)
    assert "a100" not in bigrams(longer)


def test_the_variant_of_a_card_holds_the_card():
    assert {"a100", "sxm4", "80gb"} <= set(words("A100-SXM4-80GB"))


@pytest.mark.parametrize(("code", "tail"), [("gfx90a", "90a"), ("PPR-9087", "9087"), ("RTX-4090D", "4090d")])
def test_the_tail_of_a_code_is_a_term(code, tail):
    assert tail in words(code)


def test_figures_are_one_term_with_and_without_a_space():
    assert "80gb" in words("80 GB")
    assert {"80gb", "80", "gb"} <= set(words("80GB"))
    assert "gb/s" in words("900 GB/s")


def test_hexadecimal_ids_lose_their_prefix_and_versions_their_letter():
    assert "2b85" in words("0x2B85")
    assert {"2.2.0", "2.2"} <= set(words("v2.2.0"))


def test_english_terms_are_stems_without_stop_words():
    assert words("What caches were cached by the caching of a cache?") == ["cach", "cach", "cach", "cach"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("policies", "policy"), ("gas", "gas"), ("class", "clas"), ("running", "run"), ("fp8", "fp8")],
)
def test_stem(word, expected):
    assert stem(word) == expected


def test_bigrams_of_chinese_and_whole_latin_terms():
    assert bigrams("显存带宽 T4") == ["显存", "存带", "带宽", "t4"]
    assert bigrams("卡") == ["卡"]
