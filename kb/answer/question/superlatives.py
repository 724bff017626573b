"""The most or least of something that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.question.fields_asked import MAIN_COMPUTE, MAIN_QUOTIENT
from kb.answer.question.model import Direction, Superlative
from kb.answer.question.reading import Reading
from kb.answer.question.scanner import Hit
from kb.answer.question.vocabulary import Vocabulary


def read_superlative(reading: Reading, words: Vocabulary) -> Superlative | None:
    """The superlative of a question, or a figure per watt or per dollar asked without one."""
    hits = [hit for hit in reading.hits("superlative") if not _is_a_bound(reading, hit)]
    if not hits:
        return _quotient(reading)
    per = "tdp_w" if reading.has("per_watt") else "price_usd" if reading.has("per_dollar") else ""
    ranked = sorted(hits, key=lambda hit: words.superlatives[hit.value("superlative")].weak)
    for hit in ranked:
        word = words.superlatives[hit.value("superlative")]
        named = [key for key in reading.asked.keys if not (per and key == per)]
        key = word.field
        if not key or (word.weak and named):
            key = _field_near(reading, named, hit) or key
        key = key or (MAIN_QUOTIENT if per else "")
        if key:
            direction: Direction = "lowest" if word.direction == "lowest" else "highest"
            return Superlative(key, direction, hit.text, per)
    vague = not reading.unexplained and reading.has("role", "group", "vendor") and not reading.cards
    return Superlative(MAIN_COMPUTE[1], "highest", hits[0].text, assumed=True) if vague else None


def _is_a_bound(reading: Reading, hit: Hit) -> bool:
    """Whether a word for the most or least bounds a stated figure ("a minimum bandwidth of 800 GB/s", "最低 16 GB")."""
    clause = next(c for c in reading.clauses if c.start <= hit.start < c.end)
    if re.search(r"\bthan\b", reading.folded[hit.end : clause.end]):
        # "More memory than the A100" holds two cards against each other.
        return True
    if not hit.is_a("comparator"):
        return False
    return any(s.clause is clause for s in reading.stated) and not clause.has("filter")


def _quotient(reading: Reading) -> Superlative | None:
    """A figure per watt or per dollar, asked without a superlative."""
    per = "tdp_w" if reading.has("per_watt") else "price_usd" if reading.has("per_dollar") else ""
    if not per or not reading.cards:
        return None
    field = next((key for key in reading.asked.keys if key != per), MAIN_QUOTIENT)
    word = reading.hits("per_watt") or reading.hits("per_dollar")
    return Superlative(field, "highest", word[0].text, per)


def _field_near(reading: Reading, named: Sequence[str], hit: Hit) -> str:
    if not named:
        return ""
    return min(named, key=lambda key: abs(reading.asked.at[key] - hit.start))
