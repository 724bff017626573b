"""How fast a prompt is read: arithmetic, and the weights once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note
from kb.sizing.operations import prefill_operations, read_bytes
from kb.sizing.roofline import Limit, Roof, Work
from kb.sizing.workload import Workload

PROMPT_TOKENS: Final = 2048
"""Of a prompt where no context is given."""


@dataclass(frozen=True, slots=True)
class Prefill:
    """Reading one prompt.

    Attributes:
        lines: `first_token` (seconds) and `prefill` (tokens/s).
        limit: what binds the upper bound.
    """

    lines: tuple[Line, ...]
    first_token: Bounds
    tokens_s: Bounds
    limit: Limit


def estimate_prefill(workload: Workload, roof: Roof) -> Prefill | None:
    """Reading one prompt of the workload's context; `None` where the card publishes neither rate."""
    prompt = workload.context_tokens or PROMPT_TOKENS
    operations = prefill_operations(workload, prompt)
    layout = roof.layout
    cards = layout.tensor * layout.pipeline
    weights = read_bytes(workload, prompt)
    # A prompt goes through a pipeline in chunks, so that all stages can be busy.
    least = Work(weights.low / layout.cards, operations / layout.cards)
    found = roof.time(least, Work(weights.high / cards, operations / cards), layers=workload.shape.layers)
    if found is None:
        return None
    seconds, limit = found
    inputs = [
        Input("weight_bytes", read_bytes(workload, prompt), "bytes", "derived"),
        Input("operations", Bounds.exactly(operations), "FLOP", "derived"),
        Input("cards", Bounds.exactly(layout.cards), basis="derived"),
    ]
    if roof.compute is not None and roof.compute.is_bounded:
        inputs.append(Input("rate", roof.compute.rate, "TFLOPS", "derived"))
    prompt_basis = "given" if workload.context_tokens else "assumed"
    tokens = Input("prompt", Bounds.exactly(prompt), basis=prompt_basis)  # type: ignore[arg-type]
    compute_notes = roof.compute.notes if roof.compute else (Note("no_compute"),)
    notes = (Note("roofline"), Note("one_prompt"), *compute_notes, Note(f"limit_{limit}"))
    speed = Bounds(prompt / seconds.high, prompt / seconds.low)
    lines = (
        Line(
            "first_token",
            seconds,
            "s",
            roof.formula("{weight_bytes}"),
            (*inputs, *roof.inputs, tokens),
            notes,
            gives="low",
        ),
        Line(
            "prefill",
            speed,
            "tokens/s",
            "{prompt} / {first_token}",
            (tokens, Input("first_token", seconds, "s", "derived")),
        ),
    )
    return Prefill(lines, seconds, speed, limit)
