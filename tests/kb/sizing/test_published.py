"""What the formulas give against what others have published; see `published.yaml` for titles and dates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from kb.sizing import accelerators_of, describe_workload, estimate_memory, estimate_on, refined
from kb.sizing.adapters import adapter_parameters
from kb.sizing.overhead import CONTEXT_BYTES
from kb.sizing.placement import Layout, on_each_card
from kb.sizing.roofline import Roof
from kb.sizing.training import operations_per_token

PUBLISHED = yaml.safe_load(Path(__file__).with_name("published.yaml").read_text(encoding="utf-8"))


def rows(key, *columns):
    """Each row of a group of measurements, with the group's own fields."""
    return [
        pytest.param({**group, **dict(zip(columns, row, strict=True))}, id=f"{group['card']} {row}")
        for group in PUBLISHED[key]
        for row in group["rows"]
    ]


def card_of(catalog, gpu_id):
    return accelerators_of(catalog.get(gpu_id))[0]


@pytest.mark.parametrize(("model", "count"), list(PUBLISHED["parameters"]["counts"].items()))
def test_parameters_are_counted_exactly(models, model, count):
    assert models.find(model).count.total == count
    workload = describe_workload(models, model=model)
    assert estimate_memory(refined(workload, precision="bf16")).part("weights").low == 2 * count


@pytest.mark.parametrize("row", PUBLISHED["kv_cache"], ids=lambda row: f"{row['model']} {row['tokens']}")
def test_the_kv_cache_is_exact(models, row):
    workload = refined(describe_workload(models, model=row["model"]), context_tokens=row["tokens"])
    cache = estimate_memory(workload).part("kv_cache")
    assert cache.low == cache.high == row["bytes"]


@pytest.mark.parametrize("row", PUBLISHED["checkpoints"], ids=lambda row: row["model"])
def test_checkpoints_have_the_published_size(models, row):
    weights = estimate_memory(describe_workload(models, model=row["model"])).part("weights")
    assert weights.high / 2**30 == pytest.approx(row["gib"], rel=0.005)


def test_zero_stages(models):
    zero = PUBLISHED["zero"]
    workload = refined(describe_workload(models, parameters_b=zero["parameters_b"]), task="pretrain")
    states = [zero["gb"][0]]
    for stage in (1, 2, 3):
        memory = estimate_memory(refined(workload, zero_stage=stage))
        others = memory.part("activations").low + CONTEXT_BYTES
        card = _Any()
        states.append((on_each_card(memory, Layout(data=zero["cards"]), card).low - others) / 1e9)
    whole = estimate_memory(workload)
    assert sum(whole.part(key).low for key in ("weights", "gradients", "optimizer")) / 1e9 == zero["gb"][0]
    assert states == pytest.approx(zero["gb"], abs=0.06)


class _Any:
    """A card of any size."""

    class capacity:
        low = high = 1e12


@pytest.mark.parametrize("row", PUBLISHED["lora"], ids=lambda row: row["model"])
def test_adapters_are_counted_exactly(models, row):
    assert adapter_parameters(models.find(row["model"]), row["rank"]) == row["parameters"]


@pytest.mark.parametrize("row", rows("decode", "model", "tensor", "sequences", "context", "tokens_s"))
def test_nobody_writes_faster_than_the_bound(models, catalog, row):
    workload = refined(
        describe_workload(models, model=row["model"]),
        precision=row["precision"],
        kv_precision=row["kv_precision"],
        context_tokens=row["context"],
        sequences=row["sequences"],
    )
    found = estimate_on(estimate_memory(workload), card_of(catalog, row["card"]), row["tensor"])
    assert found.layout == Layout(tensor=row["tensor"])
    assert found.decode.tokens_s.high >= row["tokens_s"]
    assert found.decode.tokens_s.high <= 12 * row["tokens_s"], "a bound this far off says nothing"


@pytest.mark.parametrize("row", PUBLISHED["offline"], ids=lambda row: f"{row['cards']}x{row['card']} {row['model']}")
def test_no_system_beats_the_bound_under_full_load(models, catalog, row):
    workload = refined(
        describe_workload(models, model=row["model"]),
        precision=row["precision"],
        kv_precision="fp8",
        context_tokens=294,  # the mean answer of the benchmark's questions; the prompt comes on top
    )
    card = card_of(catalog, row["card"])
    most = estimate_on(estimate_memory(workload), card, row["cards"]).concurrency.sequences.high
    full = estimate_on(estimate_memory(replace(workload, sequences=int(most))), card, row["cards"])
    assert full.decode.tokens_s.high >= row["tokens_s"]


@pytest.mark.parametrize("row", rows("first_token", "model", "tensor", "prompt", "ms"))
def test_no_first_token_comes_sooner_than_the_bound(models, catalog, row):
    workload = refined(
        describe_workload(models, model=row["model"]), precision=row["precision"], context_tokens=row["prompt"]
    )
    found = estimate_on(estimate_memory(workload), card_of(catalog, row["card"]), row["tensor"])
    assert found.prefill.first_token.low * 1e3 <= row["ms"]
    assert found.prefill.first_token.low * 1e3 >= row["ms"] / 12, "a bound this far off says nothing"


@pytest.mark.parametrize("row", PUBLISHED["training"], ids=lambda row: row["model"])
def test_no_training_ran_faster_than_the_bound(models, catalog, row):
    workload = refined(
        describe_workload(models, model=row["model"]), task="pretrain", context_tokens=row["context"], recompute="none"
    )
    card = card_of(catalog, row["card"])
    roof = Roof.of(workload, card, Layout())
    measured = row["tokens"] / (row["hours"] * 3600)
    bound = roof.compute.rate.high * 1e12 / operations_per_token(workload)
    assert measured <= bound <= 8 * measured


@pytest.mark.parametrize("row", PUBLISHED["operations"], ids=lambda row: row["model"])
def test_operations_of_a_training(models, row):
    workload = refined(
        describe_workload(models, model=row["model"]), task="pretrain", recompute="none", context_tokens=8192
    )
    assert operations_per_token(workload) * row["tokens"] == pytest.approx(row["operations"], rel=0.1)
