"""Whether the bandwidth of a link is meant per direction; the catalogue counts both directions together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kb.selection.interpretation.amounts import Amount
from kb.selection.interpretation.tokens import Token
from kb.selection.requirement import Requirement

_NEAR: Final = 4


def is_one_way(tokens: Sequence[Token], amount: Amount, place: tuple[int, int]) -> bool:
    """Whether words beside an amount or its field say "per direction"; those, and "both ways", are marked as used."""
    first, last = place
    found = False
    for position in _around(tokens, min(first, amount.first), max(last, amount.last)):
        token = tokens[position]
        if token.is_a("one_way", "both_ways"):
            token.used = "direction"
            found = found or token.is_a("one_way")
    return found


def _around(tokens: Sequence[Token], first: int, last: int) -> list[int]:
    """Positions from `first` to `last` and a few on both sides, as far as no other amount or comma parts them."""
    before: list[int] = []
    for position in range(first - 1, max(-1, first - _NEAR - 1), -1):
        if _parts(tokens[position]):
            break
        before.append(position)
    after: list[int] = []
    for position in range(last + 1, min(last + _NEAR + 2, len(tokens))):
        if _parts(tokens[position]):
            break
        after.append(position)
    return [*before, *range(first, last + 1), *after]


def _parts(token: Token) -> bool:
    return token.kind == "amount" or (token.kind == "mark" and token.text not in "()（）/") or token.is_a("and", "or")


def doubled(requirement: Requirement) -> Requirement:
    """A bound on one direction as a bound on both together."""
    values = tuple(2 * value for value in requirement.values if not isinstance(value, str))
    return replace(requirement, value=values if isinstance(requirement.value, tuple) else values[0])
