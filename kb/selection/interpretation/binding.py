"""Which field an amount is about: those its unit allows, the nearest one named; else what such a unit mostly means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kb.selection.attributes import kind_of, label_of, unit_of_field
from kb.selection.interpretation.amounts import ABOUT, Amount
from kb.selection.interpretation.directions import doubled, is_one_way
from kb.selection.interpretation.placed import Placed
from kb.selection.interpretation.tokens import TERA, Token
from kb.selection.interpretation.topics import Topic, with_sparsity
from kb.selection.note import Note
from kb.selection.requirement import Requirement, in_unit_of
from kb.selection.wording import requirement_said

_DEFAULTS: Final[Mapping[str, str]] = {
    "GB": "memory_gb",
    "GiB": "memory_gb",
    "MB": "l2_mb",
    "MiB": "l2_mb",
    "GB/s": "memory_bandwidth_gb_s",
    "Gb/s": "interconnect_gb_s",
    "W": "tdp_w",
    "TOPS": "int8_tops",
    "TFLOPS": "fp16_tensor_tflops",
    "nm": "process_nm",
    "bit": "memory_bus_bits",
    "USD": "price_usd",
    "MHz": "boost_clock_mhz",
    "streams": "video_decode_1080p30",
    "GPixel/s": "pixel_rate_gpixel_s",
    "GTexel/s": "texture_rate_gtexel_s",
}
"""What an amount in a (canonical) unit is about where no field is named."""
_PLAIN_UNITS: Final = frozenset({"W", "USD", "nm", "streams", "GPixel/s", "GTexel/s", "bit", "GB", "GiB"})
"""Units that mean their field without doubt."""
_COMPUTE_UNITS: Final = frozenset({"TOPS", "TFLOPS"})
_ACROSS_MARK, _ACROSS_AMOUNT, _AFTER = 3.0, 5.0, 0.4
_FARTHEST: Final = 8.0
_MOST_TOKENS: Final = 24
"""Beyond that many tokens a field and an amount have nothing to do with each other."""


@dataclass(frozen=True, slots=True)
class Bound:
    """An amount with its field.

    Attributes:
        placed: its requirements, in the unit of the field.
        notes: what was assumed.
    """

    placed: Placed
    notes: tuple[Note, ...]


def bind(tokens: Sequence[Token], amounts: Sequence[Amount], topics: Sequence[Topic]) -> list[Bound]:
    """Requirements of all amounts that mean a field; amounts and topics are marked as used."""
    pairs = sorted(
        (cost, a, t)
        for a, amount in enumerate(amounts)
        for t, topic in enumerate(topics)
        if (cost := _cost(tokens, amount, topic)) is not None
    )
    chosen: dict[int, Topic] = {}
    taken: set[int] = set()
    for repeated in (False, True):  # a field named once may be bounded twice, if nothing else is left
        for _, a, t in pairs:
            if a not in chosen and (t not in taken or repeated):
                chosen[a] = topics[t]
                taken.add(t)
    found: list[Bound | None] = []
    for a, amount in enumerate(amounts):
        topic = chosen.get(a)
        found.append(_bound(tokens, amount, topic, _place(tokens, amount, topic)))
        if topic is not None and amount.used:
            free = [other for t, other in enumerate(topics) if t not in taken]
            joined = _joined(tokens, topic, free)
            found += [_bound(tokens, amount, other, (other.first, other.last)) for other in joined]
    return [bound for bound in found if bound is not None]


def _place(tokens: Sequence[Token], amount: Amount, topic: Topic | None) -> tuple[int, int]:
    """First and last token of an amount with its field; of the amount alone where an "or" parts them."""
    if topic is None:
        return amount.first, amount.last
    first, last = min(amount.first, topic.first), max(amount.last, topic.last)
    between = tokens[min(amount.last, topic.last) + 1 : max(amount.first, topic.first)]
    parted = any(token.is_a("or") and not token.used for token in between)
    return (amount.first, amount.last) if parted else (first, last)


def _joined(tokens: Sequence[Token], topic: Topic, free: Sequence[Topic]) -> list[Topic]:
    """Fields joined to the one that an amount bounds: it bounds them all.

    "FP16 和 BF16 都至少 300 TFLOPS" bounds both, "FP16 或 BF16 至少 300 TFLOPS" one or the other.
    """
    is_each = any(token.is_a("each") for token in tokens[max(0, topic.first - 8) : topic.last + 3])
    found: list[Topic] = []
    first, last = topic, topic
    for other in reversed([one for one in free if one.last < topic.first]):
        if not _are_joined(tokens[other.last + 1 : first.first], is_each=is_each):
            break
        found.append(other)
        first = other
    for other in [one for one in free if one.first > topic.last]:
        if not _are_joined(tokens[last.last + 1 : other.first], is_each=False):
            break
        found.append(other)
        last = other
    return [other for other in found if not other.used]


def _are_joined(joints: Sequence[Token], *, is_each: bool) -> bool:
    """Whether only words for "and" (those are marked as used) or for "or" stand between two fields."""
    if joints and all(token.is_a("or") and token.text != "/" for token in joints):
        return True
    if not (is_each and joints and all(token.is_a("and") or token.text in ("/", "、") for token in joints)):
        return False
    for token in joints:
        token.used = token.used or "joint"
    return True


def _cost(tokens: Sequence[Token], amount: Amount, topic: Topic) -> float | None:
    """How far apart they stand; `None` if the amount's unit cannot be the field's."""
    if topic.first - amount.last > _MOST_TOKENS or amount.first - topic.last > _MOST_TOKENS:
        return None
    key = _key(amount, topic)
    if not key or _in_unit(amount, key) is None:
        return None
    if topic.last < amount.first:
        between, cost = tokens[topic.last + 1 : amount.first], 0.0
    elif topic.first > amount.last:
        between, cost = tokens[amount.last + 1 : topic.first], _AFTER
    else:
        return None
    for token in between:
        if token.kind == "mark" or token.is_a("and", "or") or token.text.startswith("and"):
            cost += _ACROSS_MARK
        elif token.kind == "amount":
            cost += _ACROSS_AMOUNT
        elif not (token.is_filler or token.used):
            cost += 1.0
    if not amount.unit and (cost > 1.0 or kind_of(key) != "number"):
        return None
    return cost if cost <= _FARTHEST else None


def _key(amount: Amount, topic: Topic) -> str:
    if topic.key:
        return topic.key
    return _DEFAULTS[amount.unit] if amount.unit in _COMPUTE_UNITS else ""


def _in_unit(amount: Amount, key: str) -> list[tuple[str, float | tuple[float, ...]]] | None:
    """The amount's bounds in the unit of a field; a number without a unit is taken in the field's own."""
    found: list[tuple[str, float | tuple[float, ...]]] = []
    for operator, value in amount.bounds:
        values = value if isinstance(value, tuple) else (value,)
        if amount.unit == TERA and unit_of_field(key) not in _COMPUTE_UNITS:
            return None
        plain = amount.unit in ("", TERA)
        converted = [one if plain else in_unit_of(key, one, amount.unit) for one in values]
        if any(one is None for one in converted):
            return None
        # Transistors are counted in millions and written in full.
        scale = 1e-6 if unit_of_field(key) == "million" and not amount.unit else 1.0
        numbers = tuple(one * scale if one >= 1e6 else one for one in converted if one is not None)
        found.append((operator, numbers if isinstance(value, tuple) else numbers[0]))
    return found


def _bound(tokens: Sequence[Token], amount: Amount, topic: Topic | None, place: tuple[int, int]) -> Bound | None:
    key = _key(amount, topic) if topic is not None else _DEFAULTS.get(amount.unit, "")
    if not key:
        return None
    notes: list[Note] = []
    is_named = topic is not None and bool(topic.key)
    key = with_sparsity(key, _modifiers_near(tokens, amount))
    bounds = _in_unit(amount, key)
    if bounds is None:
        return None
    implied = _implied(tokens, topic)
    if amount.is_bare and implied:
        bounds = [(implied, value) for _, value in bounds]
        amount.is_bare = False
    amount.used = True
    if topic is not None:
        topic.used = True
        for token in tokens[topic.first : topic.last + 1]:
            token.used = token.used or "topic"
    requirements = tuple(Requirement(key, operator, value) for operator, value in bounds)  # type: ignore[arg-type]
    if not is_named and amount.unit not in _PLAIN_UNITS:
        notes.append(_assumed(key, amount.unit))
    if amount.is_bare:
        notes.append(_exactly(requirements[0]))
    if amount.is_about:
        notes.append(_about(key))
    if key == "interconnect_gb_s" and is_one_way(tokens, amount, place):
        requirements = tuple(doubled(one) for one in requirements)
        notes.append(_both_directions(requirements[0]))
    return Bound(Placed(*place, requirements), tuple(notes))


def _implied(tokens: Sequence[Token], topic: Topic | None) -> str:
    """How the field's own word bounds an amount ("budget $3000"); empty if it does not."""
    named = tokens[topic.first : topic.last + 1] if topic is not None else ()
    return next((value for token in named if (value := token.get("implies"))), "")


