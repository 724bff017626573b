"""One line of an estimate: a value with its formula, what went into it and what was assumed.

A formula is a template such as `{layers} × {kv_elements} × {bytes}`: filled with names it is the formula, filled with
values it is the calculation. Names, and the wording of notes, are data (`words.yaml`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kb.sizing.bounds import Bounds
from kb.specs.schema import Figure

Basis = Literal["given", "model", "card", "assumed", "derived", "format"]
"""Where an input comes from: the request, the model's shape, the card's record, an assumption, another line, or what
the number format is."""


@dataclass(frozen=True, slots=True)
class Input:
    """One number that went into a line.

    Attributes:
        name: key of `inputs` in `words.yaml`, and the place it takes in the formula.
        ref: where it stands: address of the model's configuration, or `gpu_id.field` of the catalogue.
        figure: the catalogue's figure, for an input of a card.
    """

    name: str
    value: Bounds
    unit: str = ""
    basis: Basis = "model"
    ref: str = ""
    figure: Figure | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader must know: a key of `notes` in `words.yaml` with its words."""

    key: str
    words: Mapping[str, str | float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Line:
    """A value of an estimate.

    Attributes:
        key: what it is; key of `lines` in `words.yaml`.
        unit: `bytes`, `s`, `tokens/s`, `J`, `USD` or empty for a count.
        formula: template over the names of `inputs`.
        gives: what the formula comes to: the value, or only its lower bound (a roofline).
    """

    key: str
    value: Bounds
    unit: str
    formula: str
    inputs: tuple[Input, ...] = ()
    notes: tuple[Note, ...] = ()
    gives: Literal["value", "low"] = "value"
