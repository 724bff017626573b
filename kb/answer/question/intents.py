"""What kind of answer a question wants: the first rule that holds."""

from __future__ import annotations

from collections.abc import Callable

from kb.answer.question.model import Conversion, Intent, Superlative
from kb.answer.question.reading import Reading, unexplained_weight

_MOST_UNEXPLAINED = 4.0
"""Words without an explanation, from which on a question is about something else that happens to name a card."""


def decide(
    reading: Reading,
    superlative: Superlative | None,
    conversion: Conversion | None,
    *,
    greeting: bool,
    capability: bool,
) -> Intent:
    """The intent of a question."""
    if greeting:
        return "greeting"
    if capability:
        return "capability"
    if reading.unknown and not reading.cards:
        return "lookup"
    if reading.cards:
        return _of_named(reading, superlative, conversion)
    return _of_unnamed(reading, superlative, conversion)


def _of_unnamed(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent:
    heavy = unexplained_weight(reading.unexplained) >= _MOST_UNEXPLAINED / 2
    if reading.has("why", "explain", "document", "other_field"):
        return "passages"
    if conversion is not None and conversion.amount is not None and conversion.unit and not heavy:
        return "convert"
    described = reading.has("group", "vendor", "architecture", "role", "use", "all_cards")
    if superlative is not None and (described or reading.has("filter")) and not heavy:
        return "superlative"
    bounded = any(condition.operator not in {"has", "lacks"} for condition in reading.conditions)
    if reading.conditions and not heavy and (reading.has("filter") or (bounded and described)):
        return "filter"
    if len(reading.conditions) > 1 and bounded and not heavy and not reading.has("how", "yes_no"):
        return "filter"
    if reading.has("filter") and reading.has("vendor", "group", "architecture") and not reading.unexplained:
        return "filter"
    return "passages" if reading.asked.keys or reading.has("how") else "other"


def _of_named(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent:
    for rule in _NAMED_RULES:
        intent = rule(reading, superlative, conversion)
        if intent is not None:
            return intent
    return "passages"


Rule = Callable[[Reading, "Superlative | None", "Conversion | None"], "Intent | None"]


def _documents(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    """Nothing of the catalogue is asked, or too much beside it."""
    weight = unexplained_weight(reading.unexplained)
    asks_fields = bool(reading.asked.keys or reading.conditions or superlative or conversion)
    asking = any(not clause.has("why", "explain", "sizing", "how") for clause in reading.clauses)
    explains = reading.has("why", "explain", "sizing", "how")
    if explains and not asks_fields and not (reading.has("compare", "cut") and not reading.has("why")):
        return "passages"
    if explains and not asking and not reading.has("compare", "convert", "overview"):
        return "passages"
    if weight >= _MOST_UNEXPLAINED and not reading.injected:
        return "passages"
    if reading.has("other_field") and not asks_fields:
        return "passages"
    return None


def _converts(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    if (
        conversion is None
        or reading.has("per_watt", "per_dollar")
        or len(reading.cards) > 1
        or (superlative and not conversion.amount)
    ):
        return None
    return "convert"


def _filters(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    if not reading.conditions:
        return None
    many = len(reading.cards) > 1
    bounded = any(condition.operator in {"gte", "gt", "lte", "lt"} for condition in reading.conditions)
    several = reading.cards[0].status == "several" and reading.has("filter")
    if (many and (reading.has("filter") or bounded)) or several:
        return "filter"
    return "check" if bounded else None


def _superlatives(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    if superlative is None:
        return None
    if len(reading.cards) > 1 or superlative.per:
        return "superlative"
    among_versions = reading.cards[0].status == "several" and ("哪" in reading.folded or "which" in reading.folded)
    return "superlative" if among_versions else None


def _conflicts(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    if len(reading.cards) != 1 or not reading.has("alternative") or reading.has("direction"):
        return None
    return "conflict" if reading.stated or len(reading.hits("memory_type")) > 1 else None


def _compares(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    if len(reading.cards) < 2:
        return None
    wanted = bool(reading.asked.keys) or reading.has("compare", "cut", "overview", "advice", "compute")
    return "compare" if wanted or not reading.unexplained else None


def _looks_up(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    if reading.asked.keys or superlative is not None:
        return "lookup"
    claimed = reading.has("memory_type", "vendor", "architecture", "pcie_generation") or bool(reading.stated)
    if reading.asks_yes_no and claimed:
        return "check"
    if reading.has("overview") or not (reading.unexplained or reading.asks_yes_no):
        return "overview"
    return None


_NAMED_RULES: tuple[Rule, ...] = (
    _documents,
    _converts,
    _filters,
    _superlatives,
    _conflicts,
    _compares,
    _looks_up,
)
