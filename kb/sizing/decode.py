"""How fast tokens are written: each step reads the weights once, and every sequence's cache."""

from __future__ import annotations

from dataclasses import dataclass

from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note
from kb.sizing.operations import decode_operations, read_bytes, read_cache_bytes, read_parameters
from kb.sizing.roofline import Limit, Roof, Work
from kb.sizing.workload import Workload


@dataclass(frozen=True, slots=True)
class Decode:
    """Writing tokens.

    Attributes:
        lines: `step` (seconds between two tokens of a sequence), `decode_total` and `decode_each` (tokens/s).
        limit: what binds the upper bound.
    """

    lines: tuple[Line, ...]
    step: Bounds
    tokens_s: Bounds
    limit: Limit


def step_time(workload: Workload, roof: Roof, sequences: int) -> tuple[Bounds, Limit] | None:
    """Seconds of a step in which each of so many sequences gets one token."""
    layout, shape = roof.layout, workload.shape
    weights, cache = read_bytes(workload, sequences), read_cache_bytes(workload, sequences)
    operations = decode_operations(workload, sequences)
    least = Work((weights.low + cache.low) / layout.cards, operations / layout.cards)
    of_replica = max(1, -(-sequences // layout.data))
    stages = min(layout.pipeline, of_replica)
    # Each stage reads its share of the weights for each of the batches that are under way, so that stages add up.
    copies = layout.tensor if shape.mla is not None else max(1.0, layout.tensor / shape.kv_heads)
    read = read_bytes(workload, of_replica).high / layout.tensor
    read += read_cache_bytes(workload, of_replica).high * copies / (layout.tensor * stages)
    common = Work(read, decode_operations(workload, of_replica) / (layout.tensor * stages))
    return roof.time(least, common, layers=shape.layers)


def estimate_decode(workload: Workload, roof: Roof) -> Decode | None:
    """Writing tokens with the workload's sequences at once; `None` where the card publishes neither rate."""
    found = step_time(workload, roof, workload.sequences)
    if found is None:
        return None
    step, limit = found
    each = Bounds(1 / step.high, 1 / step.low)
    total = each * workload.sequences
    inputs = _inputs(workload, roof)
    notes = (*_notes(workload, roof), Note(f"limit_{limit}"))
    formula = roof.formula("({weight_bytes} + {cache_bytes})" if workload.context_tokens else "{weight_bytes}")
    lines = (
        Line("step", step, "s", formula, inputs, notes, gives="low"),
        Line("decode_total", total, "tokens/s", "{sequences} / {step}", _of_step(workload, step)),
        Line("decode_each", each, "tokens/s", "1 / {step}", _of_step(workload, step)[1:]),
    )
    return Decode(lines, step, total, limit)


def _of_step(workload: Workload, step: Bounds) -> tuple[Input, ...]:
    return (
        Input("sequences", Bounds.exactly(workload.sequences), basis="given"),
        Input("step", step, "s", "derived"),
    )


def _inputs(workload: Workload, roof: Roof) -> tuple[Input, ...]:
    sequences = workload.sequences
    found = [
        Input("weight_bytes", read_bytes(workload, sequences), "bytes", "derived"),
        Input("cache_bytes", read_cache_bytes(workload, sequences), "bytes", "derived"),
        Input("operations", Bounds.exactly(decode_operations(workload, sequences)), "FLOP", "derived"),
        Input("cards", Bounds.exactly(roof.layout.cards), basis="derived"),
    ]
    if roof.compute is not None and roof.compute.is_bounded:
        found.append(Input("rate", roof.compute.rate, "TFLOPS", "derived"))
    return (*found, *roof.inputs)


def _notes(workload: Workload, roof: Roof) -> tuple[Note, ...]:
    notes = [Note("roofline"), Note("no_speculation")]
    if not workload.context_tokens:
        notes.append(Note("without_cache"))
    if workload.shape.moe is not None:
        read = read_parameters(workload, workload.sequences) / 1e9
        notes.append(Note("experts_read", {"read": round(read, 1), "sequences": workload.sequences}))
    if roof.layout.tensor > 1 and not roof.card.has_fast_link:
        notes.append(Note("over_pcie"))
    if roof.layout.pipeline > 1:
        notes.append(Note("pipeline"))
    return (*notes, *_missing(roof), *(roof.compute.notes if roof.compute else ()))


def _missing(roof: Roof) -> tuple[Note, ...]:
    missing = [] if roof.bandwidth else [Note("no_bandwidth")]
    return tuple(missing if roof.compute else [*missing, Note("no_compute")])
