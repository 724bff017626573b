"""Numbering a draft: marks where the text ends, quotes from the document, one number for one source."""

from __future__ import annotations

import pytest

from kb.answer.citations import CitationNumbers, NumberedPart
from kb.answer.draft import DraftCell, DraftFact, DraftRow, DraftTable, Evidence, Sentence, Support
from kb.types import Column, Span

TEXTS = {"cards.md": "The T4 has 16 GB. It draws 70 W.", "other.md": "另一篇：带宽为 320 GB/s。"}


def support(doc_id: str, quote: str) -> Support:
    text = TEXTS[doc_id]
    start = text.index(quote)
    evidence = Evidence(f"key-{doc_id}", doc_id, doc_id, "text", text, 0, len(text))
    return Support(evidence, Span(start, start + len(quote)))


MEMORY = support("cards.md", "The T4 has 16 GB.")
POWER = support("cards.md", "It draws 70 W.")
BANDWIDTH = support("other.md", "带宽为 320 GB/s。")


def numbered(*parts: Sentence | DraftTable) -> tuple[str, list[NumberedPart], CitationNumbers]:
    numbers = CitationNumbers("gen-000001-abcd", TEXTS.__getitem__)
    done = list(numbers.number(parts))
    return "".join(part.text for part in done), done, numbers


def check_offsets(text: str, parts: list[NumberedPart]) -> None:
    for part in parts:
        for citation in part.citations:
            assert text[citation.start : citation.end] == citation.marker
            assert TEXTS[citation.doc_id][citation.doc_start : citation.doc_end] == citation.quote
            assert text[citation.text_start : citation.text_end].strip()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It has 16 GB.", "It has 16 GB [1]."),
        ("它有 16 GB。", "它有 16 GB [1]。"),
        ("What is it?", "What is it [1]?"),
        ("no full stop", "no full stop [1]"),
        ("```\nnvidia-smi\n```", "```\nnvidia-smi\n```\n[1]"),
    ],
)
def test_mark_stands_before_the_final_punctuation(sentence: str, expected: str) -> None:
    text, parts, _ = numbered(Sentence(sentence, (MEMORY,)))
    assert text == expected
    check_offsets(text, parts)


def test_one_source_has_one_number_and_new_ones_count_on() -> None:
    text, parts, numbers = numbered(
        Sentence("A.", (BANDWIDTH,), end=" "), Sentence("B.", (MEMORY, POWER), end=" "), Sentence("C.", (BANDWIDTH,))
    )
    assert text == "A [1]. B [2]. C [1]."
    assert [source.doc_id for source in numbers.sources] == ["other.md", "cards.md"]
    check_offsets(text, parts)


def test_table_cells_carry_their_own_marks() -> None:
    fact = DraftFact("t4", "memory_gb", 16.0, "GB", None, "supported", MEMORY)
    table = DraftTable(
        "Cards",
        "Card",
        (Column("memory_gb", "Memory", "GB"), Column("tdp_w", "Power", "W")),
        (DraftRow("t4", "T4 | a", {"memory_gb": DraftCell("16", 16.0, "GB", None, (MEMORY,), (fact,))}),),
    )
    text, parts, numbers = numbered(Sentence("Here.", end="\n\n"), table)
    assert text == "Here.\n\n| Card | Memory (GB) | Power (W) |\n|---|---|---|\n| T4 \\| a | 16 [1] | — |\n\n"
    check_offsets(text, parts)
    assert parts[1].table is not None
    assert parts[1].table.rows[0].cells["memory_gb"].source_id == numbers.sources[0].source_id
    assert [fact.source_id for fact in parts[1].facts] == [numbers.sources[0].source_id]


def test_source_ids_change_with_the_generation() -> None:
    ids = set()
    for generation in ("gen-000001-aaaa", "gen-000002-bbbb"):
        numbers = CitationNumbers(generation, TEXTS.__getitem__)
        ids.add(numbers.source_of(MEMORY.evidence)[1])
    assert len(ids) == 2


def test_lines_of_one_sheet_are_one_source_and_keep_their_own_quotes() -> None:
    text = TEXTS["cards.md"]

    def line(quote: str) -> Support:
        start = text.index(quote)
        evidence = Evidence(f"catalog/t4#{quote}", "cards.md", "T4", "spec", quote, start, start + len(quote))
        return Support(evidence, Span(start, start + len(quote)))

    memory, power = line("The T4 has 16 GB."), line("It draws 70 W.")
    written, parts, numbers = numbered(Sentence("Power and memory.", (power, memory)), Sentence("Memory.", (memory,)))
    assert written == "Power and memory [1].Memory [1]."
    assert [citation.quote for part in parts for citation in part.citations] == [
        "It draws 70 W.",
        "The T4 has 16 GB.",
        "The T4 has 16 GB.",
    ]
    assert [source.text for source in numbers.sources] == ["The T4 has 16 GB.\nIt draws 70 W."]
    check_offsets(written, parts)
