"""Follow-up questions: what they leave out is taken from the turns before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kb.answer.question.card_names import CardNames
from kb.answer.question.conversion import asks_of_so_many
from kb.answer.question.fields_asked import FieldReading
from kb.answer.question.reading import Reading
from kb.answer.question.scanner import fold_in_place
from kb.answer.question.vocabulary import Patterns
from kb.specs.fields import FIELDS, sparse_key
from kb.specs.names import Mention
from kb.types import Turn

_WHICH_OF_THEM = re.compile(r"哪[个张款块]|谁|更|\bwhich\b|\bboth\b")
_VERSION = re.compile(r"(?<![a-z0-9.])(?:sxm\d?|pcie|nvl|oam|\d{2,3}\s?gb?)(?![a-z0-9/])")
_FIRST = re.compile(r"\bthe (?:first|former)\b|第一[张个款块]|前者|前一[张个款块]")
_SECOND = re.compile(r"\bthe (?:second|latter)\b|第二[张个款块]|后者|后一[张个款块]")
_FORM = re.compile(r"(?<![a-z0-9.])(?:sxm\d?|pcie|nvl|oam)(?![a-z0-9/])")
_SIZE = re.compile(r"(?<![a-z0-9.])\d{2,3}\s?gb?(?![a-z0-9/])")
_AGAINST = re.compile(r"比|对上|\bagainst\b")
_SHORT = 60
_HISTORY_TURNS = 3
_MOST_OF_A_TURN = 2000
"""Characters of an earlier turn that are read, its last ones: a question comes after what was pasted with it."""
_OF_ITS_OWN = (
    *("overview", "compare", "filter", "superlative", "why", "how", "explain", "advice", "other_field", "document"),
    *("source", "yes_no", "sizing", "alternative", "convert", "chip", "group", "vendor", "cut", "workload", "year"),
)
"""Words that make a question of a bare name."""

ReadText = Callable[[str], Reading]


@dataclass(frozen=True, slots=True)
class Completed:
    """A reading with what it takes from earlier turns, and the whole as one text."""

    reading: Reading
    standalone: str
    from_history: bool


@dataclass(frozen=True, slots=True)
class _Needs:
    """What a question leaves out."""

    cards: bool
    fields: bool
    refers: bool

    @property
    def anything(self) -> bool:
        return self.cards or self.fields


def complete(
    reading: Reading, history: Sequence[Turn], patterns: Patterns, names: CardNames, read_text: ReadText
) -> Completed:
    """Cards or fields that a follow-up leaves out, from the last turns that had them."""
    asked = [turn.content[-_MOST_OF_A_TURN:] for turn in reversed(history) if turn.role == "user"][:_HISTORY_TURNS]
    spelt = _spelt_out(reading, asked, names, read_text)
    needs = _needs(spelt, patterns)
    if spelt is not reading and not spelt.asked.keys:
        needs = replace(needs, fields=True)
    reading = spelt
    if _narrows_a_filter(reading) and asked and _asks_for_cards(read_text(asked[0])):
        return Completed(read_text(f"{asked[0]}，{reading.text}"), f"{asked[0]} {reading.text}", True)
    if not needs.anything:
        return Completed(reading, reading.text, False)
    earlier = [read_text(text) for text in asked]
    used: list[str] = []
    merged = _with_cards(reading, needs, earlier, history, names, used) if needs.cards else reading
    if needs.cards and not merged.cards:
        return Completed(reading, reading.text, False)
    merged = _with_fields(merged, needs, earlier, used)
    if merged is reading:
        return Completed(reading, reading.text, False)
    in_order = [text for text in reversed(asked) if text in used] + [text for text in used if text not in asked]
    return Completed(merged, " ".join([*in_order, reading.text]), True)


def _spelt_out(reading: Reading, asked: Sequence[str], names: CardNames, read_text: ReadText) -> Reading:
    """The reading with a card spelt out that it names by a bare code or by its relation to the one before."""
    if reading.cards or len(reading.text) > _SHORT:
        return reading
    before = next((turn.cards for text in asked if (turn := read_text(text)).cards), ())
    whole = names.spelt_out(reading.text, before)
    return read_text(whole) if whole != reading.text else reading


def _needs(reading: Reading, patterns: Patterns) -> _Needs:
    short = len(reading.text) <= _SHORT
    refers = bool(patterns.anaphora.search(reading.folded))
    follows = short and bool(patterns.follow_up.search(fold_in_place(reading.text)))
    whole = reading.has("vendor", "group", "all_cards") or (
        reading.has("role") and reading.has("superlative", "filter")
    )
    asks = bool(reading.asked.keys) or reading.has("compare", "superlative") or (short and _continues(reading))
    nameless = not reading.cards and not reading.unknown
    with_others = (
        refers and bool(reading.cards) and (reading.has("compare") or _AGAINST.search(reading.folded) is not None)
    )
    cards = (nameless and (refers or (not whole and asks))) or with_others
    without_field = not reading.asked.keys or (reading.asked.generic and reading.has("convert"))
    bare = bool(reading.cards) and short and not _asks_something(reading)
    fields = _only_modifiers(reading) or (
        without_field and (cards or bare or (bool(reading.cards) and (follows or refers)))
    )
    return _Needs(cards, fields, refers)


def _continues(reading: Reading) -> bool:
    """Whether it only gives another unit, number of cards or version ("in TB/s", "8 张呢", "the SXM one")."""
    if _version_words(reading) or asks_of_so_many(reading):
        return True
    return reading.has("convert", "unit_word") and not reading.unexplained


def _asks_something(reading: Reading) -> bool:
    return bool(reading.asked.keys or reading.unexplained or reading.stated) or reading.has(*_OF_ITS_OWN)


def _only_modifiers(reading: Reading) -> bool:
    """Whether it asks for dense or sparse figures of what was asked before ("稀疏呢")."""
    if not {"dense", "sparse"} & {hit.value("modifier") for hit in reading.hits("modifier")}:
        return False
    return not reading.has("precision", "compute") and not set(reading.asked.keys) - {"fp16_tensor_tflops_sparse"}


def _version_words(reading: Reading) -> str:
    """The words of a version that stand without a card's name."""
    if reading.cards or len(reading.text) > _SHORT:
        return ""
    return " ".join(match.group() for match in _VERSION.finditer(fold_in_place(reading.text)))


