"""What kind of answer a question wants: the first rule that holds."""

from __future__ import annotations

import re
from collections.abc import Callable

from kb.answer.question.claims import has_bare_alternatives, vendor_is_asked
from kb.answer.question.model import Condition, Conversion, Intent, Superlative
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
    if reading.workload is not None:
        return "sizing"
    if reading.reference is not None:
        return "filter"
    if reading.unknown and not reading.cards:
        return _of_unknown(reading)
    if reading.cards:
        return _of_named(reading, superlative, conversion)
    return _of_unnamed(reading, superlative, conversion)


def _of_unknown(reading: Reading) -> Intent:
    """A name that no card has: only documents that name it may know more."""
    return "passages" if reading.has("document") and not reading.asked.keys else "lookup"


def _of_unnamed(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent:
    heavy = unexplained_weight(reading.unexplained) >= _MOST_UNEXPLAINED / 2
    if reading.has("why", "explain", "document", "other_field"):
        return "passages"
    if reading.chips:
        return "passages" if reading.has("how") or (heavy and not reading.has("filter")) else "chip"
    if conversion is not None and conversion.amount is not None and conversion.unit and not heavy:
        return "convert"
    if heavy or reading.has("duration", "which_thing"):
        return "passages"
    described = reading.has("group", "vendor", "architecture", "role", "use", "all_cards")
    if superlative is not None and (described or reading.has("filter")):
        return "superlative"
    if _asks_for_cards(reading, described=described):
        return "filter"
    return "passages" if reading.asked.keys or reading.has("how") else "other"


def _asks_for_cards(reading: Reading, *, described: bool) -> bool:
    """Whether the conditions select cards, rather than describe something else."""
    if not reading.conditions:
        return reading.has("filter") and reading.has("vendor", "group", "architecture") and not reading.unexplained
    kinds = [condition.value for condition in reading.conditions if condition.field == "memory_type"]
    if len(set(kinds)) > 1 and not reading.has("filter"):
        return False
    if reading.has("filter"):
        return True
    asks = reading.asks_yes_no or reading.has("how", "why", "thing")
    if reading.has("group", "vendor") and not (reading.unexplained or asks):
        return True
    bounded = any(
        c.operator not in {"has", "lacks"} and (c.field == "released_on" or _is_bound(c)) for c in reading.conditions
    )
    if reading.has("how", "yes_no") and not (described and reading.has("group", "vendor", "architecture", "use")):
        return False
    return bounded and (described or len(reading.conditions) > 1)


def _is_bound(condition: Condition) -> bool:
    return not isinstance(condition.value, str) and condition.operator != "eq"


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
    asks_fields = bool(reading.asked.keys or reading.conditions or superlative or conversion or reading.stated)
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
    if many and superlative is not None and superlative.field not in {c.field for c in reading.conditions}:
        # The bound is told of the cards, the most of something else is asked.
        return None
    bounded = any(condition.operator in {"gte", "gt", "lte", "lt"} for condition in reading.conditions)
    several = reading.cards[0].status == "several" and reading.has("filter")
    if many and not bounded and any(hit.text in _COMPARATIVES for hit in reading.hits("compare")):
        return None
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
    if len(reading.cards) != 1 or reading.has("direction"):
        return None
    if has_bare_alternatives(reading):
        reading.unexplained = tuple(word for word in reading.unexplained if not word[0].isdigit())
        return "conflict"
    if not reading.has("alternative"):
        return None
    either = len(reading.hits("memory_type")) > 1
    return "conflict" if reading.stated or either else None


def _compares(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    if len(reading.cards) < 2:
        return None
    wanted = bool(reading.asked.keys) or reading.has("compare", "cut", "overview", "advice", "compute", "alternative")
    return "compare" if wanted or not reading.unexplained else None


def _looks_up(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    if reading.asked.keys or superlative is not None:
        return "lookup"
    claimed = reading.has("memory_type", "architecture", "pcie_generation", "chip") or bool(reading.stated)
    if (reading.asks_yes_no or reading.has("reliable")) and (claimed or vendor_is_asked(reading)):
        return "check"
    if reading.has("overview") and not (reading.asks_yes_no and reading.unexplained):
        return "overview"
    # A bare name is a question for the card; one with words that name a part or a purpose of it is not.
    partial = reading.has("modifier", "which_thing", "duration", "workload", "precision", "direction", "bandwidth")
    return (
        None if reading.unexplained or reading.asks_yes_no or partial or _HOW_BIG.search(reading.folded) else "overview"
    )


_HOW_BIG = re.compile(r"多[大高长宽快]|\bhow (?:big|large|fast|long|wide)\b")


def _sources(reading: Reading, superlative: Superlative | None, conversion: Conversion | None) -> Intent | None:
    asks_a_figure = reading.asked.keys or reading.stated or reading.has("memory_type", "architecture")
    return "source" if reading.has("source") and asks_a_figure and len(reading.cards) == 1 else None


_COMPARATIVES = {"faster", "quicker", "bigger", "larger", "higher", "lower", "slower", "smaller", "stronger", "better"}
"""Adjectives that hold cards against each other, so that "which has the faster NVLink" lists no cards that have it."""


_NAMED_RULES: tuple[Rule, ...] = (
    _sources,
    _documents,
    _converts,
    _filters,
    _superlatives,
    _conflicts,
    _compares,
    _looks_up,
)
