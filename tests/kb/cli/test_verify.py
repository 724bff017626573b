"""`gpukb verify`: files and pipes, exit codes, JSON in the shape of the API."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from kb.cli.main import run

RIGHT, WRONG = "The T4 has 16 GB.\n", "T4 的功耗是 75 W。\n"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUKB_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)


def test_a_file_whose_figures_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    Path("deck.md").write_text(RIGHT, encoding="utf-8")
    assert run(["verify", "deck.md"]) == 0
    assert "16 GB" in capsys.readouterr().out


def test_a_pipe_with_a_wrong_figure(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode()), encoding="utf-8"))
    assert run(["verify", "-"]) == 1
    out = capsys.readouterr().out
    assert "75 W" in out
    assert "→ 70 W" in out


def test_json_is_what_the_api_sends(capsys: pytest.CaptureFixture[str]) -> None:
    Path("deck.md").write_text(WRONG, encoding="utf-8")
    assert run(["verify", "deck.md", "--json", "--lang", "en"]) == 1
    body = json.loads(capsys.readouterr().out)
    assert body["language"] == "en"
    assert [(f["text"], f["verdict"], f["expected"]) for f in body["facts"] if f["kind"] == "figure"] == [
        ("75 W", "contradicted", "70 W")
    ]


def test_strict_wants_certainty(capsys: pytest.CaptureFixture[str]) -> None:
    Path("deck.md").write_text("The H150 has 80 GB.\n", encoding="utf-8")
    assert run(["verify", "deck.md"]) == 0
    assert run(["verify", "deck.md", "--strict"]) == 1
    assert "H150" in capsys.readouterr().out


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff\xfe\x00", b"x" * 100_001])
def test_what_is_no_text(capsys: pytest.CaptureFixture[str], data: bytes) -> None:
    Path("deck.md").write_bytes(data)
    assert run(["verify", "deck.md"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "gone.md"]) == 2
    assert "gone.md" in capsys.readouterr().err
