"""Logs: one line, or one object, for each thing that happened."""

from __future__ import annotations

import json
import logging

import pytest

from api.logs import JsonFormatter, TextFormatter


@pytest.fixture
def record() -> logging.LogRecord:
    made = logging.LogRecord("gpukb.requests", logging.ERROR, "x.py", 1, "request %s", ("失败",), None)
    made.request_id = "r1"
    return made


def test_one_object_a_line(record: logging.LogRecord) -> None:
    line = json.loads(JsonFormatter().format(record))
    assert (line["level"], line["logger"], line["message"]) == ("error", "gpukb.requests", "request 失败")
    assert line["request_id"] == "r1"
    assert line["time"].endswith("+00:00")


def test_a_trace_stays_within_its_object(record: logging.LogRecord) -> None:
    try:
        raise ValueError("x")
    except ValueError as error:
        record.exc_info = (ValueError, error, error.__traceback__)
    text = JsonFormatter().format(record)
    assert "\n" not in text
    assert "ValueError: x" in json.loads(text)["trace"]


def test_text_names_the_request(record: logging.LogRecord) -> None:
    assert TextFormatter("%(levelname)s %(message)s").format(record) == "ERROR request 失败 [r1]"
