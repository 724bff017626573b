"""What a model says of unrelated texts."""

from __future__ import annotations

import numpy as np

from kb.retrieval.background import everyday_questions


def test_the_questions_are_the_same_in_both_languages():
    chinese, english = everyday_questions()
    assert len(chinese) == len(english) == len(set(chinese)) == len(set(english))


def test_the_floor_of_e5_lies_where_its_cosines_begin_to_mean_something(retriever):
    assert 0.68 < retriever.background.cosine_floor < 0.78


def test_relevance_spreads_cosines_over_0_to_1(retriever):
    background = retriever.background
    cosines = np.array([-1, background.cosine_floor, 1], np.float32)
    assert np.allclose(background.relevance(cosines), [0, 0, 1])


def test_question_means_tell_languages_apart(retriever, embedder):
    background = retriever.background
    question = embedder.embed_queries(["这台机器有多重？"])[0]
    assert question @ background.question_means["zh"] > question @ background.question_means["en"]
