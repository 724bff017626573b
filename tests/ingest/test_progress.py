from __future__ import annotations

import pytest

from ingest.progress import Progress
from ingest.progress_bar import PlainLines, ProgressBar
from kb.types import BuildEvent


def test_every_stage_tells_its_first_and_last_step_once():
    events: list[BuildEvent] = []
    progress = Progress(events.append)
    with progress.stage("parse", 1000):
        for done in range(1, 1001):
            progress.step(done, 1000)
        progress.note(1000, 1000, "a.md: It is empty.")
    assert (events[0].done, events[-1].done) == (0, 1000)
    assert [event.done for event in events if not event.message].count(1000) == 1
    assert len(events) < 50
    assert progress.stage_ms["parse"] == pytest.approx(events[-1].ms, abs=5)


def test_a_stage_that_fails_is_not_said_to_be_done():
    events: list[BuildEvent] = []
    with pytest.raises(ValueError, match="broken"), Progress(events.append).stage("embed", 3):
        raise ValueError("broken")
    assert [event.done for event in events] == [0]


def test_people_see_stages(capsys):
    plain_lines = PlainLines()
    for event in (BuildEvent("parse", 0, 2, 0.1), BuildEvent("parse", 2, 2, 1500.0), BuildEvent("embed", 3, 9, 2.0)):
        plain_lines(event)
    assert capsys.readouterr().err == "reading: 2 in 1.5 s\n"
    with ProgressBar() as bar:
        bar(BuildEvent("parse", 2, 2, 1.0))
    assert "reading" in capsys.readouterr().err


def test_a_long_stage_is_not_silent_where_no_bar_can_be_drawn(capsys, monkeypatch):
    monkeypatch.setattr(PlainLines, "_INTERVAL_S", 0.0)
    PlainLines()(BuildEvent("embed", 3, 9, 2.0))
    assert capsys.readouterr().err == "embedding: 3 of 9\n"
