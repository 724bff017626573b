"""Bytes of the KV cache: what attention keeps of every token.

With keys and values (MHA, GQA, MQA) `2 × layers × kv_heads × head_dim × bytes` for a token (Pope et al., Efficiently
Scaling Transformer Inference, 2022); with multi-head latent attention `layers × (kv_lora_rank + qk_rope_head_dim) ×
bytes` (DeepSeek-V2, 2024, section 2.1). Layers with a sliding window keep at most the window's tokens.
"""

from __future__ import annotations

from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note
from kb.sizing.workload import Workload
from kb.specs.model_shapes import ModelShape

_ALL_SLIDE = "{sliding_layers} × {window}"


def kv_elements_per_layer(shape: ModelShape) -> int:
    """Numbers that one layer keeps of one token."""
    if shape.mla is not None:
        return shape.mla.kv_lora_rank + shape.mla.qk_rope_head_dim
    return 2 * shape.kv_heads * shape.head_dim


def kept_tokens(shape: ModelShape, tokens: int) -> int:
    """Tokens kept, summed over the layers."""
    if shape.sliding_window is None:
        return shape.layers * tokens
    sliding = shape.sliding_layers
    return (shape.layers - sliding) * tokens + sliding * min(tokens, shape.sliding_window.tokens)


def kv_cache_bytes(shape: ModelShape, tokens: int, sequences: int, bytes_per_element: float) -> float:
    """The cache of so many sequences of so many tokens."""
    return sequences * kept_tokens(shape, tokens) * kv_elements_per_layer(shape) * bytes_per_element


def cache_bytes(workload: Workload) -> Bounds:
    """The cache of a workload; nothing where no context is given."""
    elements = kv_cache_bytes(workload.shape, workload.tokens, workload.sequences, 1.0)
    return workload.kv_format.cache_bytes * elements


def estimate_kv_cache(workload: Workload) -> Line:
    """The KV cache of a workload; of one token where no context is given."""
    shape, format_ = workload.shape, workload.kv_format
    inputs, elements = _elements(workload)
    per_token = workload.context_tokens is None
    tokens = workload.context_tokens or 1
    sequences = 1 if per_token else workload.sequences
    value = format_.cache_bytes * kv_cache_bytes(shape, tokens, sequences, 1.0)
    inputs.append(Input("kv_bytes", format_.cache_bytes, "bytes", "format"))
    notes = list(_notes(workload))
    if per_token:
        return Line(
            "kv_per_token", value, "bytes", f"{{layers}} × {elements} × {{kv_bytes}}", tuple(inputs), tuple(notes)
        )
    inputs += [
        Input("tokens", Bounds.exactly(tokens), basis="given"),
        Input("sequences", Bounds.exactly(sequences), basis="given" if sequences > 1 else "assumed"),
    ]
    layers = "{layers} × {tokens}"
    if shape.sliding_window is not None and tokens > shape.sliding_window.tokens:
        full_layers = shape.layers - shape.sliding_layers
        layers = "({full_layers} × {tokens} + {sliding_layers} × {window})" if full_layers else _ALL_SLIDE
        inputs[:1] = [
            _of_shape(workload, "full_layers", full_layers),
            _of_shape(workload, "sliding_layers", shape.sliding_layers),
            _of_shape(workload, "window", shape.sliding_window.tokens),
        ]
        notes.append(Note("sliding"))
    formula = f"{layers} × {elements} × {{kv_bytes}} × {{sequences}}"
    return Line("kv_cache", value, "bytes", formula, tuple(inputs), tuple(notes))


def _elements(workload: Workload) -> tuple[list[Input], str]:
    shape = workload.shape
    layers = _of_shape(workload, "layers", shape.layers)
    if shape.mla is not None:
        rank = _of_shape(workload, "kv_lora_rank", shape.mla.kv_lora_rank)
        rope = _of_shape(workload, "qk_rope_head_dim", shape.mla.qk_rope_head_dim)
        return [layers, rank, rope], "({kv_lora_rank} + {qk_rope_head_dim})"
    heads = _of_shape(workload, "kv_heads", shape.kv_heads)
    return [layers, heads, _of_shape(workload, "head_dim", shape.head_dim)], "2 × {kv_heads} × {head_dim}"


def _of_shape(workload: Workload, name: str, value: float) -> Input:
    basis = "given" if workload.shape_basis == "given" else "model" if workload.shape_basis == "named" else "assumed"
    return Input(name, Bounds.exactly(value), basis=basis, ref=workload.shape.source)  # type: ignore[arg-type]


def _notes(workload: Workload) -> tuple[Note, ...]:
    if workload.context_tokens and workload.context_tokens > workload.shape.max_context:
        words: dict[str, str | float] = {"tokens": workload.context_tokens, "limit": workload.shape.max_context}
        words["model"] = workload.shape.name
        return (Note("beyond_context", words),)
    return ()
