from __future__ import annotations

import json

import pytest

from ingest.loaders.registry import load_bytes
from kb.errors import DocumentError


def read(value, name="data.json"):
    return load_bytes((value if isinstance(value, str) else json.dumps(value)).encode(), name)


def test_values_keep_their_key_path():
    document = read({"name": "K100", "memory": {"size_gb": 80, "note": None}, "tags": ["a", "b"]})
    assert document.title == "K100"
    assert document.text == "- name: K100\n- tags: a, b\n\n# memory\n\n- size_gb: 80"


def test_records_become_a_table():
    document = read([{"card": "K1", "power": {"w": 5}}, {"card": "K2", "power": {"w": 6}, "ok": True}])
    assert document.text == "| card | power.w | ok |\n|---|---|---|\n| K1 | 5 |  |\n| K2 | 6 | true |"


def test_records_that_fit_no_table_become_sections():
    document = read([{"name": "K1", "text": "x" * 300, "deep": {"a": [{"b": 1}]}}, {"name": "K2", "text": "y"}])
    headings = [document.text[b.start : b.end] for b in document.blocks if b.kind == "heading"]
    assert headings[:2] == ["# K1", "## deep"]


def test_json_lines_report_a_bad_line():
    document = read('{"a": 1}\nnot json\n{"a": 2}\n', "x.jsonl")
    assert "| 1 |" in document.text
    assert "line 2" in document.warnings[0]


def test_yaml_with_dates_and_several_documents():
    document = read("when: 2026-11-30\n---\nother: [1, 2]\n", "x.yaml")
    assert "2026-11-30" in document.text
    assert "1, 2" in document.text


@pytest.mark.parametrize("name", ["x.json", "x.yaml"])
def test_an_escape_brings_back_nothing_that_cannot_be_written(name):
    document = read('{"a\\udfff": "one\\ud800 two\\u0000 three"}', name)
    assert document.text.encode()
    assert "one\ufffd two three" in document.text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{", "x.json"),
        ("a: [1", "x.yaml"),
        ("!!python/object/apply:os.system ['true']", "x.yaml"),
        ("nope\nnope\n", "x.jsonl"),
        ("[" * 100_000, "x.json"),
        ("[" * 500 + "]" * 500, "x.yaml"),
        ("[" * 20_000 + "]" * 20_000, "x.yaml"),
        ("a: &a [*a, *a]\n", "x.yaml"),
        (
            "a: &a [x, x, x, x, x, x, x, x, x]\n"
            + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)),
            "x.yaml",
        ),
    ],
    ids=["json", "yaml", "object", "lines", "deep json", "deep yaml", "very deep yaml", "endless", "billion laughs"],
)
def test_broken_and_hostile_files_are_refused_with_a_reason(text, name):
    with pytest.raises(DocumentError):
        read(text, name)
