"""What a program printed, and the lines of it that tell what is asked."""

import pytest

from kb.answer.extract.screens import is_box, is_printed, telling_lines
from kb.answer.extract.terms import Term

VALUES = """Driver Version                   : 535.183
CUDA Version                     : 12.2
Attached GPUs                    : 1
Product Name                     : Tern T4
Product Brand                    : Tern
Display Mode                     : Enabled
Display Active                   : Disabled
Persistence Mode                 : Enabled
Fan Speed                        : 33 %
Power Draw                       : 15 W"""
BOX = """+-----------------------------+
| Name  Temp | Usage | Memory |
|------------+-------+--------|
| Tern   27C |    0% |  4 MiB |
+-----------------------------+"""


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (VALUES, True),
        (BOX, True),
        ("image:\n  name: tern\n  tag: 1.2\n  pull: always", False),
        ("cd build\ncmake ..\nmake -j8", False),
        ("for (int i = 0; i < n; ++i)\n{\n    a[i] = b ? 1 : 0;\n}", False),
    ],
)
def test_a_screen_is_told_from_a_program(source, printed):
    assert is_printed(source) == printed


def test_a_box_is_told_from_a_list_of_values():
    assert is_box(BOX)
    assert not is_box(VALUES)


def test_the_lines_that_hold_the_words_are_shown():
    terms = (Term("power", 4.0), Term("draw", 4.0))
    shown = [VALUES[line.start : line.end] for line in telling_lines(VALUES, terms)]
    assert shown == ["Power Draw                       : 15 W"]


def test_a_short_screen_is_shown_whole_but_for_its_rules():
    shown = [BOX[line.start : line.end] for line in telling_lines(BOX, ())]
    assert shown == ["| Name  Temp | Usage | Memory |", "| Tern   27C |    0% |  4 MiB |"]
