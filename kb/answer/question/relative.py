"""Bounds that another card sets: "more bandwidth than the H100", 比 L4 功耗低的卡."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.question.model import Condition, Operator
from kb.answer.question.reading import Reading
from kb.answer.question.scanner import BLANK
from kb.specs.names import Mention

_CARD = f"{BLANK}+"
_OF_CARD = rf"(?:\s*(?:the|an?|那?张|这?张|我的))?\s*(?:that of (?:the )?)?(?={BLANK})"
_ABOVE_ZH = r"超过|高于|大于|多于|强于|优于|胜过|快过|超出"
_BELOW_ZH = r"低于|小于|少于|不到|不如|弱于"
_PATTERNS: tuple[tuple[re.Pattern[str], Operator], ...] = (
    (
        re.compile(
            rf"(?:不低于|不少于|不小于|至少(?:有|是)?|at least as \w+(?: \w+){{0,2}} as|no less than){_OF_CARD}"
        ),
        "gte",
    ),
    (re.compile(rf"(?:不高于|不超过|不大于|不多于|最多(?:是)?|no more than|at most){_OF_CARD}"), "lte"),
    (re.compile(rf"(?:(?<!不){_ABOVE_ZH}|\b(?:above|over|exceed(?:s|ing)?|beat(?:s|ing)?|beyond)){_OF_CARD}"), "gt"),
    (re.compile(rf"(?:(?<!不){_BELOW_ZH}|\b(?:below|under|beneath)){_OF_CARD}"), "lt"),
)
_THAN_ZH = re.compile(rf"(?:比|较){_OF_CARD}")
_THAN_EN = re.compile(rf"\b(\w+)\b[^{BLANK}.?!,;]{{0,48}}?\bthan{_OF_CARD}")
_MORE_ZH = re.compile(r"(?:更|还)?(高|大|多|强|快|宽|贵|新|晚|费电|耗电)")
_LESS_ZH = re.compile(r"(?:更|还)?(低|小|少|弱|慢|窄|便宜|省电|早|旧|老)")
_MORE_AFTER = re.compile(r"(?:更|还|又)[高大多强快]")
_LESS_AFTER = re.compile(r"(?:更|还|又)[低小少弱慢]")
_MORE_EN = {"more", "higher", "larger", "bigger", "greater", "faster", "wider", "newer", "later", "stronger", "better"}
_LESS_EN = {"less", "lower", "smaller", "cheaper", "fewer", "slower", "older", "earlier", "narrower"}
_POWER = re.compile(r"强|快|stronger|faster|better|powerful")
_LOWER_IS_MEANT = {"省电": "tdp_w", "费电": "tdp_w", "耗电": "tdp_w", "便宜": "price_usd", "贵": "price_usd"}
_OWN_FIELD = {**_LOWER_IS_MEANT, "新": "released_on", "晚": "released_on", "早": "released_on", "旧": "released_on"}
_OWN_FIELD |= {"老": "released_on", "newer": "released_on", "later": "released_on", "older": "released_on"}
_OWN_FIELD |= {"earlier": "released_on", "cheaper": "price_usd"}
_IS_THERE = re.compile(r"有没有|有无|有.{0,4}吗|\b(?:is|are) there\b|\bany\b|\banything\b|\bwhat\b|\bwhich\b|哪")
_COMPUTE = "fp16_tensor_tflops"


@dataclass(frozen=True, slots=True)
class Relative:
    """Bounds and the card that sets them."""

    conditions: tuple[Condition, ...]
    reference: Mention


def read_relative(reading: Reading) -> Relative | None:
    """The bound that a question's only card sets for others, if cards are asked for by it."""
    if len(reading.cards) != 1 or reading.unknown:
        return None
    card = reading.cards[0]
    text = reading.folded
    for pattern, operator in _PATTERNS:
        match = pattern.search(text)
        if match is not None and text.find(BLANK, match.start()) == card.start:
            field = _field(reading, match.group())
            return _relative(reading, card, field, operator, match.group()) if field else None
    return _chinese(reading, card) or _english(reading, card)


def _chinese(reading: Reading, card: Mention) -> Relative | None:
    match = _THAN_ZH.search(reading.folded)
    if match is None or reading.folded.find(BLANK, match.start()) != card.start:
        return None
    after = reading.folded[card.end : card.end + 24]
    found = [(m.start(), operator, m) for p, operator in ((_MORE_ZH, "gt"), (_LESS_ZH, "lt")) if (m := p.search(after))]
    if not found:
        return None
    _, operator, word = min(found, key=lambda item: item[0])
    field = _field(reading, word.group(1))
    words = f"{match.group()}…{word.group()}"
    return _relative(reading, card, field, "gt" if operator == "gt" else "lt", words) if field else None


def _english(reading: Reading, card: Mention) -> Relative | None:
    text = reading.folded
    for match in _THAN_EN.finditer(text):
        if text.find(BLANK, match.end() - 1) != card.start:
            continue
        words = re.findall(r"[a-z]+", match.group())
        word = next((w for w in words if w in _MORE_EN or w in _LESS_EN), "")
        if not word:
            return None
        field = _field(reading, word if "powerful" not in words else "powerful")
        operator: Operator = "gt" if word in _MORE_EN else "lt"
        return _relative(reading, card, field, operator, match.group()) if field else None
    return None


def _field(reading: Reading, word: str) -> str:
    """The field compared: named beside it, or meant by the comparative itself."""
    own = _OWN_FIELD.get(word)
    if own is not None:
        return own
    keys: Sequence[str] = reading.asked.keys
    if keys and not reading.asked.generic:
        return keys[0]
    return _COMPUTE if reading.asked.generic or _POWER.search(word) else ""


def _relative(reading: Reading, card: Mention, field: str, operator: Operator, text: str) -> Relative | None:
    asks_whether = reading.has("yes_no") and not _IS_THERE.search(reading.folded)
    names_a_set = reading.has("role", "vendor", "group", "all_cards", "architecture") and not asks_whether
    # "bandwidth above the A100's" is a phrase that names a set; "is it more than the A100" is not.
    only_a_phrase = not reading.has("yes_no", "how", "why") and not reading.unexplained
    if reading.has("how", "why", "explain") or not (reading.has("filter") or names_a_set or only_a_phrase):
        return None
    first = Condition(field, operator, None, text.replace(BLANK, ""), than=True)
    return Relative((first, *_further(reading, field)), card)


def _further(reading: Reading, field: str) -> list[Condition]:
    """Bounds of other fields by the same card ("but less power")."""
    found: list[Condition] = []
    for key in reading.asked.keys:
        if key == field:
            continue
        at = reading.asked.at[key]
        before = re.findall(r"[a-z]+", reading.folded[max(0, at - 24) : at])[-2:]
        before += re.findall(r"^[a-z]+", reading.folded[at : at + 8])
        word = next((w for w in reversed(before) if w in _MORE_EN or w in _LESS_EN), "")
        after = reading.folded[at : at + 12]
        if word in _MORE_EN or _MORE_AFTER.search(after):
            found.append(Condition(key, "gt", None, word or after, than=True))
        elif word in _LESS_EN or _LESS_AFTER.search(after):
            found.append(Condition(key, "lt", None, word or after, than=True))
    return found
