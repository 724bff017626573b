"""What a card really computes a number format in, and how fast: matrix units, dense, never with sparsity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kb.sizing.accelerator import Accelerator
from kb.sizing.bounds import Bounds
from kb.sizing.formats import NumberFormat
from kb.sizing.line import Input, Note

Support = Literal["native", "lacks", "not_published"]


@dataclass(frozen=True, slots=True)
class ComputeRate:
    """The rate of one card.

    Attributes:
        field: of the catalogue, what it computes in.
        rate: 10¹² operations a second; the upper bound is the fastest format an engine may use for such weights.
        support: `lacks` where the hardware has no such format, and computes in `field` instead.
        inputs: the figures behind it.
    """

    field: str
    rate: Bounds
    support: Support
    inputs: tuple[Input, ...]
    notes: tuple[Note, ...] = ()


def compute_rate(card: Accelerator, format_: NumberFormat) -> ComputeRate | None:
    """How fast a card computes weights of a format; `None` where nobody publishes a rate."""
    rates = card.rates(format_.compute)
    field = next((key for key in format_.compute if key in rates), None)
    if field is None:
        return None
    own = rates[field]
    faster = card.rates(format_.faster) if field == format_.compute[0] or len(format_.faster) > 1 else {}
    best_key = max(faster, key=lambda key: faster[key].value.high, default=field)
    best = faster.get(best_key, own)
    notes: list[Note] = []
    support = _support(card, format_, field)
    if support != "native":
        notes.append(Note(f"format_{support}", {"format": format_.name.upper(), "field": field}))
    if best.value.high > own.value.high:
        notes.append(Note("faster_format", {"field": best_key}))
    rate = Bounds(own.value.low, max(own.value.high, best.value.high))
    inputs = (own,) if best.value.high <= own.value.high else (own, best)
    return ComputeRate(field, rate, support, inputs, tuple(notes))


def _support(card: Accelerator, format_: NumberFormat, field: str) -> Support:
    wanted = format_.compute[0]
    if field == wanted:
        return "native"
    return "lacks" if card.state(wanted) == "not_supported" else "not_published"
