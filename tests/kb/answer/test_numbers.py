"""The number gate: a figure without support does not get out."""

from __future__ import annotations

import pytest

from kb.answer.draft import Draft, DraftCell, DraftFact, DraftRow, DraftTable, Evidence, Sentence, Support
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
