from __future__ import annotations

import pytest

from kb.index.events import event_from_line, event_to_line
from kb.types import BuildEvent


def test_an_event_is_one_line():
    event = BuildEvent("parse", 3, 10, 12.5, "读 zh/带宽.md\n第二行")
    line = event_to_line(event)
    assert "\n" not in line
    assert event_from_line(line) == event


@pytest.mark.parametrize("line", ["", "Loading weights: 100%", "{}", '{"stage": "parse"}', "[1]", '{"other": 1}', "3"])
def test_other_lines_are_no_events(line):
    assert event_from_line(line) is None
