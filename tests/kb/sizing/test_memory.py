from __future__ import annotations

import pytest

from kb.errors import NotFoundError, RequestError
from kb.sizing import describe_workload, estimate_memory, refined


@pytest.mark.parametrize(("precision", "gb"), [("fp32", 280), ("fp16", 140), ("bf16", 140), ("fp8", 70), ("int4", 35)])
def test_weights_of_a_stated_size(models, precision, gb):
    memory = estimate_memory(refined(describe_workload(models, model="70B"), precision=precision))
    assert memory.part("weights").low == gb * 1e9


def test_quantised_weights_have_scales_and_16_bit_tables(models):
    memory = estimate_memory(refined(describe_workload(models, model="Llama 3.1 70B"), precision="int4"))
    tables = 2 * 128256 * 8192
    assert memory.part("weights").high == pytest.approx(
        (70553706496 - tables) * (4 + 20 / 128) / 8 + tables * 2, rel=1e-3
    )


@pytest.mark.parametrize(
    ("model", "per_token"),
    [
        ("llama-2-7b", 2 * 32 * 32 * 128 * 2),  # MHA
        ("llama-2-70b", 2 * 80 * 8 * 128 * 2),  # GQA
        ("deepseek-v3", 61 * (512 + 64) * 2),  # MLA
    ],
)
def test_kv_cache(models, model, per_token):
    workload = describe_workload(models, model=model)
    lines = {line.key: line for line in estimate_memory(workload).lines}
    assert lines["kv_per_token"].value.low == lines["kv_per_token"].value.high == per_token
    full = estimate_memory(refined(workload, context_tokens=4096, sequences=3))
    assert full.part("kv_cache").low == 3 * 4096 * per_token


def test_sliding_layers_keep_their_window(models):
    sliding = [shape for shape in models.shapes.values() if shape.sliding_window is not None]
    assert sliding
    for shape in sliding:
        workload = describe_workload(models, model=shape.id)
        window = shape.sliding_window.tokens
        inside, far = (
            estimate_memory(refined(workload, context_tokens=tokens)).part("kv_cache").low
            for tokens in (window, 16 * window)
        )
        full_layers = shape.layers - shape.sliding_layers
        assert far / inside == pytest.approx((full_layers * 16 + shape.sliding_layers) / shape.layers)


def test_an_unknown_model_names_the_nearest(models):
    with pytest.raises(NotFoundError, match=r"Nearest: .*Llama 3\.1 70B"):
        describe_workload(models, model="Llama 3.1 71B")


def test_a_workload_needs_exactly_one_model(models):
    with pytest.raises(RequestError, match="exactly one"):
        describe_workload(models)
    with pytest.raises(RequestError, match="exactly one"):
        describe_workload(models, model="70B", parameters_b=70)


@pytest.mark.parametrize("size", [7, 13, 70, 200, 1000])
def test_a_size_alone_says_which_shape_it_assumes(models, size):
    workload = describe_workload(models, parameters_b=size)
    assert workload.shape_basis in {"assumed", "scaled"}
    assert workload.shape.count.total == pytest.approx(size * 1e9, rel=0.12)
