"""What a card really computes a number format in, and how fast: dense, never with sparsity.

The upper bound must hold whatever an engine does: it takes the fastest unit that may be used. Where the figure that
would tell is not published there is no upper bound, rather than one that a measurement might beat. Four rules stand in
for figures that are hardly ever published, each checked against all cards that do publish them:

- packed 16-bit arithmetic of vector units runs at no more than twice their FP32 rate
- INT8 units run at no more than four times the 16-bit rate (with FP32 accumulate) of the same card
- FP8 units run at no more than four times, FP4 units at no more than eight times that rate
- 4-bit weights may be multiplied as INT8 (W4A8), or as FP8 where the card has it
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from kb.sizing.accelerator import Accelerator
from kb.sizing.bounds import Bounds
from kb.sizing.formats import NumberFormat
from kb.sizing.line import Input, Note

Support = Literal["native", "lacks", "not_published"]

PACKED: Final = 2
INT8_TIMES: Final = 4
TIMES: Final = {"fp8_tensor_tflops": 4, "fp4_tensor_tflops": 8}
"""How many times the 16-bit rate of matrix units a format that nobody publishes may reach."""
_VECTOR: Final = ("fp16_tflops", "fp32_tflops")


@dataclass(frozen=True, slots=True)
class ComputeRate:
    """The rate of one card.

    Attributes:
        field: of the catalogue, what it computes in.
        rate: 10¹² operations a second; from what it commonly computes in to the fastest that an engine may use;
            infinite where that is not published.
        support: `lacks` where the hardware has no such format, and computes in `field` instead.
        inputs: the figures behind it.
    """

    field: str
    rate: Bounds
    support: Support
    inputs: tuple[Input, ...]
    notes: tuple[Note, ...] = ()

    @property
    def is_bounded(self) -> bool:
        """Whether it limits anything."""
        return math.isfinite(self.rate.high)


def compute_rate(card: Accelerator, format_: NumberFormat) -> ComputeRate | None:
    """How fast a card computes weights of a format; `None` where nobody publishes any rate."""
    base = _first(card, format_.compute)
    if base is None:
        return None
    figure, rate, support = base
    notes = [] if support == "native" else [_support_note(format_, figure, support, rate)]
    best = _fastest(card, format_, rate)
    if best is not None and best.value.high > rate.high:
        notes.append(Note("faster_format", {"field": best.name}))
        inputs: tuple[Input, ...] = (figure, best)
        high = best.value.high
    else:
        inputs, high = (figure,), rate.high
        if math.isfinite(high) and format_.multiplies_as_int8 and card.state("int8_tops") == "not_published":
            high = max(high, INT8_TIMES * rate.high)
            notes.append(Note("int8_not_published"))
    return ComputeRate(figure.name, Bounds(rate.low, high), support, inputs, tuple(notes))


def _first(card: Accelerator, keys: tuple[str, ...]) -> tuple[Input, Bounds, Support] | None:
    """The first field that says something; what stands before it the hardware lacks, or nobody publishes."""
    wanted = keys[0]
    matrix = tuple(key for key in keys if key not in _VECTOR)
    published = card.rates(keys)
    found = next((key for key in keys if key in published), None)
    if found is None:
        return None
    figure = published[found]
    if found == wanted:
        return figure, figure.value, "native"
    own_missing = card.state(wanted) == "not_published"
    stands_in = found in matrix and {found, wanted} <= {"fp16_tensor_tflops", "bf16_tensor_tflops"}
    if own_missing and not stands_in:
        most = TIMES.get(wanted, math.inf) if found in matrix else math.inf
        return figure, Bounds(figure.value.low, most * figure.value.high), "not_published"
    if found in _VECTOR and any(card.state(key) == "not_published" for key in matrix):
        return figure, Bounds(figure.value.low, math.inf), "not_published"
    packed = PACKED if found == "fp32_tflops" and wanted != "fp32_tflops" else 1
    return figure, Bounds(figure.value.low, packed * figure.value.high), "lacks"


def _fastest(card: Accelerator, format_: NumberFormat, rate: Bounds) -> Input | None:
    """The fastest other unit that may be used, where it is published."""
    faster = card.rates(format_.faster) if math.isfinite(rate.high) else {}
    return max(faster.values(), key=lambda item: item.value.high, default=None)


def _support_note(format_: NumberFormat, figure: Input, support: Support, rate: Bounds) -> Note:
    if support == "not_published" and math.isfinite(rate.high):
        times = round(rate.high / figure.value.high)
        return Note("format_bounded", {"format": format_.name.upper(), "field": figure.name, "times": times})
    return Note(f"format_{support}", {"format": format_.name.upper(), "field": figure.name})
