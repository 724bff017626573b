"""The number gate: a figure without support does not get out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kb.answer.draft import Draft, DraftCell, DraftFact, DraftRow, DraftTable, Evidence, Sentence, Support
from kb.answer.gate import FactChecker
from kb.answer.numbers import NumberGate
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.types import Column, Span

DOCUMENT = (
    "The board draws 72 W and has 24 GB; reads reach 1,008 GB/s. 清洗周期为 41 天。Version 2 has 3 fans. "
    "1 GB = 10⁹ 字节，比天垓100 的 2.56 TOPS/W 高 7.4%，192 层。"
)
RESOLVER = NameResolver(Catalog.empty())
GATE = NumberGate(lambda doc_id: DOCUMENT, RESOLVER)
EVIDENCE = Evidence("key", "a.md", "A", "text", DOCUMENT, 0, len(DOCUMENT))
WHOLE = Support(EVIDENCE, Span(0, len(DOCUMENT)))


def fact(value: float | str, unit: str | None) -> DraftFact:
    return DraftFact("card", "field", value, unit, None, "supported", WHOLE)


@pytest.mark.parametrize(
    "text",
    [
        "It draws 72 W.",
        "It reads 1008 GB/s, that is 1.008 TB/s.",
        "每 41 天清洗一次。",
        "72 瓦，24GB。",
        "No number at all.",
        "1 GB = 10⁹ 字节。",
        "192 层。",
        "比天垓100 的 2.56 TOPS/W 高 7.4%。",
        "[1] is a mark, not a figure.",
    ],
)
def test_figures_of_the_evidence_pass(text: str) -> None:
    assert GATE.facts_in(text, [EVIDENCE], "") is not None


@pytest.mark.parametrize(
    "text",
    [
        "It draws 777 W.",
        "It draws 72 GB.",
        "It draws 7.2 W.",
        "It reads 1008 TB/s.",
        "每 14 天清洗一次。",
        "It has 5 fans.",
        "It was made in 2019.",
        "It needs CUDA 12.4.",
        "1 GB = 10⁶ 字节，即 109 字节。",
        "比天垓100 高 74%。",
        "共 7.4192 层。",
    ],
)
def test_other_figures_do_not(text: str) -> None:
    assert GATE.facts_in(text, [EVIDENCE], "") is None


def test_no_evidence_no_figure() -> None:
    assert GATE.facts_in("It draws 72 W.", [], "") is None


def test_the_question_may_be_repeated() -> None:
    facts = GATE.facts_in("You asked about 777 W.", [EVIDENCE], "Does it draw 777 W?")
    assert facts is not None
    assert [(f.text, f.support) for f in facts] == [("777 W", None)]


def test_every_figure_becomes_a_fact_with_its_source() -> None:
    facts = GATE.facts_in("It draws 72 W and has 24 GB.", [EVIDENCE], "")
    assert facts is not None
    assert [(f.value, f.unit, f.verdict, f.support) for f in facts] == [
        (72.0, "W", "supported", WHOLE),
        (24.0, "GB", "supported", WHOLE),
    ]


def test_a_sentence_with_a_foreign_figure_is_dropped_and_counted() -> None:
    draft = Draft(
        "answered",
        None,
        (Sentence("It draws 72 W.", (WHOLE,), end=" "), Sentence("It costs 900 USD.", (WHOLE,))),
    )
    checked, dropped = GATE.verified(draft, "")
    assert dropped == 1
    assert [part.text for part in checked.parts if isinstance(part, Sentence)] == ["It draws 72 W."]


def test_rounding_is_read_by_the_digits_written() -> None:
    derived = (fact(1.9416, "×"),)
    for text, passes in (("1.9 times", True), ("1.94 times", True), ("1.95 times", False), ("2.1 times", False)):
        draft = Draft("answered", None, (Sentence(text, (), derived),))
        assert (GATE.verified(draft, "")[1] == 0) is passes, text


def test_a_cell_with_a_foreign_figure_is_emptied() -> None:
    cells = {
        "good": DraftCell("24", 24.0, "GB", None, (WHOLE,), (fact(24.0, "GB"),)),
        "bad": DraftCell("80", 80.0, "GB", None, (WHOLE,), ()),
    }
    table = DraftTable("", "", (Column("good", "G"), Column("bad", "B")), (DraftRow("r", "r", cells),))
    checked, dropped = GATE.verified(Draft("answered", None, (table,)), "")
    assert dropped == 1
    assert isinstance(checked.parts[0], DraftTable)
    assert {key: cell.text for key, cell in checked.parts[0].rows[0].cells.items()} == {"good": "24", "bad": "—"}


# ---------------------------------------------------------------- what a chat model writes, read by the fact gate

CARDS = Catalog.load()
NAMES = NameResolver(CARDS)
PASSAGE = (
    "A100 PCIe 40GB: 40 GB HBM2, 1555 GB/s. A100 SXM4 80GB: 80 GB HBM2e, 2039 GB/s. H100 SXM5 80GB: 3350 GB/s, 700 W. "
    "TechPowerUp gives the L40S 300 W."
)
CITED = Evidence("cards", "cards.md", "Cards", "text", PASSAGE, 0, len(PASSAGE))


def written(text: str, before: str = "") -> tuple[DraftFact, ...] | None:
    gate = NumberGate(lambda doc_id: PASSAGE, NAMES, FactChecker(CARDS, NAMES))
    return gate.facts_in(text, [CITED], "", before)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("", "The A100 80GB SXM reads 2039 GB/s."),
        ("", "A100 PCIe 40GB 的显存是 40 GB HBM2。"),
        ("The H100 SXM is newer. ", "It reads 3350 GB/s and draws 700 W."),
        ("", "TechPowerUp gives the L40S 300 W."),
    ],
)
def test_what_is_said_of_the_right_card_passes(before: str, text: str) -> None:
    assert written(text, before) is not None


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("", "The H100 SXM reads 2039 GB/s."),
        ("", "The A100 40GB carries 40 GB HBM2e."),
        ("", "A100 PCIe 40GB 的带宽是 3350 GB/s。"),
        ("The A100 SXM 80GB is older. ", "It draws 700 W."),
    ],
)
def test_figures_of_the_evidence_given_to_another_card_do_not(before: str, text: str) -> None:
    assert written(text, before) is None


def test_figures_are_typed_by_what_they_are_about() -> None:
    facts = written("The H100 SXM draws 700 W.")
    assert facts is not None
    assert [(f.gpu_id, f.field, f.kind) for f in facts if f.unit == "W"] == [("h100-sxm5-80gb", "tdp_w", "figure")]


def test_the_same_number_of_two_cards_has_a_fact_for_each() -> None:
    first, second = (replace(fact(24.0, "GB"), gpu_id=card) for card in ("a10", "l4"))
    draft = Draft("answered", None, (Sentence("A10 has 24 GB, L4 has 24 GB.", (), (first, second)),))
    (part,) = GATE.verified(draft, "A10 L4")[0].parts
    assert isinstance(part, Sentence)
    assert [(f.gpu_id, f.start) for f in part.facts if f.unit] == [("a10", 8), ("l4", 22)]
