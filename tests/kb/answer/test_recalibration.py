"""Calibrating by questions that somebody gives, through the command line and the library."""

from __future__ import annotations

import json
import shutil

import pytest

from kb.answer.calibration import as_manifest, calibrate
from kb.answer.recalibration import recalibrate
from kb.cli.main import run
from kb.index.root import IndexRoot

QUESTIONS = [f"Which pumps are checked by team {number} in the north hall?" for number in range(20)]


@pytest.fixture
def root(small_corpus, tmp_path):
    """An index of its own."""
    shutil.copytree(small_corpus.folder.parent, tmp_path / "index")
    return IndexRoot(tmp_path / "index")


def contents(generation):
    return {name: (generation.folder / name).read_bytes() for name in generation.manifest.files}


def test_only_the_threshold_changes_and_later_builds_learn_the_same(root, embedder, cross_embedder):
    before = root.open_current()
    result = recalibrate(root, embedder, cross_embedder, QUESTIONS)
    after = root.open_current()
    assert after.name == result.generation != before.name
    assert contents(after) == contents(before)
    assert after.manifest.calibration["refusal"] == as_manifest(result.after, QUESTIONS)
    assert calibrate(after, embedder, cross_embedder) == after.manifest.calibration["refusal"]
    assert before.name in root.generations()


def test_forgotten_questions_teach_no_more(root, embedder, cross_embedder):
    first = root.open_current().manifest.calibration
    recalibrate(root, embedder, cross_embedder, QUESTIONS)
    recalibrate(root, embedder, cross_embedder, ())
    learned = root.open_current().manifest.calibration["refusal"]
    assert learned == calibrate(root.open_current(), embedder, cross_embedder)
    assert learned["questions"] != 20
    assert set(first) <= set(root.open_current().manifest.calibration)


def test_the_command_takes_lines_and_json_lines(root, tmp_path, capsys):
    plain, lines = tmp_path / "questions.txt", tmp_path / "questions.jsonl"
    plain.write_text("\ufeff" + "\n\n".join(QUESTIONS), encoding="utf-8")
    lines.write_text("".join(json.dumps({"question": question, "id": 1}) + "\n" for question in QUESTIONS))
    thresholds = []
    for path in (plain, lines):
        assert run(["calibrate", str(path), "--json", "--data-dir", str(root.path)]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["questions"] == 20
        thresholds.append(told["threshold"])
    assert thresholds[0] == thresholds[1]
    assert run(["calibrate", "--forget", "--data-dir", str(root.path)]) == 0
    assert "the corpus itself" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"one?\ntwo?\n", "2 different questions"),
        (b'{"question": 5}\n' * 30, "line 1"),
        (b'{"question": "a?"\n' * 30, "no JSON"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"x" * 3000 + b"\n", "at most"),
    ],
)
def test_a_wrong_list_is_one_clear_line_and_changes_nothing(root, tmp_path, capsys, content, words):
    path = tmp_path / "questions.txt"
    path.write_bytes(content)
    name = root.current_name()
    assert run(["calibrate", str(path), "--data-dir", str(root.path)]) != 0
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert root.current_name() == name
    assert sorted(entry.name for entry in root.path.glob(".building*")) == []


def test_neither_list_nor_forget_is_a_usage_error(capsys):
    assert run(["calibrate"]) == 2
    assert "--forget" in capsys.readouterr().err
