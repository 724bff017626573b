"""What the numbers of a text are and what stands behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["supported", "derived", "unsupported"]
NoFigureKind = Literal[
    "count",
    "card",
    "format",
    "model_size",
    "resolution",
    "date",
    "version",
    "ordinal",
    "list_number",
    "citation",
    "code",
]
"""What a number of a text is that states no property."""
FactKind = Literal["figure", "word", "derived", "number", NoFigureKind]
"""What a number, or a named value, of a text is; see `kb.answer.gate`."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One number of an answer and what stands behind it.

    Attributes:
        kind: `figure`, `word`, or what a number is that is no figure: `card`, `format`, `list_number`…
        text: as it stands in the answer, at [start, end); `None` where its words could not be placed.
    """

    gpu_id: str | None
    field: str | None
    value: float | str
    unit: str | None
    qualifier: str | None
    source_id: str | None
    verdict: Verdict
    kind: FactKind = "figure"
    text: str = ""
    start: int | None = None
    end: int | None = None
