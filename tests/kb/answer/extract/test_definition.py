import pytest

from kb.answer.extract.definition import Definition
from kb.answer.extract.kinds import kinds_of


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("什么是苍鹭总线？", "苍鹭总线是两块板卡之间的专用互联"),
        ("苍鹭总线是什么", "苍鹭总线（Heron Bus）是两块板卡之间的专用互联"),
        ("请问 HBX 是什么意思？", "hbx（苍鹭总线）是两块板卡之间的专用互联"),
        ("HBX 是做什么的", "hbx 指两块板卡之间的专用互联"),
        ("What is a heron bus?", "a heron bus is a link between two boards"),
        ("what does HBX stand for", "hbx stands for heron bus exchange"),
        ("What's the heron-bus?", "the heron bus (hbx) is a link between two boards"),
        ("Explain heron buses", "heron buses are links between two boards"),
    ],
)
def test_words_that_say_what_a_thing_is(question, text):
    definition = Definition.asked_by(question)

    assert definition is not None
    assert definition.says.match(text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("什么是苍鹭总线？", "苍鹭总线控制器是另一块芯片"),
        ("HBX 是什么", "hbx2 是它的后继"),
        ("HBX 是什么", "与 hbx 相比，它是更慢的总线"),
        ("What is HBX?", "hbx is not supported by older boards"),
    ],
)
def test_words_about_another_thing_or_none(question, text):
    definition = Definition.asked_by(question)

    assert definition is not None
    assert not definition.says.match(text)


@pytest.mark.parametrize(
    "question",
    [
        "苍鹭总线有多快？",
        "为什么要用苍鹭总线",
        "How fast is the heron bus?",
        "Which boards have a heron bus?",
        "苍鹭总线",
    ],
)
def test_questions_for_something_else(question):
    assert Definition.asked_by(question) is None


@pytest.mark.parametrize(
    ("question", "wants_figure"),
    [
        ("What is TDP?", False),
        ("what does TDP mean", False),
        ("What is the TDP of the heron board?", True),
        ("苍鹭板的功耗是多少瓦", True),
    ],
)
def test_only_a_property_is_told_in_figures(question, wants_figure):
    assert bool(kinds_of(question)) is wants_figure
