"""A small share of what `make long` does at length: builds die at random moments, and nobody who asks notices."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.resilience.kills import may_forbid, run

ROOT = Path(__file__).parents[2]


def test_killed_builds_cost_nothing(tmp_path):
    outcome = run(tmp_path, 4, seed=3, clients=4)
    assert outcome.faults == []
    assert sum(outcome.killed.values()) + outcome.completed == 4
    assert outcome.answers > 20


def test_a_full_disk_costs_nothing(tmp_path):
    outcome = run(tmp_path, 6, seed=5, clients=2, harm="full disk")
    assert outcome.faults == []
    assert not any(stage.startswith("no plain") for stage in outcome.killed), outcome.killed
    assert len(outcome.killed) > 1, outcome.killed


@pytest.mark.skipif(not may_forbid(), reason="nothing is forbidden to root, and it may not mount")
def test_a_read_only_folder_costs_nothing(tmp_path):
    outcome = run(tmp_path, 1, seed=5, clients=2, harm="read-only folder")
    assert outcome.faults == []
    assert outcome.killed == {"start": 1}


@pytest.mark.slow
def test_two_hundred_killed_builds_cost_nothing():
    """The result is appended to bench/results/resilience.jsonl."""
    done = subprocess.run([sys.executable, "-m", "bench.resilience.kills", "200"], cwd=ROOT, check=False)
    assert done.returncode == 0
