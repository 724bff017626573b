from __future__ import annotations

from dataclasses import replace

import pytest

from kb.sizing import accelerators_of, describe_workload, estimate, estimate_memory, refined
from kb.sizing.placement import Layout, fits, layout_of, place, tensor_degrees

CARDS = ("t4", "l4", "rtx-4090", "a100-pcie-40gb", "h100-sxm5-80gb", "h200-sxm-141gb", "mi300x")
MODELS = ("llama-3.1-8b", "qwen2.5-7b", "llama-3.1-70b", "deepseek-v3", "gpt-oss-120b", "llama-3.1-405b")


def memory_of(models, model, **stated):
    return estimate_memory(refined(describe_workload(models, model=model), **stated))


def card_of(catalog, gpu_id):
    return accelerators_of(catalog.get(gpu_id))[0]


@pytest.mark.parametrize(
    ("model", "degrees"),
    [
        ("llama-3.1-70b", (1, 2, 4, 8)),
        ("qwen2.5-7b", (1, 2, 4)),
        ("qwen2.5-0.5b", (1, 2)),
        ("deepseek-v3", (1, 2, 4, 8)),
    ],
)
def test_tensor_parallelism_divides_the_heads(models, model, degrees):
    assert tensor_degrees(models.find(model)) == degrees


@pytest.mark.parametrize("gpu_id", CARDS)
@pytest.mark.parametrize("model", MODELS)
def test_the_planned_layout_is_the_smallest_that_fits(models, catalog, model, gpu_id):
    memory, card = memory_of(models, model, context_tokens=8192, sequences=4), card_of(catalog, gpu_id)
    placement = place(memory, card)
    planned, tight = placement.planned, placement.tight
    assert planned is not None
    assert fits(memory, planned, card) == "fits"
    assert tight.cards <= planned.cards
    assert fits(memory, tight, card) != "does_not_fit"
    for tensor in tensor_degrees(memory.workload.shape):
        if tensor < planned.cards:
            assert fits(memory, Layout(tensor), card) != "fits"
    assert planned.pipeline == 1 or planned.tensor == max(tensor_degrees(memory.workload.shape))


@pytest.mark.parametrize("gpu_id", CARDS)
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_a_training_layout_holds_the_states(models, catalog, gpu_id, stage):
    memory = memory_of(models, "llama-3.1-8b", task="finetune", zero_stage=stage)
    card = card_of(catalog, gpu_id)
    planned = place(memory, card).planned
    if planned is not None:
        assert fits(memory, planned, card) == "fits"


def test_a_higher_zero_stage_never_takes_more_cards(models, catalog):
    card = card_of(catalog, "a100-sxm4-80gb")
    counts = [
        place(memory_of(models, "llama-3.1-8b", task="finetune", zero_stage=stage), card).planned.cards
        for stage in (0, 1, 2, 3)
    ]
    assert counts == sorted(counts, reverse=True)


def test_a_larger_card_never_takes_more(models, catalog):
    memory = memory_of(models, "llama-3.1-70b", context_tokens=32768)
    counts = [
        place(memory, card_of(catalog, gpu_id)).planned.cards
        for gpu_id in ("a100-pcie-40gb", "a100-pcie-80gb", "mi300x")
    ]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize(("cards", "layout"), [(1, (1, 1)), (3, (1, 3)), (8, (8, 1)), (16, (8, 2)), (6, (2, 3))])
def test_given_cards_are_used_for_tensor_parallelism_first(models, cards, layout):
    found = layout_of(memory_of(models, "llama-3.1-70b"), cards)
    assert (found.tensor, found.pipeline) == layout
    assert found.cards == cards


def test_a_card_sold_with_two_memory_sizes_gives_both(models, catalog):
    sizes = [card.memory.value.low for card in accelerators_of(catalog.get("atlas-300i-duo"))]
    assert sizes == [48, 96]
    usable = accelerators_of(catalog.get("b200-sxm"))
    assert [card.memory.value.low for card in usable] == [180]


def test_what_does_not_fit_is_bound_by_memory(models, catalog):
    found = estimate(memory_of(models, "70B").workload, catalog.get("rtx-4090"), cards=1).on_cards[0]
    assert (found.verdict, found.limit) == ("does_not_fit", "memory")


def test_more_sequences_never_lower_the_total_speed(models, catalog):
    workload = refined(describe_workload(models, model="mixtral-8x7b"), context_tokens=2048)
    card = catalog.get("h100-sxm5-80gb")
    totals = [
        estimate(replace(workload, sequences=n), card, cards=4).on_cards[0].decode.tokens_s.high
        for n in (1, 2, 8, 64, 256)
    ]
    assert totals == sorted(totals)


def test_a_latency_target_bounds_the_sequences(models, catalog):
    workload = refined(describe_workload(models, model="llama-3.1-8b"), context_tokens=4096, target_tpot_ms=20.0)
    found = estimate(workload, catalog.get("l40s")).on_cards[0]
    most = int(found.concurrency.sequences.high)
    assert found.concurrency.limit == "latency"

    def step(sequences):
        return (
            estimate(replace(workload, sequences=sequences), catalog.get("l40s"), cards=1).on_cards[0].decode.step.low
        )

    assert step(most) <= 0.020 < step(most + 1)
