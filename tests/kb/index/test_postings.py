from __future__ import annotations

import math
import random

import bm25s
import numpy as np
import pytest

from kb.index.postings import K1, B, Postings, Vocabulary
from kb.index.terms import TermNumbers

TEXTS = [["t4", "带宽", "320gb/s"], ["带宽", "带宽", "a100"], [], ["功耗", "t4"]]


@pytest.fixture
def postings():
    return Postings.build(TEXTS)


def test_scores_agree_with_bm25s():
    random.seed(5)
    words = [f"w{number}" for number in range(300)] + ["显存", "带宽"]
    texts = [random.choices(words, weights=range(1, 303), k=random.randint(1, 60)) for _ in range(200)]
    vocabulary = {word: number for number, word in enumerate(sorted({word for text in texts for word in text}))}
    theirs = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numpy")
    ids = [[vocabulary[word] for word in text] for text in texts]
    theirs.index((ids, vocabulary), show_progress=False)
    ours = Postings.build(texts)
    for query in (["w5", "w77", "带宽"], ["w299"], random.choices(words, k=12)):
        known = [vocabulary[word] for word in query if word in vocabulary]
        best = sum(ours.idf(word) for word in query)
        np.testing.assert_allclose(ours.scores(query) * best, theirs.get_scores_from_ids(known), rtol=1e-4, atol=1e-6)


def test_scores_lie_between_0_and_1(postings):
    scores = postings.scores(["带宽", "t4"])
    assert scores.dtype == np.float32
    assert scores[2] == 0
    assert (scores >= 0).all()
    assert (scores <= 1).all()
    assert scores[1] > 0
    assert scores[0] == scores.max()


def test_unseen_terms_lower_the_score(postings):
    assert postings.frequency("h200") == 0
    assert postings.idf("h200") == pytest.approx(math.log(1 + 3.5 / 1.5))
    assert postings.idf("h200") == postings.idf("a100") > postings.idf("t4")
    assert (postings.scores(["t4", "h200"])[[0, 3]] < postings.scores(["t4"])[[0, 3]]).all()


@pytest.mark.parametrize("query", [[], ["none", "of", "these"]])
def test_nothing_found(postings, query):
    assert postings.scores(query).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("texts", [[], [[]], [[], []]])
def test_nothing_to_search(texts):
    postings = Postings.build(texts)
    assert postings.scores(["t4"]).tolist() == [0] * len(texts)


def test_saved_legs_answer_the_same_and_have_the_same_bytes(postings, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        Postings.build(TEXTS).save(tmp_path / folder, "words")
    opened = Postings.open(tmp_path / "one", "words", len(TEXTS))
    np.testing.assert_array_equal(opened.scores(["带宽", "t4"]), postings.scores(["带宽", "t4"]))
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_vocabulary_finds_every_term_and_no_other():
    terms = sorted(["", "a", "a100", "a10", "带宽", "显存", "\U00020000", "\ud7ff", "z"], key=str.encode)
    vocabulary = Vocabulary.of(terms)
    assert [vocabulary.find(term) for term in terms] == list(range(len(terms)))
    for other in ("a1", "a1000", "带", "zz", "\ud800"):
        assert vocabulary.find(other) is None


def test_the_numbers_of_terms_do_not_show(tmp_path):
    """Terms counted in another order, among terms that no text has any more, give the same bytes."""
    known = TermNumbers(["zz", "带宽", "gone"])
    for text in reversed(TEXTS):
        known.count(text)
    for name, postings in (
        ("new", Postings.build(TEXTS)),
        ("known", Postings.of([known.count(text) for text in TEXTS], known)),
    ):
        (tmp_path / name).mkdir()
        postings.save(tmp_path / name, "words")
    for path in (tmp_path / "new").iterdir():
        assert path.read_bytes() == (tmp_path / "known" / path.name).read_bytes(), path.name
