"""Texts without an end of a sentence: read in pieces, so that the work grows with the length and no faster."""

from __future__ import annotations

import sys

import pytest

from kb.answer.gate import FactChecker
from kb.answer.gate.layout import pieces_of
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver

ENDLESS = ["1 ", "1,", "不是16GB", "T4 的显存是 16GB，", "16GB×", "T4 ", "| 16 GB ", "a"]


@pytest.fixture(scope="module")
def checker():
    catalog = Catalog.load()
    return FactChecker(catalog, NameResolver(catalog))


def work(checker, text):
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        checker.check(text)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("part", ENDLESS)
def test_the_work_grows_with_the_length(checker, part):
    text = (part * 2400)[:2400]
    checker.check(text)
    assert work(checker, text) < 2.6 * work(checker, text[:1200]) + 1000


@pytest.mark.parametrize("part", ENDLESS)
def test_nothing_is_lost_between_pieces(part):
    text = (part * 2400)[:2400]
    covered = "".join(text[piece.span.start : piece.span.end] for piece in pieces_of(text))
    assert [c for c in covered if not c.isspace() and c != "|"] == [c for c in text if not c.isspace() and c != "|"]


@pytest.mark.parametrize(
    "text",
    [
        "The T4, " + "which serves well, " * 60 + "has 32 GB of memory.",
        "T4 " + "跑得稳，" * 200 + "显存 32GB。",
    ],
)
def test_a_card_is_remembered_through_a_long_sentence(checker, text):
    wrong = [fact for fact in checker.check(text).facts if fact.verdict == "contradicted"]
    assert len(wrong) == 1
    assert "16 GB" in wrong[0].expected
