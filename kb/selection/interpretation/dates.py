"""Conditions on when a card came out: "2022 年之后", "released before 2020", "2021 到 2023 年"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kb.selection.interpretation.placed import Placed
from kb.selection.interpretation.tokens import Token
from kb.selection.note import Note
from kb.selection.requirement import Requirement

FIELD: Final = "released_on"
_MOST_BETWEEN: Final = 4
_AFTERWARDS: Final = ("之后", "以后", "后")


def read_dates(tokens: Sequence[Token]) -> tuple[list[Placed], list[Note]]:
    """Requirements of all dates; they and the words around them are marked as used."""
    found: list[Placed] = []
    notes: list[Note] = []
    for position, token in enumerate(tokens):
        if token.kind != "date" or token.used:
            continue
        token.used = "date"
        until = _range_end(tokens, position)
        if until is not None:
            both = (Requirement(FIELD, "gte", token.value), Requirement(FIELD, "lte", until))
            found.append(Placed(position, position + 2, both))
        else:
            operator = _after(tokens, position, notes) or _before(tokens, position) or "eq"
            found.append(Placed(position, position, (Requirement(FIELD, operator, token.value),)))  # type: ignore[arg-type]
        _use_topic(tokens, position)
    return found, notes


def _range_end(tokens: Sequence[Token], position: int) -> str | None:
    """The other end of a range of dates."""
    if position + 2 >= len(tokens) or tokens[position + 2].kind != "date":
        return None
    joint, other = tokens[position + 1], tokens[position + 2]
    framed = any(token.is_a("between") for token in tokens[max(0, position - 2) : position])
    if not (joint.is_a("to") or (joint.is_a("and") and framed)):
        return None
    joint.used = other.used = "date"
    for token in (*tokens[max(0, position - 2) : position], *tokens[position + 3 : position + 4]):
        if token.is_a("between", "range_end"):
            token.used = "date"
    return other.value


def _after(tokens: Sequence[Token], position: int, notes: list[Note]) -> str:
    for token in tokens[position + 1 : position + 3]:
        operator = token.get("date_after")
        if operator:
            token.used = "date"
            if operator == "gte" and token.text in _AFTERWARDS:
                value = tokens[position].value
                notes.append(Note(f"“{value} 之后”按包含 {value} 理解。", f"{value} itself is counted in."))
            return operator
        if not token.is_filler:
            break
    return ""


def _before(tokens: Sequence[Token], position: int) -> str:
    for earlier in range(position - 1, max(-1, position - _MOST_BETWEEN), -1):
        token = tokens[earlier]
        operator = token.get("date_before") or token.get("before")
        if operator and not token.used:
            token.used = "date"
            return operator
        if not token.is_filler and token.get("field") != FIELD:
            break
    return ""


def _use_topic(tokens: Sequence[Token], position: int) -> None:
    for token in tokens[max(0, position - _MOST_BETWEEN) : position + _MOST_BETWEEN]:
        if token.get("field") == FIELD:
            token.used = "topic"
