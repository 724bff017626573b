"""The process that reads files: whatever one does to it, the next is read."""

from __future__ import annotations

import os
import signal

import pytest

from ingest.loaders.base import LoadLimits
from ingest.loaders.reader import open_reader
from kb.errors import DocumentError


@pytest.fixture
def good(tmp_path):
    (tmp_path / "good.md").write_text("# 星隼\n\n| 型号 | 柜号 |\n|---|---|\n| K100 | C-17 |\n", encoding="utf-8")
    return tmp_path / "good.md"


def test_a_document_comes_back_as_it_was_read(good):
    from ingest.loaders.registry import load

    with open_reader() as reader:
        assert reader.load(good, "good.md") == load(good, "good.md")


def test_a_file_that_takes_too_long_is_stopped_and_the_next_is_read(tmp_path, good):
    (tmp_path / "slow.rst").write_text("`" * 200_000, encoding="utf-8")
    (tmp_path / "slow.json").write_text("[" + "1," * 8_000_000 + "1]", encoding="utf-8")
    with open_reader(LoadLimits(max_step_seconds=1)) as reader:
        with pytest.raises(DocumentError, match="takes more than 1 seconds"):
            reader.load(tmp_path / "slow.json", "slow.json")
        assert reader.load(good, "good.md").title == "星隼"


def test_a_file_that_needs_too_much_memory_is_refused_and_the_next_is_read(tmp_path, good):
    (tmp_path / "big.txt").write_text("x" * 30_000_000, encoding="utf-8")
    limits = LoadLimits(max_bytes=64_000_000, max_memory_bytes=220 * 1024 * 1024, max_step_seconds=60)
    with open_reader(limits) as reader:
        with pytest.raises(DocumentError, match="memory"):
            reader.load(tmp_path / "big.txt", "big.txt")
        assert reader.load(good, "good.md").title == "星隼"


def test_a_reader_that_is_killed_is_told_apart_and_replaced(good):
    with open_reader() as reader:
        reader.load(good, "good.md")
        os.kill(reader._child.process.pid, signal.SIGKILL)
        reader._child.process.wait()
        with pytest.raises(DocumentError, match="lack of memory"):
            reader.load(good, "good.md")
        assert reader.load(good, "good.md").title == "星隼"


def test_a_missing_file_is_a_plain_reason(tmp_path):
    with open_reader() as reader, pytest.raises(DocumentError, match="cannot be opened"):
        reader.load(tmp_path / "gone.md", "gone.md")
