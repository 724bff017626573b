from __future__ import annotations

import datetime
from dataclasses import dataclass

import pytest

from kb.index.jsonlines import JsonLines, encode_line, write_lines


@dataclass(frozen=True, slots=True)
class Record:
    name: str
    numbers: tuple[int, ...]


def test_records_are_read_back_by_number(tmp_path):
    records = [Record("一", (1, 2)), Record("line\nbreak \u2028", ()), {"lone": "\ud800"}]
    assert write_lines(records, tmp_path / "lines", tmp_path / "offsets") == 3
    lines = JsonLines(tmp_path / "lines", tmp_path / "offsets")
    assert len(lines) == 3
    assert lines[2] == {"lone": "\ud800"}
    assert lines[0] == {"name": "一", "numbers": [1, 2]}
    assert lines[1]["name"] == "line\nbreak \u2028"
    with pytest.raises(IndexError):
        lines[3]


def test_no_records(tmp_path):
    assert write_lines([], tmp_path / "lines", tmp_path / "offsets") == 0
    assert len(JsonLines(tmp_path / "lines", tmp_path / "offsets")) == 0


def test_front_matter_dates_become_text():
    assert encode_line({"as_of": datetime.date(2026, 11, 30)}) == b'{"as_of":"2026-11-30"}\n'


def test_what_json_cannot_hold_is_an_error():
    with pytest.raises(TypeError, match="set cannot be stored"):
        encode_line({"tags": {1}})
