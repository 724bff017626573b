"""How many of a card a question names: "两张 3090", "8x H100", "a pair of L40S"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kb.specs.names import Mention

_BEFORE = re.compile(
    r"(?<![\d.a-z])(\d{1,4}|[一两二三四五六七八九十]|one|a|two|three|four|five|six|eight|sixteen|a pair of|a couple of)"
    r"\s*(?:张|个|块|颗|片|台|x|×|\*)?\s*$"
)
_BARE = re.compile(r"\d+\s+$")
_PAIRS = {"a pair of": 2, "a couple of": 2, "one": 1, "a": 1, "一": 1}
HOW_MANY = re.compile(
    r"how many (?:gpus?|cards?|accelerators?)|(?:多少|几)\s*(?:张|块|个|颗|片)?\s*(?:gpu|卡|显卡|加速卡)|几张|多少张"
)
"""Words that ask for a number of cards."""


def counts_of(folded: str, cards: Sequence[Mention], numerals: Mapping[str, int]) -> tuple[int, ...]:
    """How many of each card; empty where none is counted as more than one."""
    found = [_count(folded, card, numerals) for card in cards]
    return tuple(found) if any(count > 1 for count in found) else ()


def _count(folded: str, card: Mention, numerals: Mapping[str, int]) -> int:
    match = _BEFORE.search(folded, max(0, card.start - 16), card.start)
    if match is None:
        return 1
    word = match.group(1)
    return int(word) if word.isdigit() else _PAIRS.get(word) or numerals.get(word, 1)
