"""Amounts with what bounds them: comparators, ranges, alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from kb.selection.interpretation.comparators import (
    OPPOSITE,
    comparator_after,
    comparator_before,
    remarked,
    take_comparator,
)
from kb.selection.interpretation.tokens import Token
from kb.selection.requirement import Operator

_MOST_BETWEEN: Final = 6
ABOUT: Final = 0.1
"""How far "about" reaches to both sides."""


@dataclass(slots=True)
class Amount:
    """An amount of the text, bounded.

    Attributes:
        first, last: positions of its tokens, ranges and alternatives taken together.
        unit: canonical; empty where none is written.
        bounds: operators with their values, in that unit; for `in` several values.
        is_bare: no comparator stands by it.
        is_about: it is only about so much.
        used: whether a condition was made of it.
    """

    first: int
    last: int
    unit: str
    bounds: list[tuple[Operator, float | tuple[float, ...]]]
    is_bare: bool = False
    is_about: bool = False
    used: bool = False


def join_parted_units(tokens: Sequence[Token]) -> None:
    """Give a number the unit that other words part from it: `200 INT8 TOPS`, `200 dense TOPS`."""
    for position, token in enumerate(tokens):
        if token.quantity is None or token.quantity.unit:
            continue
        for following in tokens[position + 1 : position + 6]:
            if following.is_a("unit"):
                scale, unit = _UNITS.get(following.get("unit"), (1.0, "TOPS"))
                token.quantity = replace(token.quantity, value=token.quantity.value * scale, unit=unit)
                following.used = "unit"
                break
            if not following.is_a("precision", "tensor", "dense", "sparse", "vector", "compute", "filler"):
                break


_UNITS: Final = {
    "tops": (1.0, "TOPS"),
    "pops": (1000.0, "TOPS"),
    "tflops": (1.0, "TFLOPS"),
    "teraflops": (1.0, "TFLOPS"),
    "万亿次": (1.0, "TFLOPS"),
    "万亿次浮点": (1.0, "TFLOPS"),
    "pflops": (1000.0, "TFLOPS"),
    "petaflops": (1000.0, "TFLOPS"),
    "千万亿次": (1000.0, "TFLOPS"),
    "gflops": (0.001, "TFLOPS"),
}


def read_amounts(tokens: Sequence[Token]) -> list[Amount]:
    """Every amount with its bounds, in order; comparators, range words and joints are marked as used."""
    found: list[Amount] = []
    position = 0
    while position < len(tokens):
        if tokens[position].kind == "amount":
            amount = _range(tokens, position) or _alternatives(tokens, position) or _single(tokens, position)
            _inherit(tokens, amount, found)
            found.append(amount)
            position = amount.last
        position += 1
    return found


def _inherit(tokens: Sequence[Token], amount: Amount, earlier: Sequence[Amount]) -> None:
    """A bare amount joined to another one has its comparator ("at least 24 GB and 200 TOPS", "… or 200 TOPS")."""
    if not amount.is_bare or not earlier or len(earlier[-1].bounds) != 1:
        return
    between = tokens[earlier[-1].last + 1 : amount.first]
    operator = earlier[-1].bounds[0][0]
    joined = between and between[-1].is_a("and", "or") and not any(token.kind == "mark" for token in between)
    if joined and operator in OPPOSITE and not any(token.is_a("after") for token in between):
        amount.bounds = [(operator, value) for _, value in amount.bounds]
        amount.is_bare = False


def _range(tokens: Sequence[Token], position: int) -> Amount | None:
    quantity = tokens[position].quantity
    if quantity is None:
        return None
    if quantity.high is not None:
        _mark_range(tokens, position, position)
        return Amount(position, position, quantity.unit, [("gte", quantity.value), ("lte", quantity.high)])
    joint, following = position + 1, position + 2
    if following >= len(tokens) or tokens[following].quantity is None:
        return None
    to = tokens[joint].is_a("to")
    has_frame = _before(tokens, position, "between") or _is(tokens, following + 1, "range_end")
    if not (to or (tokens[joint].is_a("and") and has_frame)):
        return None
    other = tokens[following].quantity
    if other is None or (quantity.unit and other.unit and quantity.unit != other.unit):
        return None
    tokens[joint].used = "range"
    _mark_range(tokens, position, following)
    bounds: list[tuple[Operator, float | tuple[float, ...]]] = [("gte", quantity.value), ("lte", other.value)]
    return Amount(position, following, other.unit or quantity.unit, bounds)


def _mark_range(tokens: Sequence[Token], first: int, last: int) -> None:
    before = _before(tokens, first, "between")
    if before:
        tokens[before - 1].used = "range"
    if _is(tokens, last + 1, "range_end"):
        tokens[last + 1].used = "range"


def _before(tokens: Sequence[Token], position: int, kind: str) -> int:
    """One more than the position of such a word before an amount, only fillers and fields between; 0 without one."""
    for earlier in range(position - 1, max(-1, position - _MOST_BETWEEN), -1):
        if tokens[earlier].is_a(kind):
            return earlier + 1
        if not (tokens[earlier].is_filler or tokens[earlier].is_a("field", "has", "compute", "precision", "bandwidth")):
            return 0
    return 0


def _is(tokens: Sequence[Token], position: int, kind: str) -> bool:
    return position < len(tokens) and tokens[position].is_a(kind)


def _alternatives(tokens: Sequence[Token], position: int) -> Amount | None:
    """`24GB 或 48GB`, `24 / 48 GB`: one of several, none with a bound."""
    first = tokens[position].quantity
    values, last = [first.value] if first else [], position
    unit = first.unit if first else ""
    while last + 2 < len(tokens) and (other := tokens[last + 2].quantity) is not None:
        joint = tokens[last + 1]
        if not joint.is_a("or") or other.unit != unit or not unit or other.high is not None:
            break
        if comparator_after(tokens, last + 2) is not None:
            break
        joint.used = "alternative"
        last += 2
        values.append(other.value)
    if len(values) < 2 or comparator_before(tokens, position) is not None:
        return None
    return Amount(position, last, unit, [("in", tuple(values))])


def _single(tokens: Sequence[Token], position: int) -> Amount:
    quantity = tokens[position].quantity
    value, unit = (quantity.value, quantity.unit) if quantity else (0.0, "")
    operator = take_comparator(tokens, position)
    if operator is not None:
        operator = remarked(tokens, position, operator)
        return Amount(position, position, unit, [(operator, value)])
    if quantity is not None and quantity.comparator == "~":
        for token in (*tokens[max(0, position - 1) : position], *tokens[position + 1 : position + 2]):
            if token.is_a("about"):
                token.used = "about"
        low, high = (float(f"{value * (1 + side):.6g}") for side in (-ABOUT, ABOUT))
        return Amount(position, position, unit, [("gte", low), ("lte", high)], is_about=True)
    return Amount(position, position, unit, [("eq", value)], is_bare=True)
