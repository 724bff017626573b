"""The command line: commands found by name, one-line errors, exit codes, JSON in the shape of the API."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kb.cli.main import run


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("GPUKB_") and name != "GPUKB_SHARED_DIR":
            monkeypatch.delenv(name)
    monkeypatch.setenv("GPUKB_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)


Capture = pytest.CaptureFixture[str]


def json_of(capsys: Capture, *args: str) -> Any:
    assert run(args) == 0
    return json.loads(capsys.readouterr().out)


def error_of(capsys: Capture, *args: str) -> tuple[int, str]:
    code = run(args)
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return code, error.strip()


def test_help_lists_every_command(capsys: Capture) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    for command in ("ask", "search", "gpus", "index", "serve", "doctor", "settings", "version"):
        assert f"\n  {command} " in text


@pytest.mark.parametrize("command", ["ask", "search", "gpus", "index", "serve", "doctor", "settings", "version"])
def test_every_command_has_help(capsys: Capture, command: str) -> None:
    assert run([command, "--help"]) == 0
    assert "Usage: gpukb" in capsys.readouterr().out


def test_no_command_shows_help(capsys: Capture) -> None:
    assert run([]) == 2
    assert "Commands:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["aks"], 2, "error: There is no command 'aks'. Did you mean ask?"),
        (["zzzz"], 2, "error: There is no command 'zzzz'. `gpukb --help` lists all commands."),
        (["ask", "--set", "prot=1", "x"], 2, "error: prot is no setting. Did you mean port?"),
        (["ask", "--set", "port", "x"], 2, "error: --set port has no value. Write it as --set NAME=VALUE."),
        (
            ["ask", "--top-k", "many", "x"],
            2,
            "error: --top-k 'many' is not possible: it must be a whole number from 1 to 50.",
        ),
        (
            ["ask", "--config", "none.toml", "x"],
            2,
            "error: The settings file none.toml cannot be read: No such file or directory. Name another with --config.",
        ),
        (
            ["gpus", "show", "h150", "--catalog", "none"],
            1,
            "error: There is no card 'h150'. `gpukb gpus list` shows the cards.",
        ),
    ],
)
def test_a_mistake_is_one_line(capsys: Capture, args: list[str], code: int, message: str) -> None:
    assert error_of(capsys, *args) == (code, message)


def test_a_misspelt_flag_names_the_nearest(capsys: Capture) -> None:
    code, error = error_of(capsys, "serve", "--prot", "1")
    assert code == 2
    assert "--port" in error


def test_a_misspelt_variable(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUKB_PROT", "1")
    assert error_of(capsys, "serve") == (2, "error: GPUKB_PROT is no setting. Did you mean GPUKB_PORT?")


def test_without_an_index_it_says_what_to_run(capsys: Capture, tmp_path: Path) -> None:
    message = f"error: There is no index in {tmp_path / 'data'}. Run: gpukb index build"
    assert error_of(capsys, "index", "status") == (1, message)


def test_an_empty_question(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    code, error = error_of(capsys, "ask", " ")
    assert (code, error[:30]) == (2, "error: The question is empty. ")


def test_version(capsys: Capture) -> None:
    assert json_of(capsys, "version", "--json")["name"] == "gpukb"
    assert run(["version"]) == 0
    assert capsys.readouterr().out.startswith("gpukb ")


def test_settings_tell_value_and_origin(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gpukb.toml").write_text("port = 9001\n")
    monkeypatch.setenv("GPUKB_LLM_API_KEY", "sk-secret")
    shown = {row["name"]: row for row in json_of(capsys, "settings", "--json")["data"]}
    assert (shown["port"]["value"], shown["port"]["origin"]) == (9001, "port in gpukb.toml")
    assert (shown["host"]["value"], shown["host"]["origin"]) == ("127.0.0.1", "default")
    assert shown["llm_api_key"]["value"] == "(set)"
    assert run(["settings"]) == 0
    assert "sk-secret" not in capsys.readouterr().out


def test_settings_as_a_table_for_the_documentation(capsys: Capture) -> None:
    assert run(["settings", "--markdown"]) == 0
    assert "| `port` | `GPUKB_PORT` |" in capsys.readouterr().out


def test_cards_are_shown_by_name_without_an_index(capsys: Capture) -> None:
    card = json_of(capsys, "gpus", "show", "RTX", "4090", "--json")
    assert card["id"] == "rtx-4090"
    assert card["specs"]["memory_gb"]["value"] == 24
    assert run(["gpus", "show", "t4", "--lang", "zh"]) == 0
    assert "320 GB/s" in capsys.readouterr().out


def test_cards_side_by_side(capsys: Capture) -> None:
    compared = json_of(capsys, "gpus", "compare", "t4", "RTX 4090", "--json")
    assert [card["id"] for card in compared["gpus"]] == ["t4", "rtx-4090"]
    assert run(["gpus", "compare", "t4", "rtx-4090"]) == 0
    text = capsys.readouterr().out
    assert "320 GB/s" in text
    assert "1008 GB/s" in text


def test_cards_are_listed(capsys: Capture) -> None:
    found = json_of(capsys, "gpus", "list", "--vendor", "nvidia", "-q", "a100", "--json")
    assert found["total"] == len(found["data"]) >= 3
    assert run(["gpus", "list", "--vendor", "nvidia"]) == 0
    assert "rtx-4090" in capsys.readouterr().out


def test_a_name_that_fits_several_cards_asks_which(capsys: Capture) -> None:
    code, error = error_of(capsys, "gpus", "show", "A100")
    assert code == 1
    assert "a100-sxm4-80gb" in error


def test_doctor_says_what_to_do(capsys: Capture, tmp_path: Path) -> None:
    code = run(["doctor", "--json", "--corpus-dir", str(tmp_path / "none")])
    findings = {finding["name"]: finding for finding in json.loads(capsys.readouterr().out)["data"]}
    assert code == 1
    assert findings["corpus"]["status"] == "fail"
    assert "GPUKB_CORPUS_DIR" in findings["corpus"]["hint"]
    assert findings["index"]["status"] == "warn"
    assert findings["index"]["hint"] == "Run: gpukb index build"
    assert findings["model"]["status"] == "ok"
    assert {findings[name]["status"] for name in ("python", "packages", "disk", "chat model")} == {"ok"}


def test_the_command_starts_without_heavy_packages() -> None:
    heavy = ("torch", "fastapi", "faiss", "numpy", "rich", "onnxruntime")
    code = f"import sys; from kb.cli.main import run; run(['version']); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m kb.cli gpus list --all | head -1", shell=True, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_a_question_has_a_longest_length(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("显存 A100 " * 100_000))
    assert error_of(capsys, "ask") == (2, "error: The question is too long; it may have 2,000 characters.")
    code, message = error_of(capsys, "search", "x" * 2001)
    assert (code, "2,000" in message) == (2, True)


def test_a_blank_search_is_a_mistake(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    code, message = error_of(capsys, "search", " ")
    assert (code, message.startswith("error: The search text is empty. Try: gpukb search")) == (2, True)


def test_a_catalogue_that_is_not_there_is_not_replaced(capsys: Capture, tmp_path: Path) -> None:
    code, message = error_of(capsys, "gpus", "list", "--catalog", str(tmp_path / "nowhere"))
    assert code == 1
    assert "nowhere" in message


@pytest.mark.parametrize(
    ("redirection", "code", "error"),
    [
        (">&-", 0, ""),
        ("<&-", 0, ""),
        (">/dev/full", 1, "error: No space left on device.\n"),
    ],
)
def test_streams_that_cannot_be_used(redirection: str, code: int, error: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m kb.cli gpus show T4 {redirection}'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, error)


def test_a_terminal_without_the_character_shows_its_code() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kb.cli", "gpus", "show", "T4", "--lang", "zh"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u663e\\u5b58" in done.stdout
