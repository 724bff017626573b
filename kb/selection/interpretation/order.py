"""How a text wants cards ordered, and how many of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kb.selection.interpretation.lexicon import read_words
from kb.selection.interpretation.tokens import Token
from kb.selection.interpretation.topics import Topic
from kb.selection.ranking import FIT, Criterion, criterion
from kb.specs.fields import FIELDS

_MAIN: Final = "int8_tops"
"""What efficiency is counted in where no number format is named."""
_RANK_WORDS: Final = ("rank", "rank_end", "descending", "ascending", "either", "per_watt", "per_dollar")


@dataclass(frozen=True, slots=True)
class Ordering:
    """The ranking asked for, and how many cards; empty and `None` where nothing is said."""

    criteria: tuple[Criterion, ...] = ()
    limit: int | None = None


def read_order(tokens: Sequence[Token], topics: Sequence[Topic]) -> Ordering:
    """The ordering; its words are marked as used. Call it after bounds have taken their fields."""
    criteria = [*_superlatives(tokens), *_ranked(tokens, topics)]
    return Ordering(tuple(criteria), _limit(tokens, is_ranked=bool(criteria)))


def _superlatives(tokens: Sequence[Token]) -> list[Criterion]:
    found: list[Criterion] = []
    rows = read_words()["superlative"]
    for token in tokens:
        if token.is_a("superlative"):
            row = rows[int(token.get("superlative"))]
            found.append(criterion(row["field"], row["order"]))
            token.used = "order"
        elif token.is_a("fit"):
            found.append(criterion(FIT))
            token.used = "order"
    return found


def _ranked(tokens: Sequence[Token], topics: Sequence[Topic]) -> list[Criterion]:
    """A measure between "by" and "order", per watt or per dollar where it says so."""
    per = next((token for token in tokens if token.is_a("per_watt", "per_dollar")), None)
    ordered = [
        token for token in tokens if token.is_a("rank_end", "descending", "ascending", "either") and not token.used
    ]
    rankable = {"number"} if per is not None else {"number", "date"}
    free = [t for t in topics if not t.used and t.key in FIELDS and FIELDS[t.key].kind in rankable]
    measured = [topic for topic in free if _is_measure(tokens, topic)]
    if per is not None and not measured:
        measured = free[:1]
    if not measured and per is None:
        return []
    for token in tokens:
        if token.is_a(*_RANK_WORDS) and not token.used:
            token.used = "order"
    divisor = "" if per is None else "/tdp_w" if per.is_a("per_watt") else "/price_usd"
    order = next((found for token in ordered if (found := _order(token))), None)
    keys = [topic.key for topic in measured] or [_MAIN]
    for topic in measured:
        topic.used = True
        for token in tokens[topic.first : topic.last + 1]:
            token.used = token.used or "topic"
    return [criterion(f"{key}{divisor}", order) for key in keys]


def _order(token: Token) -> str | None:
    """What "highest first" and the like mean; "max" is the most of a field where it bounds no amount."""
    if token.is_a("descending") or token.get("either") == "lte":
        return "desc"
    return "asc" if token.is_a("ascending") or token.get("either") == "gte" else None


def _is_measure(tokens: Sequence[Token], topic: Topic) -> bool:
    """Whether a field stands right after "by" or right before "order", "descending" and the like."""
    before = next((t for t in reversed(tokens[: topic.first]) if not t.is_filler or t.is_a("rank")), None)
    after = next((t for t in tokens[topic.last + 1 :] if not t.is_filler), None)
    if before is not None and before.is_a("rank", "per_watt", "per_dollar", "descending", "ascending"):
        return True
    if after is None or after.used:
        return False
    return after.is_a("rank_end", "descending", "ascending", "per_watt", "per_dollar", "either")


def _limit(tokens: Sequence[Token], *, is_ranked: bool) -> int | None:
    """How many cards are wanted: "top 5", "列出 5 张", "the five cards with the most memory"."""
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else None
        quantity = token.quantity
        if token.is_a("count_word") and _counts_cards(tokens, position):
            token.used = "limit"
            return int(token.get("count_word"))
        if is_ranked and quantity is not None and quantity.unit == "cards" and not token.used and quantity.value >= 1:
            token.used = "limit"
            return int(quantity.value)
        if following is not None and (found := _limited(token, following)) is not None:
            return found
    return None


def _counts_cards(tokens: Sequence[Token], position: int) -> bool:
    """Whether a number in words counts cards: "top five", 前五, "five cards", 五张卡."""
    before = tokens[position - 1] if position else None
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    if before is not None and before.is_a("limit"):
        before.used = before.used or "limit"
        return True
    return following is not None and following.is_a("counted")


def _limited(token: Token, following: Token) -> int | None:
    quantity = following.quantity
    counts = ("", "cards") if token.is_a("limit") else ("cards",) if token.is_a("some") else ()
    if quantity is None or following.used or quantity.unit not in counts:
        return None
    if quantity.value != int(quantity.value) or quantity.value < 1:
        return None
    token.used = following.used = "limit"
    return int(quantity.value)
