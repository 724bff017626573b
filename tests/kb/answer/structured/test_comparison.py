"""Comparisons: the same whichever card is named first, like with like, each cell with its own evidence."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from kb.answer.draft import DraftTable, Sentence
from kb.specs.fields import FIELDS

_FIELDS = {
    "memory_gb": ("显存", "memory size"),
    "memory_bandwidth_gb_s": ("显存带宽", "memory bandwidth"),
    "fp16_tensor_tflops": ("FP16 算力", "FP16 throughput"),
    "fp8_tensor_tflops": ("FP8 算力", "FP8 throughput"),
    "int8_tops": ("INT8 算力", "INT8 throughput"),
    "interconnect_gb_s": ("卡间互联带宽", "interconnect bandwidth"),
    "tdp_w": ("功耗", "TDP"),
    "released_on": ("发布时间", "release date"),
    "rt_cores": ("RT Core 数", "RT cores"),
    "memory_type": ("显存类型", "memory type"),
}
_FAMILIES = ("A100", "H100", "A800", "H800", "V100", "昇腾 910B", "RTX PRO 6000", "MI300", "H200")


def names(answerer) -> list[str]:
    """Every first-tier card by its whole name, and names that cover several."""
    return [spec.name for spec in answerer.catalog.gpus.values() if spec.tier == 1] + list(_FAMILIES)


def pairs(answerer, number: int) -> list[tuple[str, str]]:
    chosen = random.Random(20261130)
    found = []
    while len(found) < number:
        first, second = chosen.sample(names(answerer), 2)
        cards = [set(answerer.reader.read(name).gpu_ids) for name in (first, second)]
        if not cards[0] & cards[1]:
            found.append((first, second))
    return found


def said(draft) -> tuple[Counter[str], set]:
    """What an answer says, whatever the order of its sentences, rows and columns; and its facts."""
    words: Counter[str] = Counter()
    facts = set()
    for part in draft.parts:
        if isinstance(part, Sentence):
            words.update(re.findall(r"[A-Za-z0-9]+(?:\.\d+)?|[\u4e00-\u9fff]", part.text))
            facts.update((fact.gpu_id, fact.field, fact.value, fact.unit) for fact in part.facts)
        else:
            for row in part.rows:
                for cell in row.cells.values():
                    facts.update((fact.gpu_id, fact.field, fact.value, fact.unit) for fact in cell.facts)
    return words, facts


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_against_b_says_what_b_against_a_says(answerer, language):
    differing = []
    for first, second in pairs(answerer, 80):
        field = random.Random(first + second).choice([*_FIELDS.values(), ("", "")])[language == "en"]
        template = "{} 和 {} 对比 {}" if language == "zh" else "compare {} and {}: {}"
        one, other = (answerer.ask(template.format(*cards, field))[1] for cards in ((first, second), (second, first)))
        assert one is not None, (first, second, field)
        assert other is not None
        if said(one) != said(other) or (one.status, one.reason) != (other.status, other.reason):
            differing.append((first, second, field, said(one)[0] - said(other)[0], said(one)[1] ^ said(other)[1]))
    assert differing == []


@pytest.mark.parametrize(
    ("more", "less", "template"),
    [
        ("高", "低", "{} 的{}比 {} {}吗"),
        ("higher", "lower", "is the {1} of the {0} {3} than that of the {2}?"),
    ],
)
def test_yes_or_no_is_right(answerer, more, less, template):
    """Whether one card has more or less than another, held against the catalogue itself."""
    language = "zh" if more == "高" else "en"
    yes, no = ("是的。", "不是。") if language == "zh" else ("Yes.", "No.")
    checked = 0
    for first, second in pairs(answerer, 50):
        one, other = (answerer.reader.read(name).gpu_ids for name in (first, second))
        for key in ("memory_gb", "memory_bandwidth_gb_s", "tdp_w", "int8_tops"):
            spans = [
                [v for i in ids if isinstance(v := answerer.catalog.entry(i, key).value, float | int)]
                for ids in (one, other)
            ]
            if not all(spans) or (min(spans[0]) <= max(spans[1]) and max(spans[0]) >= min(spans[1])):
                continue
            is_more = min(spans[0]) > max(spans[1])
            for word, holds in ((more, is_more), (less, not is_more)):
                text = template.format(first, _FIELDS[key][language == "en"], second, word)
                answer = answerer.ask(text)[2]
                assert answer.startswith(yes if holds else no), (text, answer)
                checked += 1
    assert checked > 80


def test_only_like_is_held_against_like(answerer):
    """A conclusion speaks of one field: dense and sparse, memory and link, never meet in one."""
    for first, second in pairs(answerer, 25):
        for key, (zh, _) in _FIELDS.items():
            _, draft, _ = answerer.ask(f"{first} 和 {second} 谁的{zh}高")
            for part in draft.parts:
                if isinstance(part, Sentence):
                    fields = {fact.field for fact in part.facts if fact.gpu_id is not None and fact.field in FIELDS}
                    assert len(fields) <= 1 or key not in fields, (first, second, part.text)


@pytest.mark.parametrize(
    "text",
    [
        "A100、H100、H200、B200 对比显存和带宽",
        "compare T4, L4, A10, A30 and L40S: memory, bandwidth, INT8 and TDP",
        "智铠100、天垓150、MLU370-X8、MTT S4000、昇腾 910B4 比一下显存、功耗、FP16",
        "MI300X、MI325X、MI355X、H200、B200、GB200、TPU v6e 的 FP8 算力",
    ],
)
def test_any_number_of_cards_in_one_table_with_evidence_in_each_cell(answerer, text):
    question, draft, _ = answerer.ask(text)
    tables = [part for part in draft.parts if isinstance(part, DraftTable)]
    assert len(tables) == 1
    cells = [cell for row in tables[0].rows for cell in row.cells.values()]
    shown = {support.evidence.doc_id for cell in cells for support in cell.supports}
    assert {doc_id.rsplit("/", 1)[-1] for doc_id in shown} == set(question.gpu_ids)
    assert all(cell.supports for cell in cells)
    assert any(isinstance(part, Sentence) for part in draft.parts)


@pytest.mark.parametrize(
    ("text", "purpose"),
    [("H100 SXM 和 H20 做训练，对比 FP16", "训练"), ("L4 or L40S for inference: compare INT8 and TDP", "inference")],
)
def test_a_stated_use_gets_a_sentence_of_its_own(answerer, text, purpose):
    _, _, answer = answerer.ask(text)
    assert purpose in answer


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("两张 3090 和一张 A6000 比显存", "48 GB"),
        ("8x H100 SXM vs 4x H200 SXM memory", "640 GB"),
        ("4 块 L40S 跟 8 块 L4 的功耗", "1400 W"),
    ],
)
def test_cards_named_by_number_are_added_up(answerer, text, total):
    assert total in answerer.ask(text)[2]


@pytest.mark.parametrize("name", [*_FAMILIES, "RTX 6000", "天垓", "Gaudi", "TPU v5", "壁砺106", "AGX Orin"])
@pytest.mark.parametrize("field", list(_FIELDS))
def test_an_answer_with_several_versions_stays_short(answerer, name, field):
    for text in (f"{name} 的 {_FIELDS[field][0]}", f"{_FIELDS[field][1]} of the {name}"):
        _, draft, answer = answerer.ask(text)
        assert draft is not None, text
        cards = len(answerer.reader.read(text).gpu_ids)
        assert len(answer) <= 420 + 90 * cards, (text, len(answer), answer)
