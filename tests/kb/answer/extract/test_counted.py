"""Texts that tell the number of the things asked about."""

import pytest

from kb.answer.extract.counted import counted_in


@pytest.mark.parametrize(
    ("part", "text", "tells"),
    [
        ("how many NVSwitches", "it has four third-generation nvswitch chips", True),
        ("how many XCDs does it have", "with 6 xcds and 3 ccds", True),
        ("how many XCDs does it have", "228 (38 per xcd)", False),
        ("一共多少张加速卡", "168 张加速卡", True),
        ("一共多少张加速卡", "21 个计算节点", False),
    ],
)
def test_a_number_stands_before_the_things_counted(part, text, tells):
    assert (counted_in(part).search(text) is not None) == tells


def test_other_questions_count_nothing():
    assert counted_in("how much memory does it have") is None
