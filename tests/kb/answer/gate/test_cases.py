"""Every row of `cases.yaml`: what the gate says of a text's figures and words."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kb.answer.gate import FactChecker
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver

CASES = [
    (kind, case)
    for kind, cases in yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8")).items()
    for case in cases
]
IDS = [f"{kind}: {case['text'][:50]}" for kind, case in CASES]
CLAIMS = {"figure", "word", "derived"}
VERDICTS = {"right": "supported", "wrong": "contradicted", "unknown": "unknown"}


@pytest.fixture(scope="module")
def checker():
    catalog = Catalog.load()
    return FactChecker(catalog, NameResolver(catalog))


@pytest.mark.parametrize(("kind", "case"), CASES, ids=IDS)
def test_verdicts(checker, kind, case):
    facts = [
        f
        for f in checker.check(case["text"]).facts
        if (f.kind in CLAIMS and f.field != "vendor") or f.verdict == "contradicted"
    ]
    for name, verdict in VERDICTS.items():
        if name in case:
            assert [f.text for f in facts if f.verdict == verdict] == case[name], facts
    wrong = next((f for f in facts if f.verdict == "contradicted"), None)
    if "expected" in case:
        assert case["expected"] in wrong.expected
    if "reason" in case:
        assert case["reason"] in wrong.reason


@pytest.mark.parametrize(("kind", "case"), CASES, ids=IDS)
def test_facts_stand_where_they_say(checker, kind, case):
    end = 0
    for fact in checker.check(case["text"]).facts:
        assert case["text"][fact.start : fact.end] == fact.text
        assert fact.start >= end or fact.kind == "word"
        end = fact.end
