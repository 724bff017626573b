"""Amounts with what bounds them: comparators, ranges, alternatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kb.selection.interpretation.tokens import Token
from kb.selection.requirement import Operator

_MOST_BETWEEN: Final = 6
_INSIDE: Final = (
    "field",
    "has",
    "compute",
    "precision",
    "bandwidth",
    "dense",
    "sparse",
    "tensor",
    "vector",
    "link",
    "link_kind",
)
"""Words that may stand between a comparator and its amount ("at least 显存 48 GB")."""
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
    """A bare amount joined by "and" has the comparator of the one before it ("at least 24 GB and 200 TOPS")."""
    if not amount.is_bare or not earlier or len(earlier[-1].bounds) != 1:
        return
    between = tokens[earlier[-1].last + 1 : amount.first]
    operator = earlier[-1].bounds[0][0]
    joined = between and between[-1].is_a("and") and not any(token.kind == "mark" for token in between)
    if joined and operator in _OPPOSITE and not any(token.is_a("after") for token in between):
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
        if _comparator_after(tokens, last + 2) is not None:
            break
        joint.used = "alternative"
        last += 2
        values.append(other.value)
    if len(values) < 2 or _comparator_before(tokens, position) is not None:
        return None
    return Amount(position, last, unit, [("in", tuple(values))])


def _single(tokens: Sequence[Token], position: int) -> Amount:
    quantity = tokens[position].quantity
    value, unit = (quantity.value, quantity.unit) if quantity else (0.0, "")
    operator = _take(tokens, position)
    if operator is not None:
        operator = _remarked(tokens, position, operator)
        return Amount(position, position, unit, [(operator, value)])
    if quantity is not None and quantity.comparator == "~":
        for token in (*tokens[max(0, position - 1) : position], *tokens[position + 1 : position + 2]):
            if token.is_a("about"):
                token.used = "about"
        low, high = (float(f"{value * (1 + side):.6g}") for side in (-ABOUT, ABOUT))
        return Amount(position, position, unit, [("gte", low), ("lte", high)], is_about=True)
    return Amount(position, position, unit, [("eq", value)], is_bare=True)


def _remarked(tokens: Sequence[Token], position: int, operator: Operator) -> Operator:
    """The operator, as a remark in brackets behind the amount corrects it; the remark is marked as used."""
    opened = next((i for i in range(position + 1, min(position + 4, len(tokens))) if tokens[i].text in _OPENING), None)
    if opened is None or opened + 1 >= len(tokens) or not tokens[opened + 1].is_a("exclusive", "inclusive"):
        return operator
    remark = tokens[opened + 1]
    for token in tokens[opened + 1 :]:
        if token.text in _CLOSING:
            break
        token.used = "remark"
        if token.quantity is not None:
            token.kind, token.quantity = "mark", None
    if remark.is_a("exclusive"):
        return _EXCLUSIVE.get(operator, operator)
    return _INCLUSIVE.get(operator, operator)


_OPENING: Final = ("(", "（", "[")
_CLOSING: Final = (")", "）", "]")
_EXCLUSIVE: Final[Mapping[str, Operator]] = {"gte": "gt", "lte": "lt"}
_INCLUSIVE: Final[Mapping[str, Operator]] = {"gt": "gte", "lt": "lte"}


def _take(tokens: Sequence[Token], position: int) -> Operator | None:
    """The comparator of an amount, marked as used; the one before it wins over the one after."""
    mirrored = _mirrored(tokens, position)
    if mirrored is not None:
        return mirrored
    before, after = _comparator_before(tokens, position), _comparator_after(tokens, position)
    found: Operator | None = None
    for place, kinds in ((after, ("after", "either")), (before, ("before", "either"))):
        if place is None:
            continue
        value = next(value for kind in kinds if (value := tokens[place].get(kind)))
        found = value  # type: ignore[assignment]
        tokens[place].used = "comparator"
        if place == before and place and tokens[place - 1].is_a("inverts"):
            tokens[place - 1].used = "comparator"
            found = _OPPOSITE[value]
    return found


def _mirrored(tokens: Sequence[Token], position: int) -> Operator | None:
    """The bound of an amount that stands before its field: `24 GB < memory`, `24GB≤显存≤80GB`."""
    if position + 2 >= len(tokens):
        return None
    sign, field = tokens[position + 1], tokens[position + 2]
    if sign.text[:1] not in _SIGNS or field.kind != "word" or field.is_filler:
        return None
    sign.used = "comparator"
    return _MIRROR.get(sign.get("before"))


_SIGNS: Final = ("<", ">", "≤", "≥", "≦", "≧")
_MIRROR: Final[Mapping[str, Operator]] = {"gte": "lte", "gt": "lt", "lte": "gte", "lt": "gt"}
_OPPOSITE: Final[Mapping[str, Operator]] = {"gte": "lt", "gt": "lte", "lte": "gt", "lt": "gte"}


def _comparator_before(tokens: Sequence[Token], position: int) -> int | None:
    for earlier in range(position - 1, max(-1, position - _MOST_BETWEEN), -1):
        token = tokens[earlier]
        if token.used:
            return None
        if token.is_a("before") or (token.is_a("either") and not token.used):
            return earlier
        if not (token.is_filler or token.is_a(*_INSIDE)):
            return None
    return None


def _comparator_after(tokens: Sequence[Token], position: int) -> int | None:
    """A comparator right after an amount; English may put the field between ("48 GB of memory or more")."""
    for following in range(position + 1, min(position + _MOST_BETWEEN, len(tokens))):
        token = tokens[following]
        if token.is_a("after"):
            # "48 GB and under 300 W": it leads on to the next amount.
            leads_on = following + 1 < len(tokens) and tokens[following + 1].kind == "amount" and token.is_a("before")
            return None if leads_on else following
        if token.is_a("either") and following == position + 1 and not _leads_on(tokens, following):
            return following
        between = token.is_filler or token.is_a("field", "compute", "precision", "bandwidth", "unit", "dense", "sparse")
        if not between or token.is_a("before"):
            return None
    return None


def _leads_on(tokens: Sequence[Token], position: int) -> bool:
    """Whether a word such as "max" belongs to what follows it ("48 GB max 300 W")."""
    return any(token.kind == "amount" for token in tokens[position + 1 : position + 3])
