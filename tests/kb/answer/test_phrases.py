from __future__ import annotations

import re
from typing import get_args

import pytest

from kb.answer.phrases import capability, feature_of, greeting, join_list, label_of, refusal, tidy
from kb.specs.fields import FIELDS
from kb.types import Reason

REFUSALS = ("out_of_scope", "no_evidence", "unknown_gpu", "not_published", "ambiguous", "llm_unavailable")


def test_chinese_is_spaced_at_latin_words_only():
    assert tidy("T4 的 显存带宽 是 320 GB/s 。", "zh") == "T4 的显存带宽是 320 GB/s。"
    assert tidy("壁仞 BR100 的 TDP 是 550 W（ 整卡 ）", "zh") == "壁仞 BR100 的 TDP 是 550 W（整卡）"


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("reason", REFUSALS)
def test_refusals_hold_no_figure_and_are_in_their_language(reason, language):
    draft = refusal(reason, language)
    text = "".join(part.text for part in draft.parts)
    assert draft.status == "no_answer"
    assert draft.reason == reason
    assert reason in get_args(Reason)
    assert not re.search(r"(?<![A-Za-z])\d", text)
    assert bool(re.search(r"[\u4e00-\u9fff]", text)) == (language == "zh")
    assert all(not part.supports for part in draft.parts)


def test_a_service_without_cards_offers_none():
    text = "".join(part.text for part in refusal("no_evidence", "zh", has_catalog=False).parts)
    assert "T4" not in text


def test_an_unknown_card_is_named():
    assert "“RTX 4095”" in refusal("unknown_gpu", "zh", name="RTX 4095").parts[0].text


@pytest.mark.parametrize("language", ["zh", "en"])
def test_small_talk_is_answered(language):
    assert greeting(language, "hello").status == "answered"
    assert "不客气" in greeting("zh", "谢谢").parts[0].text
    assert "gpukb" in capability(language).parts[0].text


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("key", list(FIELDS))
def test_every_field_can_be_named(key, language):
    assert label_of(key, language)
    assert feature_of(key, language)


def test_lists_end_with_and():
    assert join_list(["A", "B", "C"], "en") == "A, B and C"
    assert join_list(["A", "B"], "zh") == "A 和 B"
    assert join_list([], "en") == ""