# ---------------------------------------------------------------- cards


def _with_cards(
    reading: Reading,
    needs: _Needs,
    earlier: Sequence[Reading],
    history: Sequence[Turn],
    names: CardNames,
    used: list[str],
) -> Reading:
    if reading.cards:
        before = next((turn for turn in earlier if turn.cards), None)
        if before is None:
            return reading
        used.append(before.text)
        new = [card for card in reading.cards if all(card.gpu_ids != other.gpu_ids for other in before.cards)]
        return replace(reading, cards=(*before.cards, *new))
    if reading.has("compare", "superlative", "same") or _WHICH_OF_THEM.search(reading.folded):
        several = _several(earlier)
        if len(several) > 1:
            used += [turn.text for turn in earlier if any(card in several for card in turn.cards)]
            return replace(reading, cards=several)
    one = _one_of_two(reading, _several(earlier))
    if one is not None:
        used += [turn.text for turn in earlier if one in turn.cards]
        return replace(reading, cards=(one,))
    for turn in earlier:
        if turn.cards:
            used.append(turn.text)
            return _of_version(replace(reading, cards=turn.cards), names)
    answered = next((turn.content for turn in reversed(history) if turn.role == "assistant"), "")
    subject = next((m for m in names.find(answered[:_MOST_OF_A_TURN]) if m.status != "unknown"), None)
    if subject is None or any(turn.unknown for turn in earlier):
        return reading
    used.append(subject.text)
    return replace(reading, cards=(subject,))


def _one_of_two(reading: Reading, cards: Sequence[Mention]) -> Mention | None:
    """The card that "the first one" or "后者" means of two."""
    if len(cards) != 2:
        return None
    if _FIRST.search(reading.folded):
        return cards[0]
    return cards[1] if _SECOND.search(reading.folded) else None


def _several(earlier: Sequence[Reading]) -> tuple[Mention, ...]:
    """Cards to compare: of the last turn, or of the last two where each names one."""
    found: list[Mention] = []
    for turn in earlier:
        found = [*(card for card in turn.cards if all(card.gpu_ids != other.gpu_ids for other in found)), *found]
        if len(found) > 1:
            break
    return tuple(found)


def _of_version(reading: Reading, names: CardNames) -> Reading:
    """The cards narrowed down to the version that the question gives by itself ("the SXM one")."""
    words = " ".join(match.group() for match in _VERSION.finditer(fold_in_place(reading.text)))
    if not words:
        return reading
    narrowed = []
    for card in reading.cards:
        named = names.find(f"{_without_version(card.text, words)} {words}")
        fits = len(named) == 1 and bool(named[0].gpu_ids) and set(named[0].gpu_ids) != set(card.gpu_ids)
        narrowed.append(replace(named[0], start=card.start, end=card.end, text=named[0].text) if fits else card)
    if all(new is old for new, old in zip(narrowed, reading.cards, strict=True)):
        return reading
    asked = reading.asked
    if asked.keys == ["pcie"] or (asked.keys == ["memory_gb"] and reading.stated):
        # The word names the version, not what is asked of it.
        asked = FieldReading()
    # A memory size that names the version is no figure to be checked.
    return replace(reading, cards=tuple(narrowed), stated=[], unexplained=(), asked=asked)


def _without_version(name: str, words: str) -> str:
    """A card's name without the words that others of the same kind take the place of."""
    folded = fold_in_place(name)
    for kind in (_FORM, _SIZE):
        if kind.search(words):
            folded = kind.sub(" ", folded)
    return folded


# ---------------------------------------------------------------- fields


def _with_fields(reading: Reading, needs: _Needs, earlier: Sequence[Reading], used: list[str]) -> Reading:
    if not needs.fields:
        return reading
    before = next((turn for turn in earlier if turn.asked.keys), None)
    if before is None:
        return reading
    used.append(before.text)
    asked = before.asked
    if _only_modifiers(reading):
        sparse = any(hit.value("modifier") == "sparse" for hit in reading.hits("modifier"))
        asked = _twins(asked, sparse=sparse)
    return replace(reading, asked=asked)


def _twins(asked: FieldReading, *, sparse: bool) -> FieldReading:
    """The same fields with or without structured sparsity."""
    found = FieldReading(sparsity="sparse" if sparse else "dense", generic=asked.generic)
    for key in asked.keys:
        dense = FIELDS[key].sparse_of or key
        found.add((sparse_key(dense) or dense if sparse else dense,), asked.at[key])
    return found


# ---------------------------------------------------------------- filters


def _narrows_a_filter(reading: Reading) -> bool:
    """Whether it only adds a bound ("功耗低于 300 W 的呢")."""
    bounded = any(stated.operator is not None for stated in reading.stated)
    return bounded and not (reading.cards or reading.unknown or reading.unexplained) and len(reading.text) <= _SHORT


def _asks_for_cards(reading: Reading) -> bool:
    return not reading.cards and not reading.unknown and reading.has("filter", "group", "vendor", "role")
