import pytest

from kb.answer.extract.kinds import kinds_of


@pytest.mark.parametrize(
    ("clause", "names"),
    [
        ("有几个 SM", ["number"]),
        ("its memory bandwidth", ["number"]),
        ("how wide is a wavefront", ["number"]),
        ("从哪个版本开始支持", ["version"]),
        ("MFU 的公式", ["formula"]),
        ("用什么工具测带宽", []),
        ("L40S 支持 MIG 吗", []),
    ],
)
def test_kind_of_thing_asked_for(clause, names):
    assert [kind.name for kind in kinds_of(clause)] == names


def test_a_measure_may_be_a_word():
    (kind,) = kinds_of("by what factor did it grow")
    assert kind.held.search("it grew sixteenfold")
    assert not kind.held.search("it grew a lot")
