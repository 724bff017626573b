"""The examples of docs/clients.md, run as they stand there, but for the address."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs" / "clients.md"
_EXAMPLE = re.compile(r"^```(bash|python|javascript)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXAMPLES = [(match.group(1), match.group(2)) for match in _EXAMPLE.finditer(DOCS.read_text(encoding="utf-8"))]
# What the answer to each question holds.
ANSWERS = {
    "T4 的显存带宽": "320 GB/s",
    "TDP of the L40S": "350 W",
    "L40S or the A100 PCIe 80GB": "1935 GB/s",
    "A100 支持 FP8": "不支持",
    "RTX 4090 的功耗": "450 W",
}


def run(language: str, code: str) -> str:
    if language == "python":
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            exec(compile(code, str(DOCS), "exec"), {"__name__": "__main__"})
        return shown.getvalue()
    program = "curl" if language == "bash" else "node"
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    command = ["bash", "-ec", code] if language == "bash" else ["node", "--input-type=module", "-e", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_examples_in_every_language() -> None:
    assert {language for language, _ in EXAMPLES} == {"bash", "python", "javascript"}


@pytest.mark.parametrize(("language", "code"), EXAMPLES, ids=[f"{number}" for number in range(len(EXAMPLES))])
def test_an_example_runs_and_shows_the_answer(live_address: str, language: str, code: str) -> None:
    shown = run(language, code.replace("http://127.0.0.1:8000", live_address))
    expected = [answer for question, answer in ANSWERS.items() if question in code]
    assert expected, code
    assert all(answer in shown for answer in expected), shown
