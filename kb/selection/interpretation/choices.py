"""Conditions joined by "or": a card has to meet one of them. "80 GB or 2 TB/s", "支持 FP8 或 INT4"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.selection.choice import Choice
from kb.selection.interpretation.placed import Placed
from kb.selection.interpretation.tokens import Token
from kb.selection.note import Note
from kb.selection.requirement import Requirement
from kb.selection.wording import choice_said


@dataclass(frozen=True, slots=True)
class Chosen:
    """Conditions, those that are alternatives apart."""

    requirements: tuple[Requirement, ...]
    choices: tuple[Choice, ...]
    notes: tuple[Note, ...]


def read_choices(tokens: Sequence[Token], conditions: Sequence[Placed]) -> Chosen:
    """Join the conditions on both sides of each "or"; such words are marked as used.

    A chain ("A or B or C") is one choice. "And" and commas part: "A and B or C" requires A, and B or C.
    """
    groups = _joined(tokens, conditions)
    alone = [one for at, found in enumerate(conditions) if at not in groups for one in found.requirements]
    choices: list[Choice] = []
    for number in sorted(set(groups.values())):
        members = sorted((conditions[at] for at in groups if groups[at] == number), key=lambda one: one.first)
        choices.append(Choice(tuple(dict.fromkeys(member.requirements for member in members))))
    return Chosen(tuple(alone), tuple(choices), tuple(_said(choice) for choice in choices))


def _joined(tokens: Sequence[Token], conditions: Sequence[Placed]) -> dict[int, int]:
    """The number of its choice for each condition that is part of one."""
    groups: dict[int, int] = {}
    for position, token in enumerate(tokens):
        if token.used or not token.is_a("or"):
            continue
        left, right = _before(tokens, conditions, position), _after(tokens, conditions, position)
        if left is None or right is None or left == right:
            continue
        token.used = "or"
        number = groups.get(left, groups.get(right, position))
        groups[left] = groups[right] = number
    return groups


def _before(tokens: Sequence[Token], conditions: Sequence[Placed], position: int) -> int | None:
    """The condition that ends right before an "or"."""
    near = [at for at, one in enumerate(conditions) if one.last < position]
    best = max(near, key=lambda at: (conditions[at].last, conditions[at].first), default=None)
    if best is None:
        return None
    between = tokens[conditions[best].last + 1 : position]
    # A comma may stand before "or" itself.
    return best if all(_carries_nothing(token) for token in (between[:-1] if _ends(between) else between)) else None


def _ends(between: Sequence[Token]) -> bool:
    return bool(between) and between[-1].kind == "mark"


def _after(tokens: Sequence[Token], conditions: Sequence[Placed], position: int) -> int | None:
    """The condition that begins right after an "or"."""
    near = [at for at, one in enumerate(conditions) if one.first > position]
    best = min(near, key=lambda at: (conditions[at].first, conditions[at].last), default=None)
    if best is None:
        return None
    between = tokens[position + 1 : conditions[best].first]
    return best if all(_carries_nothing(token) for token in between) else None


def _carries_nothing(token: Token) -> bool:
    """Whether a word between a condition and "or" belongs to the condition or says nothing."""
    if token.kind == "mark":
        return token.text in "()（）"
    return bool(token.used) or token.is_filler or token.is_a("has", "unit", "compute", "range_end")


def _said(choice: Choice) -> Note:
    zh, en = choice_said(choice, "zh"), choice_said(choice, "en")
    return Note(f"“或”按满足其一理解：{zh}。", f'"Or" is read as: one of them is enough ({en}).')
