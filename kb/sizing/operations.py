"""Operations and bytes of a step of a transformer.

A token costs 2 operations for each parameter it uses, and attention 4 × heads × head_dim for each token it looks back
on, in every layer (Kaplan et al., Scaling Laws for Neural Language Models, 2020, table 1; Chowdhery et al., PaLM, 2022,
appendix B). Looking up an embedding costs nothing.
"""

from __future__ import annotations

from kb.sizing.bounds import Bounds
from kb.sizing.kv_cache import kept_tokens, kv_elements_per_layer
from kb.sizing.weights import weights_bytes
from kb.sizing.workload import Workload
from kb.specs.model_shapes import ModelShape


def used_parameters(workload: Workload, *, with_head: bool = True) -> float:
    """Parameters that a token is multiplied with."""
    count = workload.shape.count
    used = count.multiplied if with_head else count.active - count.embedding - count.head
    return used * workload.scale


def read_parameters(workload: Workload, sequences: int) -> float:
    """Parameters read in a decode step of so many sequences.

    Of routed experts those that any token of the step is sent to, `1 − (1 − used/all)^sequences` of them if all are
    chosen equally often.
    """
    count = workload.shape.count
    skipped = count.embedding if count.head else 0
    unread = count.experts * (1 - count.used_share) ** sequences
    return (count.total - skipped - unread) * workload.scale


def read_bytes(workload: Workload, sequences: int) -> Bounds:
    """Bytes of the weights read in a decode step."""
    return weights_bytes(workload) * (read_parameters(workload, sequences) / workload.parameters)


def read_cache_bytes(workload: Workload, sequences: int) -> Bounds:
    """Bytes of the KV cache read in a decode step."""
    elements = sequences * kept_tokens(workload.shape, workload.tokens) * kv_elements_per_layer(workload.shape)
    return workload.kv_format.cache_bytes * elements


def decode_operations(workload: Workload, sequences: int) -> float:
    """Operations of a decode step."""
    shape = workload.shape
    looked_at = kept_tokens(shape, workload.tokens)
    if shape.mla is not None:
        # Queries and values are taken into the latent space, so that the cache need not be unfolded.
        attention = 2 * shape.heads * (2 * shape.mla.kv_lora_rank + shape.mla.qk_rope_head_dim) * looked_at
    else:
        attention = 4 * shape.heads * shape.head_dim * looked_at
    return sequences * (2 * used_parameters(workload) + attention)


def prefill_operations(workload: Workload, prompt_tokens: int) -> float:
    """Operations to take in one prompt; only its last token needs the output matrix."""
    return 2 * used_parameters(workload, with_head=False) * prompt_tokens + causal_operations(
        workload.shape, prompt_tokens
    )


def causal_operations(shape: ModelShape, tokens: int) -> float:
    """Operations of attention over a sequence, each token looking at those before it."""
    if shape.mla is not None:
        width = shape.heads * (shape.mla.qk_nope_head_dim + shape.mla.qk_rope_head_dim + shape.mla.v_head_dim)
    else:
        width = 2 * shape.heads * shape.head_dim
    pairs = (shape.layers - shape.sliding_layers) * tokens * tokens / 2
    if shape.sliding_window is not None:
        window = min(tokens, shape.sliding_window.tokens)
        pairs += shape.sliding_layers * (tokens - window / 2) * window
    return 2 * width * pairs
