"""The questions about cards: their form, their number and their mix."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.quality.specs import SpecQuestion, read_questions

QUESTIONS = read_questions()
NEAR_MISSES = {
    "ambiguous",
    "board",
    "conflict",
    "conversion",
    "direction",
    "no_evidence",
    "not_published",
    "slice",
    "sparse_dense",
    "system",
    "unknown_gpu",
    "wrong_premise",
}


def test_there_are_enough_in_both_languages() -> None:
    languages = Counter(question.question_id.split("-")[1] for question in QUESTIONS)
    assert languages["zh"] >= 150
    assert languages["en"] >= 150


def test_half_of_them_are_near_misses() -> None:
    assert sum(question.kind in NEAR_MISSES for question in QUESTIONS) >= len(QUESTIONS) / 2


def test_none_is_asked_twice() -> None:
    asked = Counter((*question.history, question.question) for question in QUESTIONS)
    assert [text for text, times in asked.items() if times > 1] == []
    assert len({question.question_id for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.question_id)
def test_what_must_be_said_is_not_forbidden(question: SpecQuestion) -> None:
    for group in question.must_contain:
        assert group
        for item in group:
            problems = question.problems(item, question.status[0])
            assert not any(problem.startswith("says ") for problem in problems)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("The TDP of the T4 is 70 W [1].", True),
        ("功耗 70W。", True),
        ("170 W", False),
        ("70 W/m", True),
        ("0.70 W", False),
        ("70.5 W", False),
        ("70 Wh", False),
        ("it draws 1,070 W", False),
    ],
)
def test_a_figure_is_found_as_a_whole(answer: str, right: bool) -> None:
    question = SpecQuestion("spec-en-lookup-0", "lookup", "?", (), (("70 W",),), (), ("answered",))
    assert (question.problems(answer, "answered") == []) is right


def test_a_size_is_no_rate() -> None:
    question = SpecQuestion("spec-en-lookup-0", "lookup", "?", (), (("600 GB",),), ("300 GB",), ("answered",))
    assert question.problems("600 GB/s", "answered") == ["lacks 600 GB"]
    assert question.problems("600 GB, 300 GB", "no_answer") == ["says 300 GB", "is no_answer"]
