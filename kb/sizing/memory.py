"""How much memory a language model takes: weights, KV cache, and the cards that hold both. Pure arithmetic.

Bytes are decimal (1 GB is 10⁹ bytes). Card sizes are taken as their nominal GB, which is on the safe side: most are
that many GiB.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from kb.specs.model_shapes import ModelShape

BYTES_PER_PARAMETER: Final[Mapping[str, float]] = {
    "fp32": 4.0,
    "tf32": 4.0,
    "fp16": 2.0,
    "bf16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "fp4": 0.5,
    "int4": 0.5,
}
"""By number format. Scales and zero points of quantised weights (a few per cent) belong to the overhead."""

_RELEASED_IN: Final[Mapping[str, str]] = {"deepseek-v3": "fp8", "deepseek-r1": "fp8", "gpt-oss": "fp4"}
"""Models whose published weights are not 16 bits wide, by the start of their id."""

OVERHEAD: Final = (0.10, 0.20)
"""Share of weights and KV cache that activations, workspaces and the runtime take besides: an assumption."""


def released_in(shape: ModelShape) -> str:
    """The number format of a model's published weights."""
    return next((name for start, name in _RELEASED_IN.items() if shape.id.startswith(start)), "fp16")


def weights_bytes(parameters: float, bytes_per_parameter: float) -> float:
    """`parameters × bytes_per_parameter`.

    All parameters of a mixture of experts count, whichever of them a token uses.
    """
    return parameters * bytes_per_parameter


def kv_bytes_per_token(shape: ModelShape, bytes_per_element: float) -> float:
    """What one token leaves in the KV cache, over all layers.

    With keys and values (MHA, GQA, MQA) `2 × layers × kv_heads × head_dim × bytes_per_element`; with latent attention
    (MLA) `layers × (kv_lora_rank + qk_rope_head_dim) × bytes_per_element`.
    """
    return shape.kv_elements_per_token * bytes_per_element


def kv_cache_bytes(shape: ModelShape, tokens: int, sequences: int, bytes_per_element: float) -> float:
    """`sequences × tokens × kv_bytes_per_token`; layers with a sliding window keep at most the window's tokens."""
    per_token = kv_bytes_per_token(shape, bytes_per_element)
    window = shape.sliding_window
    if window is None or tokens <= window.tokens:
        return sequences * tokens * per_token
    sliding = shape.layers // window.every
    kept = (shape.layers - sliding) * tokens + sliding * window.tokens
    return sequences * kept * per_token / shape.layers


def with_overhead(total_bytes: float) -> tuple[float, float]:
    """A total with the lower and the higher overhead of `OVERHEAD` added."""
    low, high = OVERHEAD
    return total_bytes * (1 + low), total_bytes * (1 + high)


def cards_needed(total_bytes: float, card_bytes: float) -> int:
    """`ceil(total_bytes / card_bytes)`: the fewest cards that hold a total, split evenly."""
    return math.ceil(total_bytes / card_bytes - 1e-9)


def tensor_parallel_cards(cards: int) -> int:
    """The next power of two, as tensor parallelism mostly wants it."""
    return 1 << max(cards - 1, 0).bit_length()
