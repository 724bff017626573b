from __future__ import annotations

import pytest

from kb.sizing.memory import (
    BYTES_PER_PARAMETER,
    cards_needed,
    kv_bytes_per_token,
    kv_cache_bytes,
    released_in,
    tensor_parallel_cards,
    weights_bytes,
    with_overhead,
)
from kb.specs.model_shapes import ModelShapes


@pytest.fixture(scope="session")
def shapes() -> ModelShapes:
    return ModelShapes.load()


@pytest.mark.parametrize(("precision", "gb"), [("fp32", 280), ("fp16", 140), ("fp8", 70), ("int4", 35)])
def test_weights(precision, gb):
    assert weights_bytes(70e9, BYTES_PER_PARAMETER[precision]) == gb * 1e9


@pytest.mark.parametrize(
    ("model", "per_token"),
    [
        ("llama-2-7b", 2 * 32 * 32 * 128 * 2),  # MHA
        ("llama-2-70b", 2 * 80 * 8 * 128 * 2),  # GQA
        ("deepseek-v3", 61 * (512 + 64) * 2),  # MLA
    ],
)
def test_kv_cache_of_one_token(shapes, model, per_token):
    shape = shapes.find(model)
    assert kv_bytes_per_token(shape, 2) == per_token
    assert kv_cache_bytes(shape, 4096, 3, 2) == 3 * 4096 * per_token


def test_sliding_layers_keep_their_window(shapes):
    sliding = [shape for shape in shapes.shapes.values() if shape.sliding_window is not None]
    assert sliding
    for shape in sliding:
        window = shape.sliding_window.tokens
        full = kv_bytes_per_token(shape, 2)
        assert kv_cache_bytes(shape, window, 1, 2) == window * full
        assert kv_cache_bytes(shape, 16 * window, 1, 2) < 16 * window * full


def test_overhead_widens_a_total():
    assert with_overhead(100.0) == pytest.approx((110.0, 120.0))


@pytest.mark.parametrize(
    ("total", "card", "cards"), [(80e9, 80e9, 1), (80.1e9, 80e9, 2), (154e9, 80e9, 2), (1e9, 80e9, 1)]
)
def test_cards_are_counted_up(total, card, cards):
    assert cards_needed(total, card) == cards


@pytest.mark.parametrize(("cards", "power"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (9, 16)])
def test_tensor_parallelism_takes_powers_of_two(cards, power):
    assert tensor_parallel_cards(cards) == power


def test_formats_of_published_weights(shapes):
    assert released_in(shapes.find("deepseek-v3")) == "fp8"
    assert released_in(shapes.find("llama-2-7b")) == "fp16"
