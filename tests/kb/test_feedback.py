"""Ratings on the disk: none is lost, none is half, and they do not grow without end."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from kb.errors import StorageError
from kb.feedback import Feedback, FeedbackFile


def rating(number=0, **fields):
    return Feedback(f"fb_{number}", datetime.now(UTC).isoformat(), f"ans_{number}", "up", **fields)


def test_ratings_come_back_in_order_and_only_their_owner_may_read_them(tmp_path):
    file = FeedbackFile(tmp_path)
    for number in range(3):
        file.append(rating(number, comment="数字\n不对 \ud800"))
    assert [entry["feedback_id"] for entry in file.entries()] == ["fb_0", "fb_1", "fb_2"]
    assert (tmp_path / "feedback.jsonl").stat().st_mode & 0o777 == 0o600
    assert next(file.entries())["comment"].startswith("数字\n不对")


def test_a_line_that_a_crash_cut_short_costs_nothing_else(tmp_path):
    file = FeedbackFile(tmp_path)
    file.append(rating(1))
    with (tmp_path / "feedback.jsonl").open("ab") as raw:
        raw.write(b'{"feedback_id": "fb_x", "crea')
    file.append(rating(2))
    assert [entry["feedback_id"] for entry in file.entries()] == ["fb_1", "fb_2"]


def test_processes_at_once_lose_nothing(tmp_path):
    code = (
        "from pathlib import Path; from kb.feedback import Feedback, FeedbackFile\n"
        f"file = FeedbackFile(Path({str(tmp_path)!r}))\n"
        "for number in range(30): file.append(Feedback('f', '2026', 'a', 'down', comment='x' * 3000))"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len(list(FeedbackFile(tmp_path).entries())) == 90


def test_it_is_bounded(tmp_path):
    file = FeedbackFile(tmp_path, max_bytes=4000)
    for number in range(60):
        file.append(rating(number))
    entries = [entry["feedback_id"] for entry in file.entries()]
    assert entries[-1] == "fb_59"
    assert entries == [f"fb_{number}" for number in range(60 - len(entries), 60)], "the newest, without a gap"
    assert sum(path.stat().st_size for path in tmp_path.glob("feedback*")) <= 8000


def test_questions_are_kept_no_longer_than_set(tmp_path):
    FeedbackFile(tmp_path).append(rating(0, question="机密问题"))
    assert next(FeedbackFile(tmp_path).entries())["question"] == "", "by default not at all"
    keeping = FeedbackFile(tmp_path, question_days=10)
    old = (datetime.now(UTC) - timedelta(days=11)).isoformat()
    keeping.append(Feedback("fb_old", old, "ans_1", "down", question="older"))
    keeping.append(rating(1, question="newer"))
    assert keeping.forget_questions() == 1
    assert [entry["question"] for entry in keeping.entries()] == ["", "", "newer"]
    assert FeedbackFile(tmp_path).forget_questions() == 1, "a service that keeps none forgets those of before"
    assert b"newer" not in (tmp_path / "feedback.jsonl").read_bytes()


def test_a_disk_that_refuses_is_said(tmp_path):
    (tmp_path / "feedback.jsonl").mkdir()
    with pytest.raises(StorageError):
        FeedbackFile(tmp_path).append(rating())
