"""Things that a question tells apart by a number."""

import pytest

from kb.answer.extract.designation import designations_in


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("NVLink 4: how many links?", [(("4",), "nvlink")]),
        ("Which source sits on LEAF(7) bit 5?", [(("7",), "leaf"), (("5",), "bit")]),
        ("Scores of GPU 1 and GPU 2 in the example?", [(("1", "2"), "gpu")]),
        ("第 14 位对应哪个向量？", [(("14",), "bit")]),
        ("Does a pod get 2 GPUs or 16 GB for 3 months?", []),
        ("The header of version 4.x", []),
        ("How many of 20 cards fail in 4 weeks?", []),
    ],
)
def test_a_number_behind_a_word_tells_things_apart(question, wanted):
    found = designations_in(question)
    assert [thing.numbers for thing in found] == [numbers for numbers, _ in wanted]
    assert all(word in thing.words for thing, (_, word) in zip(found, wanted, strict=True))
