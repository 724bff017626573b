"""How many numbers a model's weights hold, part by part, as they follow from its shape: exact, no estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.specs.model_shapes import ModelShape


@dataclass(frozen=True, slots=True)
class ParameterCount:
    """Parameters by part, over all layers.

    Attributes:
        embedding: the table of input tokens.
        head: the matrix of output tokens; 0 where the embedding serves as such.
        attention, feed_forward: matrices that every token uses, shared experts included.
        experts: matrices of all routed experts.
        router: matrices that choose experts.
        other: norms, biases and attention sinks.
        used_share: of the routed experts, how many a token uses, 0–1.
    """

    embedding: int
    head: int
    attention: int
    feed_forward: int
    experts: int
    router: int
    other: int
    used_share: float

    @property
    def total(self) -> int:
        """Every parameter: what memory has to hold."""
        return self.embedding + self.head + self.layers

    @property
    def layers(self) -> int:
        """All that stands in the layers."""
        return self.attention + self.feed_forward + self.experts + self.router + self.other

    @property
    def linear(self) -> int:
        """The matrices of the layers, which quantisation and adapters take hold of."""
        return self.attention + self.feed_forward + self.experts

    @property
    def active(self) -> int:
        """What one token uses: all but the routed experts that are not chosen."""
        return self.total - round(self.experts * (1 - self.used_share))

    @property
    def multiplied(self) -> int:
        """What one token is multiplied with: the active ones without the table that it is only looked up in."""
        return self.active - (self.embedding if self.head else 0)


def count_parameters(shape: ModelShape) -> ParameterCount:
    """The parameters of a shape."""
    moe = shape.moe
    dense_layers = moe.dense_layers if moe else shape.layers
    sparse_layers = shape.layers - dense_layers
    feed_forward = dense_layers * _feed_forward(shape, shape.intermediate)
    experts = router = 0
    if moe is not None:
        one = _feed_forward(shape, moe.intermediate)
        feed_forward += sparse_layers * moe.shared * one
        experts = sparse_layers * moe.experts * one
        router = sparse_layers * moe.experts * shape.hidden
    return ParameterCount(
        embedding=shape.vocab * shape.hidden,
        head=0 if shape.tied_embeddings else shape.vocab * shape.hidden,
        attention=shape.layers * _attention(shape),
        feed_forward=feed_forward,
        experts=experts,
        router=router,
        other=_norms(shape) + _biases(shape, sparse_layers),
        used_share=moe.per_token / moe.experts if moe else 1.0,
    )


def _feed_forward(shape: ModelShape, width: int) -> int:
    return (3 if shape.gated else 2) * shape.hidden * width


def _attention(shape: ModelShape) -> int:
    if shape.mla is None:
        return 2 * shape.hidden * (shape.heads + shape.kv_heads) * shape.head_dim
    mla = shape.mla
    queries = shape.heads * (mla.qk_nope_head_dim + mla.qk_rope_head_dim)
    query = mla.q_lora_rank * (shape.hidden + queries) if mla.q_lora_rank else shape.hidden * queries
    down = shape.hidden * (mla.kv_lora_rank + mla.qk_rope_head_dim)
    up = mla.kv_lora_rank * shape.heads * (mla.qk_nope_head_dim + mla.v_head_dim)
    return query + down + up + shape.heads * mla.v_head_dim * shape.hidden


def _norms(shape: ModelShape) -> int:
    per_layer = shape.norms_per_layer * shape.hidden
    if shape.mla is not None:
        per_layer += shape.mla.q_lora_rank + shape.mla.kv_lora_rank
    if shape.qk_norm:
        per_layer += 2 * shape.head_dim
    return shape.layers * per_layer + shape.hidden


def _biases(shape: ModelShape, sparse_layers: int) -> int:
    query, key_value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    count = shape.layers * (query + 2 * key_value) if shape.bias != "none" else 0
    if shape.bias == "all":
        count += shape.layers * shape.hidden
        width = shape.moe.intermediate if shape.moe else shape.intermediate
        one = (2 if shape.gated else 1) * width + shape.hidden
        count += sparse_layers * shape.moe.experts * (one + 1) if shape.moe else shape.layers * one
    if shape.attention_sinks:
        count += shape.layers * shape.heads
    if shape.moe is not None and shape.moe.router_bias:
        count += sparse_layers * shape.moe.experts
    return count
