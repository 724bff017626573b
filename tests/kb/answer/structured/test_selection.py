"""Which cards of the catalogue meet a question's conditions: the list, its reading, what is left out, ways out."""

from __future__ import annotations

import pytest

from kb.answer.draft import DraftTable
from kb.answer.numbers import NumberGate

SAMPLES = {
    "INT8 ≥ 200 TOPS, ≤ 300 W 的推理卡有哪些？": (
        "INT8 稠密算力 ≥ 200 TOPS 且 TDP ≤ 300 W 的有 20 款",
        "权重是",
        "1196 款无法判断",
    ),
    "inference cards with at least 200 INT8 TOPS under 300 W": (
        "13 cards meet the condition",
        "the weights are",
        "1161",
    ),
}


def tables(draft):
    return [part for part in draft.parts if isinstance(part, DraftTable)]


@pytest.mark.parametrize(("text", "wanted"), SAMPLES.items())
def test_the_list_is_ranked_complete_and_says_what_ranks(answerer, text, wanted):
    question, draft, answer = answerer.ask(text)
    assert all(words in answer for words in wanted)
    (table,) = tables(draft)
    scores = [row.cells["score"].value for row in table.rows]
    assert scores == sorted(scores, reverse=True)
    assert [column.key for column in table.columns][:2] == ["int8_tops", "tdp_w"]
    assert draft.is_whole
    gate = NumberGate(answerer.document_text(question.language), answerer.resolver)
    assert gate.verified(draft, text)[1] == 0


def test_both_tiers_are_searched_and_told_apart(answerer):
    _, draft, answer = answerer.ask("功耗低于 72W 的卡有哪些")
    (table,) = tables(draft)
    tiers = [row.cells["tier"].value for row in table.rows]
    assert tiers == sorted(tiers)
    assert set(tiers) == {1, 2}
    assert "其中 4 款经多个来源核对，排在前面；438 款只有一个数据库的记录" in answer
    assert "另有 412 款满足，未列出" in answer
    assert "gpukb select" in answer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("功耗低于 75W、显存大于 16GB 且支持 AV1 编码的卡", "没有理解、因此没有当作条件的是“AV1 编码”"),
        (
            "cards with at least 24 GB under 100 W that support ECC",
            'Not understood, and so not used as a condition: "ECC"',
        ),
        ("有没有 48GB 显存、功耗低于 300W 的卡？", "按正好等于理解"),
    ],
)
def test_how_it_was_read_is_said_first(answerer, text, words):
    _, _, answer = answerer.ask(text)
    assert answer.startswith(words) or words in answer.split("|", 1)[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("显存 ≥ 400GB 的卡有哪些", ("没有一款满足", "放宽到显存容量 ≥ 288 GB", "Instinct MI350X")),
        ("cards with at least 200 GB under 300 W", ("None of them", "With memory size ≥ 128 GB", "TDP ≤ 1000 W")),
    ],
)
def test_where_nothing_passes_the_smallest_relaxations_are_named(answerer, text, words):
    _, draft, answer = answerer.ask(text)
    assert tables(draft) == []
    assert all(word in answer for word in words)


def test_exclusions_with_the_failed_figure_where_they_are_asked_for(answerer):
    _, _, plain = answerer.ask("INT8 ≥ 200 TOPS, ≤ 300 W 的推理卡有哪些？")
    _, _, asked = answerer.ask("INT8 ≥ 200 TOPS, ≤ 300 W 的推理卡有哪些？哪些落选了？")
    assert "只差一项" not in plain
    assert "L40S（TDP 350 W）" in asked
    assert "没有理解" not in asked


def test_a_use_without_conditions_brings_its_scenarios(answerer):
    _, _, answer = answerer.ask("推荐几款推理卡")
    assert "INT8 稠密算力 ≥ 200 TOPS 且 TDP ≤ 300 W" in answer
    _, _, answer = answerer.ask("推荐几款 75W 以内的推理卡")
    assert "TDP ≤ 75 W 的有" in answer
    assert "INT8 稠密算力 ≥" not in answer
    assert "| T4 |" in answer


def test_dense_is_never_taken_as_sparse(answerer):
    _, _, dense = answerer.ask("INT8 ≥ 600 TOPS 的 300W 以内的卡有哪些")
    _, _, sparse = answerer.ask("INT8 稀疏 ≥ 600 TOPS 的 300W 以内的卡有哪些")
    assert "| A30 |" not in dense
    assert "| A30 |" in sparse
    assert "稀疏算力" in sparse


@pytest.mark.parametrize(
    "text",
    [
        "什么是推理卡",
        "推理卡和训练卡有什么区别",
        "为什么推理卡要 INT8 ≥ 200 TOPS",
        "Does RDNA 3 support FP8 or structured sparsity?",
        "Do GTX 16 series cards with compute capability 7.5 have Tensor Cores?",
    ],
)
def test_what_asks_for_no_cards_is_left_to_documents(answerer, text):
    question, draft, _ = answerer.ask(text)
    assert question.intent != "filter"
    assert draft is None