def _modifiers_near(tokens: Sequence[Token], amount: Amount) -> set[str]:
    """Words for dense and sparse right behind an amount (`2000 TOPS（稀疏）`); they are marked as used."""
    found: set[str] = set()
    for position in range(amount.last + 1, min(amount.last + 5, len(tokens))):
        token = tokens[position]
        if token.is_a("dense", "sparse"):
            following = tokens[position + 1] if position + 1 < len(tokens) else None
            if following is not None and following.is_a("precision", "compute"):
                break  # it belongs to another field
            found |= {tag.kind for tag in token.tags}
            token.used = "topic"
        elif token.kind != "mark" and not token.is_a("after", "filler", "has"):
            break
    return found


def _assumed(key: str, unit: str) -> Note:
    return Note(
        f"没有说是哪一项，{unit} 按“{label_of(key, 'zh')}”理解。",
        f'No field is named; {unit} is taken as "{label_of(key, "en")}".',
    )


def _exactly(requirement: Requirement) -> Note:
    zh, en = requirement_said(requirement, "zh"), requirement_said(requirement, "en")
    return Note(
        f"没有“至少”“以内”之类的词，按正好等于理解：{zh}。",
        f'There is no word such as "at least" or "under": exactly {en} is meant.',
    )


def _both_directions(requirement: Requirement) -> Note:
    zh, en = requirement_said(requirement, "zh"), requirement_said(requirement, "en")
    return Note(
        f"目录里的互联带宽是两个方向之和，单向的数值按两倍计：{zh}。",
        f"The catalogue counts both directions together, so a figure per direction is doubled: {en}.",
    )


def _about(key: str) -> Note:
    share = f"{ABOUT:.0%}"
    zh, en = label_of(key, "zh"), label_of(key, "en")
    return Note(f"“约”按上下 {share} 理解（{zh}）。", f'"About" is taken as ±{share} ({en}).')
