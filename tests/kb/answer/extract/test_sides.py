"""Names that a question sets side by side."""

import pytest

from kb.answer.extract.sides import sides_of
from kb.answer.extract.terms import Term
from kb.text import words


def _terms(question):
    return [Term(word, 1.0) for word in dict.fromkeys(words(question)) if word.isascii()]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("A 卡上跑 Qwen3-Dense 和 Qwen3-30B，长度各是多少？", [{"qwen3-dense"}, {"qwen3-30b"}]),
        ("手动装要求的 CANN、Torch 和 Python 版本", [{"can"}, {"torch"}, {"python"}]),
        ("头涨到 25、27 字节", [{"25"}, {"27"}]),
        ("GTX 680 versus Tesla K20X?", [{"gtx", "680"}, {"tesla", "k20x"}]),
    ],
)
def test_each_name_is_told_by_the_words_that_the_others_lack(question, wanted):
    terms = _terms(question)
    (sides,) = sides_of(question, terms)
    assert [
        wants & {terms[number].text for number in side} for wants, side in zip(wanted, sides, strict=True)
    ] == wanted


@pytest.mark.parametrize("question", ["links and duplex bandwidth", "GTX 1060 and GTX 1060 3GB", "带宽和容量是多少"])
def test_words_that_are_no_names_or_parts_of_each_other_are_no_sides(question):
    assert sides_of(question, _terms(question)) == ()
