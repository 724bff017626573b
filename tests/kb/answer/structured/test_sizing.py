"""Sizing answers: what the catalogue holds is cited, whichever way an answer is laid out."""

from __future__ import annotations

import pytest

from kb.answer.draft import DraftTable, Sentence
from kb.answer.numbers import NumberGate
from kb.selection.attributes import segment_of


def cards_cited(draft) -> set[str]:
    """Ids of the cards whose sheets bear out the answer."""
    supports = [support for part in draft.parts if isinstance(part, Sentence) for support in part.supports]
    for part in draft.parts:
        if isinstance(part, DraftTable):
            supports += [support for row in part.rows for cell in row.cells.values() for support in cell.supports]
    return {support.evidence.doc_id.rpartition("/")[2] for support in supports}


H100 = {"h100-sxm5-80gb", "h100-pcie-80gb", "h100-nvl-94gb"}


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("70B 模型 FP8，8k 上下文，并发 16，需要几张 H100？", H100),
        ("Full fine-tuning of a 13B model on H100, how many cards?", H100),
        ("tokens per second of Llama 3.1 70B FP8 on 4x H100 at batch 32", H100),
        ("Time to first token for a 16k prompt with Llama 3.1 70B FP8 on 8 H100", H100),
        ("预训练 7B 模型 1T token，64 张 H100 要多久？", H100),
        ("跑 70B INT8 每百万 token 耗多少电？用 2 张 H100", H100),
        ("要达到 2000 tokens/s，Llama 3.1 70B FP8 需要几张 H100？", H100),
        ("How many users of 4k context can one H200 serve with Qwen2.5-32B FP8?", {"h200-sxm-141gb", "h200-nvl-141gb"}),
        ("Qwen2.5-72B INT4 在 2 张 3090 上最长能开多大上下文？", {"rtx-3090"}),
        ("昇腾 910B 跑 Qwen2.5-72B 要几张", {"ascend-910b4", "ascend-910b1"}),
    ],
)
def test_the_figures_of_every_card_are_cited(answerer, text, cards):
    question, draft, answer = answerer.ask(text)
    assert question.intent == "sizing"
    assert cards <= cards_cited(draft)
    assert "[1]" in answer
    gate = NumberGate(answerer.document_text(question.language), answerer.resolver)
    assert gate.verified(draft, text)[1] == 0


def test_cards_that_come_to_the_same_are_told_once(answerer):
    _, _, answer = answerer.ask("How many users of 4k context can one H200 serve with Qwen2.5-32B FP8?")
    assert answer.count("sequences of 4096 tokens at once") == 1
    assert "H200 141GB" in answer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("哪张消费级显卡适合本地跑 Qwen2.5-32B？", "消费级显卡里没有一款单卡装得下；量化到 INT4"),
        ("Which consumer cards can run Qwen2.5-32B?", "Of consumer cards, none holds it alone; quantised to INT4"),
        ("哪些消费级显卡能跑 Llama 3.1 8B？", "消费级显卡里一张就装得下的有"),
        ("Which consumer GPUs can run Llama 3.1 8B?", "hold it alone; those with the least memory are"),
    ],
)
def test_of_cards_described_no_other_is_named(answerer, text, words):
    _, draft, answer = answerer.ask(text)
    named = [answerer.catalog.get(gpu_id) for gpu_id in cards_cited(draft)]
    assert words in answer
    assert named
    assert {segment_of(spec.name, spec.tier) for spec in named} == {"consumer"}


def test_of_cards_described_none_may_hold_it(answerer):
    _, _, answer = answerer.ask("Which consumer cards can run DeepSeek-V3 in FP8?")
    assert "Of consumer cards, none holds it alone." in answer
