"""A small transformer of today's kind in plain torch, to measure what training keeps: no library hides a tensor."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


class FusedNorm(torch.autograd.Function):
    """RMSNorm as a fused kernel does it: keeps its input and one factor a token."""

    @staticmethod
    def forward(ctx, x, weight):
        factor = x.float().pow(2).mean(-1, keepdim=True).add(1e-6).rsqrt()
        ctx.save_for_backward(x, weight, factor)
        return (x.float() * factor).to(x.dtype) * weight

    @staticmethod
    def backward(ctx, grad):
        x, weight, factor = ctx.saved_tensors
        normed = x.float() * factor
        scaled = grad.float() * weight.float()
        inner = scaled - normed * (scaled * normed).mean(-1, keepdim=True)
        return (inner * factor).to(x.dtype), (grad.float() * normed).flatten(0, -2).sum(0).to(weight.dtype)


class FusedGate(torch.autograd.Function):
    """`silu(gate) × up` as a fused kernel does it: keeps the two alone."""

    @staticmethod
    def forward(ctx, gate, up):
        ctx.save_for_backward(gate, up)
        return functional.silu(gate) * up

    @staticmethod
    def backward(ctx, grad):
        gate, up = ctx.saved_tensors
        sigmoid = torch.sigmoid(gate)
        slope = sigmoid * (1 + gate * (1 - sigmoid))
        return grad * up * slope, grad * gate * sigmoid


class Norm(nn.RMSNorm):
    """RMSNorm, by torch's own operations or as one kernel."""

    def __init__(self, hidden, *, fused):
        super().__init__(hidden)
        self.fused = fused

    def forward(self, x):
        return FusedNorm.apply(x, self.weight) if self.fused else super().forward(x)


class Layer(nn.Module):
    """RMSNorm, grouped-query attention with rotary positions, and a gated feed-forward block."""

    def __init__(self, hidden, heads, kv_heads, head_dim, inner, *, fused):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim, self.fused = heads, kv_heads, head_dim, fused
        self.first_norm, self.second_norm = Norm(hidden, fused=fused), Norm(hidden, fused=fused)
        self.query = nn.Linear(hidden, heads * head_dim, bias=False)
        self.key = nn.Linear(hidden, kv_heads * head_dim, bias=False)
        self.value = nn.Linear(hidden, kv_heads * head_dim, bias=False)
        self.out = nn.Linear(heads * head_dim, hidden, bias=False)
        self.gate = nn.Linear(hidden, inner, bias=False)
        self.up = nn.Linear(hidden, inner, bias=False)
        self.down = nn.Linear(inner, hidden, bias=False)

    def forward(self, x, cos, sin):
        normed = self.first_norm(x)
        query = _rotated(self._split(self.query(normed), self.heads), cos, sin)
        key = _rotated(self._split(self.key(normed), self.kv_heads), cos, sin)
        value = self._split(self.value(normed), self.kv_heads)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        normed = self.second_norm(x)
        gate, up = self.gate(normed), self.up(normed)
        return x + self.down(FusedGate.apply(gate, up) if self.fused else functional.silu(gate) * up)

    def _split(self, x, heads):
        return x.unflatten(-1, (heads, self.head_dim)).transpose(1, 2)


class Transformer(nn.Module):
    """Embedding, layers, a last norm and an output matrix."""

    def __init__(self, layers, hidden, heads, kv_heads, head_dim, inner, vocab, *, fused=False, recompute=False):
        super().__init__()
        self.embedding = nn.Embedding(vocab, hidden)
        made = (Layer(hidden, heads, kv_heads, head_dim, inner, fused=fused) for _ in range(layers))
        self.layers = nn.ModuleList(made)
        self.norm = Norm(hidden, fused=fused)
        self.head = nn.Linear(hidden, vocab, bias=False)
        self.head_dim, self.recompute = head_dim, recompute

    def hidden_states(self, tokens):
        x = self.embedding(tokens)
        cos, sin = _rotary(tokens.shape[1], self.head_dim, x.dtype)
        for layer in self.layers:
            x = checkpoint(layer, x, cos, sin, use_reentrant=True) if self.recompute else layer(x, cos, sin)
        return x

    def forward(self, tokens):
        return self.head(self.norm(self.hidden_states(tokens)))


def kept_bytes(model, tokens):
    """What autograd keeps of the layers for the backward pass, besides parameters; each tensor once."""
    own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    kept = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        states = model.hidden_states(tokens)  # held until the sum is taken, so that no address is used twice
    return sum(kept.values()), states


def _rotary(length, head_dim, dtype):
    frequencies = 10000.0 ** (-torch.arange(0, head_dim, 2) / head_dim)
    angles = torch.outer(torch.arange(length), frequencies).repeat(1, 2)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def _rotated(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cos + turned * sin
