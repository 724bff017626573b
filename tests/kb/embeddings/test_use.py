from __future__ import annotations

import numpy as np

from kb.embeddings.use import UseEncoder

PAIRS = (
    ("T4 的显存带宽是多少？", "What is the memory bandwidth of the T4?"),
    ("这款显卡的功耗是多少瓦？", "How many watts does this graphics card draw?"),
    ("如何估算训练所需的显存？", "How do I estimate the memory needed for training?"),
    ("推理服务的吞吐量怎么测？", "How is the throughput of an inference service measured?"),
)


def test_translations_are_nearest_to_each_other():
    encoder = UseEncoder()
    chinese = encoder.embed_queries([pair[0] for pair in PAIRS])
    english = encoder.embed_passages([pair[1] for pair in PAIRS])
    scores = chinese @ english.T
    assert scores.argmax(axis=1).tolist() == scores.argmax(axis=0).tolist() == [0, 1, 2, 3]
    assert np.diag(scores).min() > 0.5


def test_questions_and_passages_are_read_alike():
    encoder = UseEncoder()
    np.testing.assert_array_equal(encoder.embed_queries(["显存"]), encoder.embed_passages(["显存"]))
    assert encoder.count_tokens("显存带宽") < encoder.count_tokens("显存带宽 " * 20)
    assert encoder.truncated_inputs == 0
