"""How many sequences at once: as many as the caches fit, and as many as keep each step within its time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from kb.sizing.bounds import Bounds
from kb.sizing.decode import step_time
from kb.sizing.kv_cache import cache_bytes
from kb.sizing.line import Input, Line, Note
from kb.sizing.memory import estimate_memory
from kb.sizing.placement import on_each_card
from kb.sizing.roofline import Roof
from kb.sizing.search import largest
from kb.sizing.weights import weights_bytes
from kb.sizing.workload import Workload

_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Concurrency:
    """Sequences at once on one replica.

    Attributes:
        limit: what binds it: `memory` or `latency`.
    """

    lines: tuple[Line, ...]
    sequences: Bounds
    limit: Literal["memory", "latency"]


def estimate_concurrency(workload: Workload, roof: Roof) -> Concurrency | None:
    """Sequences that fit; `None` without a context, since a cache then has no size."""
    if not workload.context_tokens or workload.trains:
        return None
    by_memory = _by_memory(workload, roof)
    capacity = roof.card.capacity
    line = Line(
        "by_memory",
        by_memory,
        "",
        "({cards} × {capacity} − {weights} − {rest}) / {cache_each}",
        (
            Input("cards", Bounds.exactly(roof.layout.cards), basis="derived"),
            Input("capacity", capacity, "bytes", "card", f"{roof.card.gpu_id}.memory_gb", roof.card.memory.figure),
            Input("weights", weights_bytes(workload), "bytes", "derived"),
            Input("rest", _rest(workload, roof), "bytes", "derived"),
            Input("cache_each", cache_bytes(replace(workload, sequences=1)), "bytes", "derived"),
        ),
        _notes(workload, roof),
    )
    if workload.target_tpot_ms is None:
        return Concurrency((line,), by_memory, "memory")
    by_latency = _by_latency(workload, roof, workload.target_tpot_ms / 1e3)
    target = Input("target", Bounds.exactly(workload.target_tpot_ms), "ms", "given")
    latency = Line("by_latency", by_latency, "", "max n : step(n) ≤ {target}", (target,), (Note("latency_bounds"),))
    both = Bounds(min(by_memory.low, by_latency.low), min(by_memory.high, by_latency.high))
    limit: Literal["memory", "latency"] = "memory" if by_memory.high <= by_latency.high else "latency"
    return Concurrency((line, latency, Line("concurrency", both, "", "min")), both, limit)


def _notes(workload: Workload, roof: Roof) -> tuple[Note, ...]:
    copied = workload.shape.mla is not None and roof.layout.tensor > 1
    return (Note("full_context"), Note("latent_copies")) if copied else (Note("full_context"),)


def _rest(workload: Workload, roof: Roof) -> Bounds:
    """What neither weights nor caches take, over all cards."""
    memory = estimate_memory(workload)
    held = on_each_card(memory, roof.layout, roof.card) * roof.layout.cards
    used = memory.part("weights") + memory.part("kv_cache")
    return Bounds(max(0.0, held.low - used.low), max(0.0, held.high - used.high))


def _by_memory(workload: Workload, roof: Roof) -> Bounds:
    capacity = roof.card.capacity

    def need(sequences: int) -> Bounds:
        return on_each_card(estimate_memory(replace(workload, sequences=sequences)), roof.layout, roof.card)

    least = largest(lambda n: need(n).high <= capacity.low, _MOST)
    return Bounds(least, max(least, largest(lambda n: need(n).low <= capacity.high, _MOST)))


def _by_latency(workload: Workload, roof: Roof, target_s: float) -> Bounds:
    def step(sequences: int) -> Bounds:
        found = step_time(workload, roof, sequences)
        return found[0] if found else Bounds(math.inf, math.inf)

    least = largest(lambda n: step(n).high <= target_s, _MOST)
    return Bounds(least, largest(lambda n: step(n).low <= target_s, _MOST))
