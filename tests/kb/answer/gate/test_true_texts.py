"""True texts in many styles (`true_texts.yaml`): none is flagged, and another digit in one of their figures is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from bench.quality.changes import change_digit
from kb.answer.gate import FactChecker
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver

TEXTS = yaml.safe_load(Path(__file__).with_name("true_texts.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def checker():
    catalog = Catalog.load()
    return FactChecker(catalog, NameResolver(catalog))


@pytest.mark.parametrize("text", TEXTS, ids=[text[:40].replace("\n", " ") for text in TEXTS])
def test_a_true_text_is_not_flagged(checker, text):
    assert [f for f in checker.check(text).facts if f.verdict == "contradicted"] == []


def test_nearly_every_number_is_typed_and_every_other_digit_noticed(checker):
    chance = random.Random(7)
    numbers = typed = changed = 0
    missed = []
    for text in TEXTS:
        checked = checker.check(text)
        numbers += checked.summary.numbers
        typed += checked.summary.typed
        for fact in checked.facts:
            if fact.kind != "figure" or fact.verdict != "supported" or not any(c.isdigit() for c in fact.text):
                continue
            other = text[: fact.start] + change_digit(fact.text, chance) + text[fact.end :]
            changed += 1
            if checker.check(other).summary.contradicted == 0:
                missed.append((fact.text, other))
    assert typed >= 0.97 * numbers
    assert changed > 200
    assert len(missed) <= 0.02 * changed, missed
