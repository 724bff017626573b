"""A small share of what `make long` does with ten thousand documents."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.scale.documents import document_text
from bench.scale.rebuild import run
from kb.config import default_cache_dir

ROOT = Path(__file__).parents[2]


def test_one_changed_document_of_many_gives_the_index_that_a_whole_build_gives(tmp_path):
    outcome = run(tmp_path, 48, rounds=1, embedded=0, cache_dir=default_cache_dir())
    assert outcome.is_identical
    assert len(outcome.rebuild_s) == 1
    assert set(outcome.first_cpu_s) >= {"scan", "parse", "chunk", "embed", "write", "verify", "swap"}


def test_an_edition_changes_figures_and_keeps_the_title():
    one, other = document_text(7), document_text(7, edition=1)
    assert one != other
    assert one.splitlines()[0] == other.splitlines()[0]


@pytest.mark.slow
def test_ten_thousand_documents():
    """The result is appended to bench/results/scale.jsonl."""
    assert subprocess.run([sys.executable, "-m", "bench.scale.rebuild"], cwd=ROOT, check=False).returncode == 0
