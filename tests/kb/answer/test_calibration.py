"""Learning the threshold from a corpus."""

from __future__ import annotations

import pytest

from kb.answer.calibration import as_manifest, calibrate, calibration_of, calibration_on, signals_of
from kb.answer.refusal import DEFAULT_THRESHOLD


@pytest.fixture(scope="module")
def larger_corpus(build_files):
    """Forty passages that differ, enough to learn from."""
    rooms = ["north", "south", "annex", "basement"]
    things = ["pumps", "racks", "switches", "cables", "filters", "sensors", "doors", "lamps", "batteries", "fans"]
    return build_files(
        {
            f"{room}-{thing}.md": f"The {thing} of the {room} hall are checked by team {place + number} on every day "
            f"{number + 2} of the month, and the record is kept in drawer {place * 10 + number} of its office.\n"
            for place, room in enumerate(rooms)
            for number, thing in enumerate(things)
        }
    )


def test_a_handful_of_passages_teaches_nothing(retriever, small_corpus):
    calibration = calibration_of(small_corpus, retriever)
    assert calibration.threshold == DEFAULT_THRESHOLD
    assert calibration.questions < 30


def test_a_corpus_moves_the_threshold_within_bounds(retriever, larger_corpus):
    calibration = calibration_of(larger_corpus, retriever)
    assert calibration.questions >= 30
    assert -1.5 <= calibration.threshold <= -1.2


def test_the_same_corpus_teaches_the_same(embedder, cross_embedder, retriever, larger_corpus):
    learned = calibrate(larger_corpus, embedder, cross_embedder)
    assert learned == as_manifest(calibration_of(larger_corpus, retriever), ())
    assert set(learned) == {"threshold", "questions", "learned_from", "changed_since"}


def test_what_was_learned_is_kept_until_much_has_changed(embedder, cross_embedder, larger_corpus):
    def learn(before, changed):
        return calibrate(larger_corpus, embedder, cross_embedder, before=before, changed=changed)

    known = {"threshold": -1.44, "questions": 99, "learned_from": "corpus", "changed_since": 0.0}
    after = learn(known, 0.03)
    assert after == {**known, "changed_since": 0.03}
    anew = learn(after, 0.03)
    assert (anew["questions"], anew["changed_since"]) == (calibrate(larger_corpus, embedder)["questions"], 0.0)
    assert learn({**known, "learned_from": "other questions"}, 0.0)["questions"] != 99


def test_given_questions_set_the_threshold_the_more_the_more_there_are(retriever, small_corpus):
    questions = ["How long is the warranty?", "云雀 Q70 的电源不应低于多少瓦？", "What is part PPR-9087?"]
    signals = signals_of(small_corpus, retriever, questions)
    few = calibration_on(signals)
    many = calibration_on(signals * 20)
    assert abs(few.threshold - DEFAULT_THRESHOLD) < abs(many.threshold - DEFAULT_THRESHOLD)
    assert many.questions == 60


def test_no_questions_are_an_error():
    with pytest.raises(ValueError, match="no questions"):
        calibration_on([])
