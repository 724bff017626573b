"""How an amount is bounded: the words before and behind it, turned round, mirrored or corrected by a remark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kb.selection.interpretation.tokens import Token
from kb.selection.requirement import Operator

OPPOSITE: Final[Mapping[str, Operator]] = {"gte": "lt", "gt": "lte", "lte": "gt", "lt": "gte"}
"""What a comparator means behind a "not"."""
_MIRROR: Final[Mapping[str, Operator]] = {"gte": "lte", "gt": "lt", "lte": "gte", "lt": "gt"}
_SIGNS: Final = ("<", ">", "≤", "≥", "≦", "≧")
_EXCLUSIVE: Final[Mapping[str, Operator]] = {"gte": "gt", "lte": "lt"}
_INCLUSIVE: Final[Mapping[str, Operator]] = {"gt": "gte", "lt": "lte"}
_OPENING: Final = ("(", "（", "[")
_CLOSING: Final = (")", "）", "]")
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
    "one_way",
    "both_ways",
)
"""Words that may stand between a comparator and its amount ("at least 显存 48 GB")."""
_BEHIND: Final = ("field", "compute", "precision", "bandwidth", "unit", "dense", "sparse", "one_way", "both_ways")
"""Words that may stand between an amount and a comparator behind it ("48 GB of memory or more")."""


def remarked(tokens: Sequence[Token], position: int, operator: Operator) -> Operator:
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


def take_comparator(tokens: Sequence[Token], position: int) -> Operator | None:
    """The comparator of an amount, marked as used; the one before it wins over the one after."""
    mirrored = _mirrored(tokens, position)
    if mirrored is not None:
        return mirrored
    before, after = comparator_before(tokens, position), comparator_after(tokens, position)
    found: Operator | None = None
    for place, kinds in ((after, ("after", "either")), (before, ("before", "either"))):
        if place is None:
            continue
        value = next(value for kind in kinds if (value := tokens[place].get(kind)))
        found = value  # type: ignore[assignment]
        tokens[place].used = "comparator"
        if place == before and place and tokens[place - 1].is_a("inverts"):
            tokens[place - 1].used = "comparator"
            found = OPPOSITE[value]
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


def comparator_before(tokens: Sequence[Token], position: int) -> int | None:
    """The position of an unused comparator before an amount, with nothing but its field between."""
    for earlier in range(position - 1, max(-1, position - _MOST_BETWEEN), -1):
        token = tokens[earlier]
        if token.used:
            return None
        if token.is_a("before") or (token.is_a("either") and not token.used):
            return earlier
        if not (token.is_filler or token.is_a(*_INSIDE)):
            return None
    return None


def comparator_after(tokens: Sequence[Token], position: int) -> int | None:
    """A comparator right after an amount; English may put the field between ("48 GB of memory or more")."""
    for following in range(position + 1, min(position + _MOST_BETWEEN, len(tokens))):
        token = tokens[following]
        if token.is_a("after"):
            # "48 GB and under 300 W": it leads on to the next amount.
            leads_on = following + 1 < len(tokens) and tokens[following + 1].kind == "amount" and token.is_a("before")
            return None if leads_on else following
        if token.is_a("either") and following == position + 1 and not _leads_on(tokens, following):
            return following
        between = token.is_filler or token.is_a(*_BEHIND)
        if not between or token.is_a("before"):
            return None
    return None


def _leads_on(tokens: Sequence[Token], position: int) -> bool:
    """Whether a word such as "max" belongs to what follows it ("48 GB max 300 W")."""
    following = tokens[position + 1 : position + 3]
    return bool(following) and following[0].kind != "mark" and any(token.kind == "amount" for token in following)
