"""LoRA adapters: for a matrix of `inputs × outputs` they have `rank × (inputs + outputs)` parameters.

Hu et al., LoRA (2021). Counted on every linear layer of attention and of the feed-forward block, as the QLoRA paper
recommends (Dettmers et al., 2023, section 4); of a mixture of experts not on the routed experts.
"""

from __future__ import annotations

from collections.abc import Iterator

from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note
from kb.sizing.workload import Workload
from kb.specs.model_shapes import ModelShape

_BYTES = 4.0


def adapter_parameters(shape: ModelShape, rank: int) -> int:
    """Trained parameters of adapters of that rank."""
    attention = sum(inputs + outputs for inputs, outputs in _attention(shape))
    matrices = 3 if shape.gated else 2
    dense_layers = shape.moe.dense_layers if shape.moe else shape.layers
    feed_forward = dense_layers * matrices * (shape.hidden + shape.intermediate)
    if shape.moe is not None:
        one = matrices * (shape.hidden + shape.moe.intermediate)
        feed_forward += (shape.layers - dense_layers) * shape.moe.shared * one
    return rank * (shape.layers * attention + feed_forward)


def _attention(shape: ModelShape) -> Iterator[tuple[int, int]]:
    """Widths in and out of the matrices of one layer's attention."""
    hidden = shape.hidden
    if shape.mla is None:
        queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        yield from ((hidden, queries), (hidden, keys), (hidden, keys), (queries, hidden))
        return
    mla = shape.mla
    queries = shape.heads * (mla.qk_nope_head_dim + mla.qk_rope_head_dim)
    if mla.q_lora_rank:
        yield from ((hidden, mla.q_lora_rank), (mla.q_lora_rank, queries))
    else:
        yield hidden, queries
    yield hidden, mla.kv_lora_rank + mla.qk_rope_head_dim
    yield mla.kv_lora_rank, shape.heads * (mla.qk_nope_head_dim + mla.v_head_dim)
    yield shape.heads * mla.v_head_dim, hidden


def adapter_bytes(workload: Workload) -> Bounds:
    """Bytes of the adapters."""
    return Bounds.exactly(adapter_parameters(workload.shape, workload.lora_rank) * _BYTES)


def estimate_adapters(workload: Workload) -> Line:
    """The adapters themselves, in FP32."""
    trained = adapter_parameters(workload.shape, workload.lora_rank)
    inputs = (
        Input("trained", Bounds.exactly(trained), basis="derived"),
        Input("bytes", Bounds.exactly(_BYTES), "bytes", "format"),
    )
    notes = [Note("lora_rank", {"rank": workload.lora_rank})]
    if workload.shape.moe is not None:
        notes.append(Note("lora_without_experts"))
    return Line("adapters", adapter_bytes(workload), "bytes", "{trained} × {bytes}", inputs, tuple(notes))
