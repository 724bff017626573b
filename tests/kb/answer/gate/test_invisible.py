"""Characters that nobody sees: they part no name and no number, and facts keep their places in the original."""

from __future__ import annotations

import pytest

from kb.answer.gate import FactChecker
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver

UNSEEN = ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200e"]


@pytest.fixture(scope="module")
def checker():
    catalog = Catalog.load()
    return FactChecker(catalog, NameResolver(catalog))


@pytest.mark.parametrize("unseen", UNSEEN, ids=[f"U+{ord(c):04X}" for c in UNSEEN])
@pytest.mark.parametrize("text", ["The T4 has 32 GB and 320 GB/s.", "T4 的显存是 32 GB，带宽 320 GB/s。"])
def test_a_text_full_of_them_says_what_it_says_without(checker, text, unseen):
    hidden = unseen.join(text)
    plain, full = checker.check(text).facts, checker.check(hidden).facts
    assert [(f.verdict, f.field, f.value, f.gpu_ids) for f in full] == [
        (f.verdict, f.field, f.value, f.gpu_ids) for f in plain
    ]
    for fact, other in zip(full, plain, strict=True):
        assert hidden[fact.start : fact.end] == fact.text
        assert fact.text.replace(unseen, "") == other.text


def test_a_version_that_is_none_is_said(checker):
    for text, word in (("H100 SXN has 80 GB.", "SXN"), ("H100 SMX5 的显存是 80GB。", "SMX5"), ("A100 PCLE", "PCLE")):
        name = next(fact for fact in checker.check(text).facts if fact.kind == "card")
        assert name.verdict == "unknown"
        assert name.text.endswith(word)
        assert word in name.reason
    for text in ("H100 SXM5 80GB", "H100 NVL", "The A100 SRAM", "H100 and its"):
        assert next(f for f in checker.check(text).facts if f.kind == "card").verdict == "supported", text
