"""What holds for every workload on every card."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.sizing import describe_workload, estimate, estimate_memory, refined
from kb.sizing.formats import FORMATS
from kb.sizing.optimizer import OPTIMIZERS
from kb.sizing.words import calculation_text, formula_text, line_label, note_text
from kb.specs.catalog import Catalog
from kb.specs.model_shapes import ModelShapes
from kb.wire.size import size_out

MODELS = ModelShapes.load()
CATALOG = Catalog.load()
NAMES = sorted(MODELS.shapes)
CARDS = sorted(CATALOG.gpus)

workloads = st.builds(
    lambda model, size, **stated: refined(
        describe_workload(MODELS, model=model) if size is None else describe_workload(MODELS, parameters_b=size),
        **stated,
    ),
    model=st.sampled_from(NAMES),
    size=st.none() | st.floats(0.05, 5000),
    task=st.sampled_from(["inference", "finetune", "pretrain"]),
    method=st.sampled_from(["full", "lora", "qlora"]),
    precision=st.none() | st.sampled_from(sorted(FORMATS)),
    kv_precision=st.sampled_from(["fp16", "fp8", "int8", "int4"]),
    context_tokens=st.none() | st.integers(1, 1_000_000),
    sequences=st.integers(1, 5000),
    recompute=st.sampled_from(["none", "full"]),
    optimizer=st.sampled_from(sorted(OPTIMIZERS)),
    zero_stage=st.integers(0, 3),
    target_tpot_ms=st.none() | st.floats(0.1, 1000),
    training_tokens=st.none() | st.floats(1e6, 1e14),
)


@settings(max_examples=150, deadline=None)
@given(workload=workloads, gpu_id=st.sampled_from(CARDS), cards=st.none() | st.integers(1, 300))
def test_every_line_is_whole(workload, gpu_id, cards):
    found = estimate(workload, CATALOG.get(gpu_id), cards=cards)
    for card in found.on_cards:
        assert card.limit in {"memory", "memory_bandwidth", "compute"}
        if card.placement.planned is not None:
            assert card.placement.tight.cards <= card.placement.planned.cards
    lines = [*found.memory.lines, *(line for card in found.on_cards for line in card.lines)]
    for line in lines:
        assert 0 <= line.value.low <= line.value.high, line.key
        assert not math.isnan(line.value.high)
        for language in ("zh", "en"):
            assert line_label(line, language)
            assert "{" not in formula_text(line, language) + calculation_text(line, language)
            assert all(note_text(note, language) for note in (*line.notes, *found.assumptions))


@settings(max_examples=40, deadline=None)
@given(workload=workloads, gpu_id=st.sampled_from(CARDS), cards=st.none() | st.integers(1, 64))
def test_what_is_sent_is_json(workload, gpu_id, cards):
    for language in ("zh", "en"):
        sent = size_out(estimate(workload, CATALOG.get(gpu_id), cards=cards), language).model_dump_json()
        assert json.loads(sent)["object"] == "size"
        assert "Infinity" not in sent
        assert "NaN" not in sent


@settings(max_examples=60, deadline=None)
@given(workload=workloads)
def test_more_text_never_takes_less_memory(workload):
    longer = replace(workload, context_tokens=2 * (workload.context_tokens or 1024))
    more = replace(workload, sequences=workload.sequences + 1)
    whole = estimate_memory(workload).needed
    for other in (longer, more):
        needed = estimate_memory(other).needed
        if other.context_tokens and workload.context_tokens:
            assert needed.low >= whole.low
            assert needed.high >= whole.high


@pytest.mark.parametrize("model", NAMES)
def test_fewer_bits_never_take_more_memory(model):
    workload = describe_workload(MODELS, model=model)
    sizes = [
        estimate_memory(refined(workload, precision=name)).part("weights").high
        for name in ("fp32", "bf16", "fp8", "int4")
    ]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("model", NAMES)
def test_adapters_take_less_than_full_training(model):
    workload = refined(describe_workload(MODELS, model=model), task="finetune")
    full, lora, qlora = (
        estimate_memory(refined(workload, method=method)).needed for method in ("full", "lora", "qlora")
    )
    assert full.low > lora.low > qlora.low