def test_a_question_about_conditions_stays_open_to_documents(answerer):
    _, draft, _ = answerer.ask("INT8 ≥ 200 TOPS 且 ≤ 300 W 这条选型规则有什么问题")
    assert draft is None or not draft.is_whole


def test_the_same_cards_in_both_languages(answerer):
    pairs = [
        ("显存不少于 80GB、功耗低于 500W 的卡有哪些", "which cards have at least 80 GB and less than 500 W"),
        ("支持 FP8、功耗 100W 以内的卡", "cards with FP8 and at most 100 W"),
        ("2023 年起发布、显存超过 100GB 的卡有哪些", "which cards were released since 2023 with more than 100 GB"),
    ]
    for chinese, english in pairs:
        first, second = (tables(answerer.ask(text)[1])[0] for text in (chinese, english))
        assert [row.key for row in first.rows] == [row.key for row in second.rows]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "显存不低于80GB或者带宽超过2TB/s、功耗低于 400W 的卡",
            "TDP < 400 W 且（显存容量 ≥ 80 GB 或显存带宽 > 2000 GB/s）",
        ),
        (
            "cards with at least 80 GB or at least 2 TB/s of bandwidth",
            "memory size ≥ 80 GB or memory bandwidth ≥ 2000 GB/s",
        ),
    ],
)
def test_alternatives_are_met_by_one_of_them_and_said(answerer, text, words):
    question, draft, answer = answerer.ask(text)
    assert words in answer
    (table,) = tables(draft)
    cells = [[row.cells[key].value for key in ("memory_gb", "memory_bandwidth_gb_s")] for row in table.rows]
    assert all((memory or 0) >= 80 or (bandwidth or 0) >= 2000 for memory, bandwidth in cells)
    assert any((memory or 0) < 80 or (bandwidth or 0) < 2000 for memory, bandwidth in cells)
    gate = NumberGate(answerer.document_text(question.language), answerer.resolver)
    assert gate.verified(draft, text)[1] == 0


# ---------------------------------------------------------------- the most or least of the cards described


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        (
            "显存不少于 24GB 的卡里功耗最低的是哪张？",
            "Atlas 300I Pro、L4，为 72 W",
            "还有更低的：Jetson AGX Xavier 32GB（30 W）",
        ),
        (
            "Which is the lowest-power card with at least 24 GB?",
            "Atlas 300I Pro, L4: 72 W",
            "lower ones: Jetson AGX Xavier",
        ),
        ("which card has the most memory under 300 W?", "Atlas 300I Duo: 48 GB / 96 GB", "higher ones: GB10 (128 GB)"),
    ],
)
def test_cards_of_the_second_tier_that_come_first_are_named_apart(answerer, text, first, second):
    question, draft, answer = answerer.ask(text)
    assert first in answer
    assert second in answer
    gate = NumberGate(answerer.document_text(question.language), answerer.resolver)
    assert gate.verified(draft, text)[1] == 0


def test_no_card_of_the_second_tier_is_named_where_none_comes_first(answerer):
    assert "第二层" not in answerer.ask("哪张卡显存带宽最大？")[2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("功耗最低的 FP8 卡是哪张", "TDP 最低的是 L4"),
        ("显存不低于 24GB 里最便宜的是哪张", "参考价最低的是 Radeon RX 7900 XTX"),
        ("RTX 40 系列里显存最大的是哪张", "GeForce RTX 4090、GeForce RTX 4090 D，为 24 GB"),
        ("which RTX 30 series card has the most memory?", "GeForce RTX 3090, GeForce RTX 3090 Ti: 24 GB"),
    ],
)
def test_the_first_of_the_cards_that_meet_conditions(answerer, text, words):
    _, draft, answer = answerer.ask(text)
    assert words in answer
    assert len(tables(draft)) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("计算能力 8.0 以上、功耗 300W 以内", "CUDA 计算能力 ≥ 8.0 且 TDP ≤ 300 W 的有 168 款"),
        (
            "compute capability 9.0 or higher with at least 80 GB",
            "CUDA compute capability ≥ 9.0 and memory size ≥ 80 GB",
        ),
        ("faster memory than the H100 PCIe but at most 350 W", "memory bandwidth > 2000 GB/s"),
        ("not GeForce, has RT cores, 48 GB", "13 cards meet the condition"),
        ("显存比 L4 大、功耗低于 T4 的卡有哪些", "显存容量 > 24 GB 且 TDP < 70 W"),
        ("RTX 40 系列里显存不少于 16GB 的卡", "产品系列是 GeForce RTX 40"),
        ("卡间互联单向带宽不低于 200 GB/s 的卡", "单向的数值按两倍计"),
    ],
)
def test_conditions_are_said_as_they_were_read(answerer, text, words):
    question, draft, answer = answerer.ask(text)
    assert words in answer
    assert "memory size > 80 GB" not in answer
    gate = NumberGate(answerer.document_text(question.language), answerer.resolver)
    assert gate.verified(draft, text)[1] == 0
