"""Bytes of activations: what a step keeps besides weights and cache.

Training keeps for the backward pass, of each layer and token, the inputs of its norms and matrices and what attention
and the gate need again. Counted tensor by tensor as Korthikanti et al. do (Reducing Activation Recomputation in Large
Transformer Models, 2022), for today's layer: FlashAttention, grouped keys and values, a gated feed-forward block and no
dropout. In 16-bit elements, with h hidden, q and kv the widths of queries and of keys, f the inner width:

    4 h       inputs of two norms and of the two groups of matrices behind them
    2 q + 2 kv  queries, keys, values and the output of attention (and 4 bytes a head for its normaliser)
    4 f       gate, up, the gate's activation and their product; 3 f where a kernel fuses the last steps

Norms computed by separate operations keep their input and its normalised form in FP32, 8 h bytes instead of 2 h (the
upper bound, which is what eager PyTorch keeps to the byte). With full recomputation a layer keeps
its input alone, h, and one layer at a time is computed anew. The logits come on top: none of them where the loss is
computed in pieces, else a 16-bit and two 32-bit copies.

Inference keeps only what one layer works on, for the tokens of one chunk of a prompt.
"""

from __future__ import annotations

from typing import Final

from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note
from kb.sizing.workload import Workload
from kb.specs.model_shapes import ModelShape

_HALF: Final = 2
_SINGLE: Final = 4
CHUNK_TOKENS: Final = (2048, 8192)
"""Prompt tokens that engines take in one step: vLLM's defaults for short and long steps."""
COPIES: Final = (1, 2)
"""Of a layer's intermediate results: one where they are reused, two where input and output stand side by side."""
LOGIT_BYTES: Final = (0, 2 + 4 + 4)


def estimate_activations(workload: Workload) -> Line:
    """The activations of one step."""
    return _of_training(workload) if workload.trains else _of_inference(workload)


def layer_bytes_per_token(shape: ModelShape) -> Bounds:
    """What one layer keeps of one token for the backward pass: with fused kernels, and with separate operations."""
    queries, keys = _attention_width(shape), _keys_width(shape)
    inner = _inner_width(shape)
    fixed = _HALF * (4 * shape.hidden + 2 * queries + 2 * keys) + _SINGLE * (shape.heads + 2)
    separate = 2 * (2 * _SINGLE - _HALF) * shape.hidden
    return Bounds(fixed + _HALF * 3 * inner, fixed + _HALF * 4 * inner + separate)


def activation_bytes(workload: Workload) -> Bounds:
    """The activations of one step."""
    if not workload.trains:
        return workspace_bytes(workload)
    shape = workload.shape
    layer = layer_bytes_per_token(shape)
    kept = layer * shape.layers
    if workload.recompute == "full":
        kept = Bounds.exactly(_HALF * shape.hidden * shape.layers) + layer
    return (kept + _logits_per_token(shape)) * (workload.tokens * workload.sequences)


def _logits_per_token(shape: ModelShape) -> Bounds:
    low, high = (shape.vocab * each for each in LOGIT_BYTES)
    return Bounds(low, high)


def _of_training(workload: Workload) -> Line:
    shape = workload.shape
    formula = "{tokens} × {sequences} × ({layers} × {layer_bytes} + {logit_bytes})"
    if workload.recompute == "full":
        formula = "{tokens} × {sequences} × ({layers} × 2 × {hidden} + {layer_bytes} + {logit_bytes})"
    inputs = (
        Input("tokens", Bounds.exactly(workload.tokens), basis="given" if workload.context_tokens else "assumed"),
        Input("sequences", Bounds.exactly(workload.sequences), basis="given"),
        Input("layers", Bounds.exactly(shape.layers), ref=shape.source),
        Input("hidden", Bounds.exactly(shape.hidden), ref=shape.source),
        Input("layer_bytes", layer_bytes_per_token(shape), "bytes", "derived"),
        Input("logit_bytes", _logits_per_token(shape), "bytes", "derived"),
    )
    notes = (Note("recompute_full" if workload.recompute == "full" else "recompute_none"), Note("per_replica"))
    return Line("activations", activation_bytes(workload), "bytes", formula, inputs, notes)


def _of_inference(workload: Workload) -> Line:
    shape = workload.shape
    low, high = _chunk(workload)
    inputs = (
        Input("copies", Bounds(*map(float, COPIES)), basis="assumed"),
        Input("chunk", Bounds(low, high), basis="assumed"),
        Input("hidden", Bounds.exactly(shape.hidden), ref=shape.source),
        Input("widest", Bounds.exactly(_widest(shape)), basis="derived"),
        Input("logits", _logits(workload), "bytes", "derived"),
    )
    formula = "{copies} × {chunk} × (2 × {hidden} + {widest}) × 2 + {logits}"
    return Line("activations", workspace_bytes(workload), "bytes", formula, inputs, (Note("workspace"),))


def workspace_bytes(workload: Workload, tensor: int = 1) -> Bounds:
    """What a card works on in a step of inference; tensor parallelism splits the widest results alone."""
    elements = 2 * workload.shape.hidden + _widest(workload.shape) / tensor
    low, high = (copies * chunk * elements * _HALF for copies, chunk in zip(COPIES, _chunk(workload), strict=True))
    return Bounds(low, high) + _logits(workload)


def _chunk(workload: Workload) -> tuple[int, int]:
    waiting = workload.tokens * workload.sequences
    low, high = (min(chunk, waiting) if waiting else chunk for chunk in CHUNK_TOKENS)
    return low, high


def _widest(shape: ModelShape) -> int:
    return max(_attention_width(shape) + 2 * _keys_width(shape), 2 * _inner_width(shape))


def _logits(workload: Workload) -> Bounds:
    """In FP32, and a second time where sampling sorts them."""
    return Bounds(0.0, float(workload.sequences * workload.shape.vocab * _SINGLE * 2))


def _attention_width(shape: ModelShape) -> int:
    """Width of all queries together."""
    if shape.mla is not None:
        return shape.heads * (shape.mla.qk_nope_head_dim + shape.mla.qk_rope_head_dim)
    return shape.heads * shape.head_dim


def _keys_width(shape: ModelShape) -> int:
    """Width of all keys together; in training latent attention unfolds them to every head."""
    return _attention_width(shape) if shape.mla is not None else shape.kv_heads * shape.head_dim


def _inner_width(shape: ModelShape) -> int:
    """Inner width that one token passes through: of all experts it uses."""
    if shape.moe is None:
        return shape.intermediate
    return max(shape.moe.intermediate * (shape.moe.per_token + shape.moe.shared), shape.intermediate)
