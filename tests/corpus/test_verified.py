"""The shipped documents hold against the catalogue: the fact gate finds next to nothing to contradict in them."""

from __future__ import annotations

from pathlib import Path

from kb.answer.gate import MAX_CHECKED, FactChecker
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver

DOCUMENTS = sorted(Path(__file__).parents[2].joinpath("corpus", "docs").rglob("*.md"))
MOST_CONTRADICTED = 0.02


def test_documents_are_not_contradicted():
    catalog = Catalog.load()
    checker = FactChecker(catalog, NameResolver(catalog))
    figures = 0
    wrong = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        assert len(text) <= MAX_CHECKED
        checked = checker.check(text)
        figures += checked.summary.figures
        wrong += [(path.name, fact.text, fact.reason) for fact in checked.facts if fact.verdict == "contradicted"]
    assert figures > 1000
    assert len(wrong) <= MOST_CONTRADICTED * figures, wrong
