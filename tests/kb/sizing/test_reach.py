"""Cards for a stated speed, the longest context, and the search behind them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.sizing import (
    CardEstimate,
    MemoryEstimate,
    describe_workload,
    estimate,
    estimate_memory,
    longest_context,
    refined,
    replicas_for,
)
from kb.sizing.placement import fits, on_each_card
from kb.sizing.search import largest
from kb.specs.catalog import Catalog
from kb.specs.model_shapes import ModelShapes


@given(st.integers(0, 5000), st.integers(1, 5000))
def test_search_finds_the_largest_count(last: int, most: int) -> None:
    assert largest(lambda n: n <= last, most) == min(last, most)


def _on(
    catalog: Catalog, models: ModelShapes, gpu_id: str, model: str, cards: int | None, **stated: object
) -> CardEstimate:
    workload = refined(describe_workload(models, model=model), **stated)
    return estimate(workload, catalog.gpus[gpu_id], cards=cards).on_cards[0]


@pytest.mark.parametrize("wanted", [10.0, 1000.0, 25_000.0])
def test_copies_reach_the_speed_and_one_fewer_does_not(catalog: Catalog, models: ModelShapes, wanted: float) -> None:
    found = replicas_for(_on(catalog, models, "h100-sxm5-80gb", "Llama 3.1 70B", None, context_tokens=4096), wanted)
    assert found is not None
    assert found.copies * found.tokens_s.low >= wanted
    assert (found.copies - 1) * found.tokens_s.low < wanted
    assert found.line.value.high == found.copies * found.layout.cards
    assert found.least <= found.line.value.low <= found.line.value.high
    assert found.least >= math.floor(wanted / found.tokens_s.high)


def test_copies_need_a_context(catalog: Catalog, models: ModelShapes) -> None:
    assert replicas_for(_on(catalog, models, "h100-sxm5-80gb", "Llama 3.1 70B", None), 1000.0) is None


@pytest.mark.parametrize(
    ("model", "stated"), [("Qwen2.5 32B", {"precision": "int4"}), ("Llama 3.1 8B", {"sequences": 4})]
)
def test_the_longest_context_fits_and_a_longer_one_does_not(
    catalog: Catalog, models: ModelShapes, model: str, stated: dict[str, object]
) -> None:
    on_card = _on(catalog, models, "rtx-4090", model, 1, **stated)
    found, layout, card = longest_context(on_card), on_card.layout, on_card.card
    assert found is not None
    assert layout is not None
    assert found.limit == "memory"

    def memory(tokens: float) -> MemoryEstimate:
        return estimate_memory(replace(on_card.memory.workload, context_tokens=int(tokens)))

    assert fits(memory(found.tokens.low), layout, card) == "fits"
    assert fits(memory(found.tokens.low + 1), layout, card) != "fits"
    assert on_each_card(memory(found.tokens.high), layout, card).low <= card.capacity.high
    assert on_each_card(memory(found.tokens.high + 1), layout, card).low > card.capacity.high


def test_a_model_allows_no_longer_context_than_it_was_made_for(catalog: Catalog, models: ModelShapes) -> None:
    on_card = _on(catalog, models, "h100-sxm5-80gb", "Qwen2.5 7B", 1)
    found = longest_context(on_card)
    assert found is not None
    assert found.limit == "model"
    assert found.tokens.high == on_card.memory.workload.shape.max_context


def test_without_room_there_is_no_context(catalog: Catalog, models: ModelShapes) -> None:
    assert longest_context(_on(catalog, models, "rtx-4090", "Llama 3.1 70B", 1)) is None


def test_a_size_that_one_mixture_of_experts_has_is_taken_for_it(models: ModelShapes) -> None:
    workload = describe_workload(models, model="671B")
    assert (workload.shape.id, workload.shape_basis, workload.precision) == ("deepseek-v3", "assumed", "fp8")
    assert describe_workload(models, model="650B").shape_basis == "scaled"
    assert describe_workload(models, model="70B").shape.moe is None
