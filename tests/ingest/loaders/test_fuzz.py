"""Damaged files of every format: each is read or refused with a reason, none crashes or hangs the reader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.damage.reading import run
from bench.damage.whole_files import made_files, real_files

ROOT = Path(__file__).parents[3]
_LARGEST = 60_000
"""Bytes of the real files of the short run: reading a large PDF takes a second."""


def test_damaged_files_are_read_or_refused(tmp_path):
    files = made_files()
    outcome = run(files, tmp_path, 10 * len(files))
    assert outcome.faults == []
    assert outcome.cases == 10 * len(files)
    assert outcome.read
    assert outcome.refused


def test_damaged_real_files_are_read_or_refused(shared, tmp_path):
    files = {name: data for name, data in real_files(shared / "realdocs").items() if len(data) <= _LARGEST}
    outcome = run(files, tmp_path, len(files), seed=2)
    assert outcome.faults == []


@pytest.mark.slow
def test_many_damaged_files_are_read_or_refused(shared):
    """The result is appended to bench/results/damage.jsonl."""
    command = [sys.executable, "-m", "bench.damage.reading", os.environ.get("DAMAGED_FILES", "20000")]
    command += ["--files", str(shared / "realdocs")]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
