"""When a question is refused."""

from __future__ import annotations

import dataclasses

import pytest

from kb.answer.refusal import DEFAULT_THRESHOLD, Calibration, decide, evidence_strength, judge
from kb.answer.signals import Signals

GOOD = Signals(
    top=0.7, margin=0.3, lead=0.25, dense=0.6, words=0.8, bigrams=0.6, agreement=1.0, bound=1.0, has_own=True
)
POOR = Signals(top=0.35, margin=0.05, lead=0.02, dense=0.4, words=0.3, bigrams=0.2, bound=1.0, has_own=True)
DEFAULT = Calibration()


@pytest.fixture(scope="module")
def judged(retriever, small_corpus):
    return lambda question: judge(question, retriever.search(small_corpus, question, top_k=8), small_corpus)


@pytest.mark.parametrize(
    "question",
    [
        "How often are the dust filters washed?",
        "How much memory does the Kestrel K50 have?",
        "How long does the warranty last?",
        "云雀 Q70 的电源不应低于多少瓦？",
        "灭火系统使用什么？",
        "What is part PPR-9087?",
    ],
)
def test_what_the_corpus_holds_is_answered(judged, question):
    decision = judged(question)
    assert not decision.refuse
    assert decision.confidence > 0.5
    assert decision.reason == ""


@pytest.mark.parametrize(
    "question",
    [
        "Who is the president of France?",
        "法国总统是谁？",
        "你好",
        "What is the capital of Australia?",
        "红烧肉怎么做？",
    ],
)
def test_off_topic_is_refused(judged, question):
    assert judged(question).refuse


@pytest.mark.parametrize(
    "question", ["How much memory does the Kestrel K70 have?", "云雀 Q90 用几个供电接口？", "Where is PPR-9088?"]
)
def test_another_card_is_no_answer(judged, question):
    decision = judged(question)
    assert decision.refuse
    assert decision.reason == "missing_codes"
    assert decision.confidence == 0


@pytest.mark.parametrize("question", ["What is the price of the Kestrel K50?", "云雀 Q70 的价格是多少？"])
def test_a_price_that_is_nowhere_is_refused(judged, question):
    assert judged(question).refuse


def test_strong_signals_are_answered_and_weak_ones_refused():
    assert not decide(GOOD, DEFAULT).refuse
    assert decide(POOR, DEFAULT).reason == "weak_evidence"


def test_nothing_found_is_refused():
    assert decide(Signals(), DEFAULT).reason == "nothing_found"


def test_every_signal_of_evidence_adds_to_it():
    for name in ("top", "margin", "lead", "dense", "words", "bigrams", "agreement"):
        raised = dataclasses.replace(POOR, **{name: getattr(POOR, name) + 0.2})
        assert evidence_strength(raised) > evidence_strength(POOR), name


@pytest.mark.parametrize("objection", [{"bound": 0.1}, {"is_document_unknown": True}, {"is_unit_missing": True}])
def test_objections_take_from_it(objection):
    assert evidence_strength(dataclasses.replace(GOOD, **objection)) < evidence_strength(GOOD)


def test_a_stricter_threshold_refuses_more():
    strength = evidence_strength(POOR)
    assert decide(POOR, Calibration(strength + 0.1)).refuse
    assert not decide(POOR, Calibration(strength - 0.1)).refuse


def test_a_good_passage_in_the_other_language_makes_up_for_a_poor_one():
    assert not decide(dataclasses.replace(POOR, cross_top=0.75, crossing=True), DEFAULT).refuse
    assert decide(dataclasses.replace(POOR, cross_top=0.4), DEFAULT).refuse
    assert not decide(Signals(cross_top=0.4, crossing=True), DEFAULT).refuse


def test_calibration_goes_through_the_manifest():
    calibration = Calibration(-1.17, 88)
    assert Calibration.from_manifest({"refusal": calibration.to_manifest()}) == calibration
    assert Calibration.from_manifest({}) == Calibration(DEFAULT_THRESHOLD, 0)
