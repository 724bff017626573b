"""True texts changed in one place, through `/v1/verify`: the change is caught, the text as it was is not flagged."""

from __future__ import annotations

from typing import Any

import pytest

from bench.quality.mutations import Score, answer_pairs, measure, statement_pairs, wording_pairs
from kb.specs.catalog import Catalog

SEED = 20261130


def scores(shipped: Any, statements: int, answers: int) -> list[Score]:
    catalog = Catalog.load()

    def verify(text: str) -> dict[str, Any]:
        response = shipped.client.post("/v1/verify", json={"text": text})
        assert response.status_code == 200, response.text
        return response.json()

    return [
        measure(verify, statement_pairs(catalog, statements, SEED)[0]),
        measure(verify, wording_pairs(catalog, statements, SEED)[0]),
        measure(verify, answer_pairs(catalog, shipped.ask, answers, SEED)[0]),
    ]


def test_changes_are_caught(shipped: Any) -> None:
    for score in scores(shipped, 40, 20):
        assert score.alarms == []
        assert score.misses == []
        assert score.mutations >= 20


@pytest.mark.slow
def test_a_thousand_changes_are_caught(shipped: Any) -> None:
    found = scores(shipped, 600, 400)
    texts, mutations = sum(s.texts for s in found), sum(s.mutations for s in found)
    assert sum(s.caught for s in found) >= 0.99 * mutations, [s.misses for s in found]
    assert sum(s.false_alarms for s in found) <= 0.01 * texts, [s.alarms for s in found]
    assert sum(s.typed for s in found) >= 0.98 * sum(s.numbers for s in found)
