"""The longest context that cards hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kb.sizing.bounds import Bounds
from kb.sizing.estimate import CardEstimate
from kb.sizing.memory import estimate_memory
from kb.sizing.placement import on_each_card
from kb.sizing.search import largest


@dataclass(frozen=True, slots=True)
class Longest:
    """Tokens of each sequence: those that surely fit, and those that may.

    Attributes:
        limit: what binds the upper one: `memory`, or what the `model` was made for.
    """

    tokens: Bounds
    limit: Literal["memory", "model"]


def longest_context(found: CardEstimate) -> Longest | None:
    """The longest context of each sequence; `None` where not even the weights fit."""
    layout, card, workload = found.layout, found.card, found.memory.workload
    if layout is None:
        return None

    def need(tokens: int) -> Bounds:
        return on_each_card(estimate_memory(replace(workload, context_tokens=tokens)), layout, card)

    most = workload.shape.max_context
    high = largest(lambda n: need(n).low <= card.capacity.high, most)
    if high == 0:
        return None
    low = largest(lambda n: need(n).high <= card.capacity.low, most)
    return Longest(Bounds(min(low, high), high), "model" if high == most else "memory")
