"""Cards against each other: who has more, by how much, and what differs at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.draft import DraftTable, Sentence
from kb.answer.question import Question
from kb.answer.structured.lookup import OVERVIEW, read_as, variants_in_parentheses
from kb.answer.structured.names import common_name, mention_name
from kb.answer.structured.page import Group, Page, fields_table, groups_table
from kb.answer.structured.said import Said, Words, combine, counted, derived, join, listed, phrase, sentence
from kb.answer.structured.voice import COUNTS, Voice
from kb.specs.fields import FIELDS
from kb.specs.figures import write_value
from kb.specs.names import Mention

_CUT_FIELDS = (
    "interconnect_gb_s",
    "memory_gb",
    "memory_type",
    "memory_bandwidth_gb_s",
    "memory_bus_bits",
    "compute_units",
    "shader_cores",
    "tensor_cores",
    "rt_cores",
    "fp64_tflops",
    "fp64_tensor_tflops",
    "fp32_tflops",
    "tf32_tensor_tflops",
    "fp16_tensor_tflops",
    "bf16_tensor_tflops",
    "fp8_tensor_tflops",
    "int8_tops",
    "l2_mb",
    "pcie",
    "tdp_w",
)
"""Where export and trimmed versions differ, in the order a reader cares."""
_LARGER = {"memory_gb", "memory_bus_bits", "l2_mb", "l3_mb", "die_mm2"}
_SLIGHT = 0.02
"""Figures closer than this are the same for "what was cut"."""
_MOST_COLUMNS = 4
_ROW_FIELDS = {
    "memory_gb",
    "memory_bandwidth_gb_s",
    "fp16_tensor_tflops",
    "fp8_tensor_tflops",
    "interconnect_gb_s",
    "tdp_w",
}
"""What cards in rows are told by, where there are many of them."""
_WHOLE_CONCLUSIONS = ("fp16_tensor_tflops", "memory_bandwidth_gb_s")
_PAIR = 2
_FROM = re.compile(r"(?:\bfrom(?: the| an?)?|从|把|将|给)\s*$", re.IGNORECASE)
"""Words before the card that something was taken from."""
_LESS = re.compile(r"便宜|省电|更低|[谁个张款]低|更小|[谁个张款]小|更少|cheaper|less|lower|smaller|fewer")
_MORE = re.compile(r"更高|[谁个张款]高|更大|更多|更贵|费电|more|higher|larger|bigger")
_MOST_PAIRS = 3
_MOST_CONCLUSIONS = 2
_MAIN_COMPUTE = "fp16_tensor_tflops"
_MOST_CHANGES = 4


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a card, or all cards of a name with the same figure."""

    name: str
    gpu_ids: tuple[str, ...]
    value: float | str | None
    said: Said


def compare(page: Page, voice: Voice, question: Question) -> None:
    """Write a comparison of the cards named."""
    page.answered += 1
    for mention in question.cards:
        read_as(page, voice, mention)
    if not question.fields:
        _as_a_whole(page, voice, question)
        return
    _by_fields(page, voice, question, _compared_keys(voice, question))


def _compared_keys(voice: Voice, question: Question) -> tuple[str, ...]:
    """The fields asked; of "compute" as such, those that any of the cards has."""
    keys = question.fields
    if not question.generic_compute:
        return keys
    return tuple(key for key in keys if any(voice.is_stated(gpu_id, key) for gpu_id in question.gpu_ids)) or keys


def _by_fields(page: Page, voice: Voice, question: Question, keys: Sequence[str]) -> None:
    ids = question.gpu_ids
    told = [key for key in keys if key == _MAIN_COMPUTE] if question.generic_compute else keys[:_MOST_CONCLUSIONS]
    if question.asks_same and len(keys) == 1:
        page.add(_same_or_not(voice, ids, keys[0]))
    for key in told or keys[:1]:
        page.extend(conclusions(voice, question.cards, key, lower=_asks_for_less(question.text)))
    groups = _groups(voice, question.cards, keys)
    if len(groups) > 2 or len(keys) > 1:
        if not page.parts:
            page.add(_head(voice, question.cards, keys[0]))
        page.add(table(voice, _sorted(voice, groups, keys), keys))
    disputed = ((i, k) for i in ids for k in keys if voice.entry(i, k).state in {"conflicting", "unresolved"})
    for gpu_id, key in disputed:
        page.extend(voice.sentences(gpu_id, key)[1:2])


def _asks_for_less(text: str) -> bool:
    return bool(_LESS.search(text.lower())) and not _MORE.search(text.lower())


def _same_or_not(voice: Voice, ids: Sequence[str], key: str) -> Sentence:
    texts = {voice.value(gpu_id, key).text for gpu_id in ids if voice.is_stated(gpu_id, key)}
    said = combine("", [voice.value(gpu_id, key) for gpu_id in ids])
    answer = sentence("compare.is_same" if len(texts) == 1 else "compare.not_same", voice.language)
    return Sentence(answer.text, said.supports[:2])


def _head(voice: Voice, mentions: Sequence[Mention], key: str) -> Sentence:
    names = listed([Said(mention_name(voice, mention)) for mention in mentions], voice.language)
    return sentence("compare.field_head", voice.language, cards=names, label=voice.label(key))


def table(voice: Voice, groups: Sequence[Group], keys: Sequence[str]) -> DraftTable:
    """Cards in columns where there are few of them and many fields, else in rows."""
    wide = len(groups) <= _MOST_COLUMNS and len(keys) > len(groups)
    return fields_table(voice, groups, keys) if wide else groups_table(voice, groups, keys)


def figures_of(voice: Voice, mention: Mention, key: str) -> list[tuple[float, Said]]:
    """The plain figures of one field of all cards of a name."""
    found = []
    for gpu_id in mention.gpu_ids:
        value = voice.entry(gpu_id, key).value
        if isinstance(value, float | int):
            found.append((float(value), voice.value(gpu_id, key)))
    return found


def figure_groups(voice: Voice, mentions: Sequence[Mention], keys: Sequence[str]) -> list[Group]:
    """The cards named as a table shows them: all cards of a name as one where no figure differs."""
    return _groups(voice, mentions, keys)


def _groups(voice: Voice, mentions: Sequence[Mention], keys: Sequence[str]) -> list[Group]:
    """The cards named; all cards of a name as one where no figure differs between them."""
    groups: list[Group] = []
    for mention in mentions:
        if len(mention.gpu_ids) > 1 and all(len(_sides(voice, mention, key)) == 1 for key in keys):
            groups.append((mention_name(voice, mention), mention.gpu_ids))
        else:
            groups += [(voice.name(gpu_id), (gpu_id,)) for gpu_id in mention.gpu_ids]
    return groups


def _sorted(voice: Voice, groups: list[Group], keys: Sequence[str]) -> list[Group]:
    """Highest first, where it is one number that is compared; else as named."""
    if len(keys) > 1 or FIELDS[keys[0]].kind != "number":
        return groups

    def rank(group: Group) -> float:
        value = voice.entry(group[1][0], keys[0]).value
        return -float(value) if isinstance(value, float | int) else 0.0

    return sorted(groups, key=rank)


# ---------------------------------------------------------------- one field


def conclusions(voice: Voice, mentions: Sequence[Mention], key: str, *, lower: bool = False) -> list[Sentence]:
    """What the figures of one field come to; `lower` tells it from the side that has less."""
    by_name = [_sides(voice, mention, key) for mention in mentions]
    if len(mentions) == 2 and any(len(sides) > 1 for sides in by_name):
        if FIELDS[key].kind == "date":
            return _date_spans(voice, mentions, by_name)
        pairs = matched_variants(voice, mentions[0], mentions[1])
        stated = [(a, b) for a, b in pairs if voice.is_stated(a, key) and voice.is_stated(b, key)]
        if stated:
            pairs_said = [(_single(voice, a, key), _single(voice, b, key)) for a, b in stated[:_MOST_PAIRS]]
            return [_two(voice, a, b, key, lower=lower) for a, b in pairs_said]
        return _spans(voice, mentions, by_name, key)
    sides = [side for found in by_name for side in found]
    if len(sides) == 2:
        return [_two(voice, sides[0], sides[1], key, lower=lower)]
    return _of_many(voice, sides, key)


def _spans(voice: Voice, mentions: Sequence[Mention], by_name: Sequence[Sequence[Side]], key: str) -> list[Sentence]:
    """Two names whose versions do not match one to one: how their spans lie."""
    known = [[side for side in sides if isinstance(side.value, float | int)] for sides in by_name]
    if FIELDS[key].kind != "number" or not all(known):
        return []
    spans = [(min(sides, key=_number), max(sides, key=_number)) for sides in known]
    names = [mention_name(voice, mention) for mention in mentions]
    said = [_span_said(voice, low, high) for low, high in spans]
    label = voice.label(key, spans[0][0].gpu_ids[0])
    for winner, loser in ((0, 1), (1, 0)):
        if _number(spans[winner][0]) > _number(spans[loser][1]):
            words: dict[str, Words] = {"winner": names[winner], "high": said[winner]}
            words |= {"loser": names[loser], "low": said[loser]}
            single = len(by_name[winner]) == 1 and len(mentions[winner].gpu_ids) == 1
            template = "compare.higher_than_all" if single else "compare.all_higher"
            return [sentence(template, voice.language, label=label, **words)]
    words = {"first": names[0], "a": said[0], "second": names[1], "b": said[1]}
    return [sentence("compare.overlap", voice.language, label=label, **words)]


def _date_spans(voice: Voice, mentions: Sequence[Mention], by_name: Sequence[Sequence[Side]]) -> list[Sentence]:
    """Which of two names came out first, where their versions have dates of their own."""
    spans = [sorted((side for side in sides if isinstance(side.value, str)), key=_date) for sides in by_name]
    if not all(spans):
        return []
    older, newer = (0, 1) if _date(spans[0][0]) <= _date(spans[1][0]) else (1, 0)
    names = [mention_name(voice, mention) for mention in mentions]
    words: dict[str, Words] = {"older": names[older], "first": spans[older][0].said}
    words |= {"newer": names[newer], "second": spans[newer][0].said}
    return [sentence("compare.date_spans", voice.language, **words)]


def _date(side: Side) -> str:
    return str(side.value)


def _number(side: Side) -> float:
    return float(side.value) if isinstance(side.value, float | int) else 0.0


def _span_said(voice: Voice, low: Side, high: Side) -> Said:
    if low.value == high.value:
        return low.said
    return phrase("compare.span", voice.language, low=low.said, high=high.said)


def _single(voice: Voice, gpu_id: str, key: str) -> Side:
    value = voice.entry(gpu_id, key).value
    return Side(voice.name(gpu_id), (gpu_id,), value, voice.value(gpu_id, key))


def _sides(voice: Voice, mention: Mention, key: str) -> list[Side]:
    groups: dict[str, list[str]] = {}
    for gpu_id in mention.gpu_ids:
        groups.setdefault(voice.value(gpu_id, key).text, []).append(gpu_id)
    sides: list[Side] = []
    for text, ids in groups.items():
        if len(groups) == 1:
            name = mention_name(voice, mention)
        elif len(ids) == 1:
            name = voice.name(ids[0])
        else:
            name = f"{common_name(voice, mention.gpu_ids)}{variants_in_parentheses(voice, ids)}"
        said = combine(text, [voice.value(gpu_id, key) for gpu_id in ids])
        sides.append(Side(name, tuple(ids), voice.entry(ids[0], key).value, said))
    return sides


def _two(voice: Voice, first: Side, second: Side, key: str, *, lower: bool = False) -> Sentence:
    language = voice.language
    label = voice.label(key, first.gpu_ids[0])
    if first.said.text == second.said.text:
        names = listed([Said(first.name), Said(second.name)], language)
        both = combine(first.said.text, [first.said, second.said])
        if key in COUNTS and first.value == 0:
            zero = both.with_text("0")
            return sentence("compare.both_none", language, cards=names, feature=voice.feature(key), value=zero)
        return sentence("compare.equal", language, cards=names, label=label, value=both)
    numbers = isinstance(first.value, float | int) and isinstance(second.value, float | int)
    if numbers and FIELDS[key].kind == "number":
        return _by_number(voice, first, second, key, label, lower=lower)
    if FIELDS[key].kind == "date" and isinstance(first.value, str) and isinstance(second.value, str):
        newer, older = (first, second) if first.value >= second.value else (second, first)
        return sentence("compare.dates", language, winner=newer.name, high=newer.said, loser=older.name, low=older.said)
    parts = [phrase("compare.text_part", language, card=side.name, value=side.said) for side in (first, second)]
    template = "compare.texts" if FIELDS[key].kind == "text" else "compare.one_missing"
    return sentence(template, language, label=label, parts=join(parts, "，" if language == "zh" else ", "))


def _by_number(voice: Voice, first: Side, second: Side, key: str, label: str, *, lower: bool) -> Sentence:
    assert isinstance(first.value, float | int)
    assert isinstance(second.value, float | int)
    high, low = (first, second) if first.value >= second.value else (second, first)
    assert isinstance(high.value, float | int)
    assert isinstance(low.value, float | int)
    if not low.value and high.value and key in COUNTS:
        words: dict[str, Words] = {"winner": high.name, "high": high.said, "loser": low.name}
        zero = low.said.with_text("0")
        return sentence("compare.some_none", voice.language, feature=voice.feature(key), low=zero, **words)
    if not low.value or high.value == low.value:
        return sentence(
            "compare.over_zero",
            voice.language,
            label=label,
            winner=high.name,
            high=high.said,
            loser=low.name,
            low=low.said,
        )
    if not (_is_plain(voice, high, key) and _is_plain(voice, low, key)):
        return _without_ratio(voice, high, low, key)
    ratio = derived(high.value / low.value)
    difference = _difference(voice, high.value - low.value, key)
    template = "compare.larger" if key in _LARGER else "compare.higher"
    if lower:
        template = "compare.smaller" if key in _LARGER else "compare.lower"
    return sentence(
        template,
        voice.language,
        winner=high.name,
        loser=low.name,
        label=label,
        high=high.said,
        low=low.said,
        ratio=ratio,
        difference=difference,
    )


def _difference(voice: Voice, value: float, key: str) -> Said:
    """A difference with its unit as the language writes it (401 美元, $401)."""
    shown = derived(value, FIELDS[key].unit, digits=3)
    text = write_value(FIELDS[key], round(value, 3), round(value, 3), round(value, 3))
    return shown.with_text(text[0 if voice.language == "zh" else 1])


def _is_plain(voice: Voice, side: Side, key: str) -> bool:
    return voice.entry(side.gpu_ids[0], key).state == "known"


def _without_ratio(voice: Voice, high: Side, low: Side, key: str) -> Sentence:
    """Figures on several bases or in dispute: who has more, if that much is sure."""
    bounds = [voice.entry(side.gpu_ids[0], key).bounds for side in (high, low)]
    sure = all(bounds) and bounds[0] is not None and bounds[1] is not None and bounds[0][0] > bounds[1][1]
    template = "compare.surely" if sure else "compare.unsure"
    label = voice.label(key, high.gpu_ids[0])
    words: dict[str, Words] = {"winner": high.name, "high": high.said, "loser": low.name, "low": low.said}
    return sentence(template, voice.language, label=label, **words)


def _of_many(voice: Voice, sides: Sequence[Side], key: str) -> list[Sentence]:
    known = [side for side in sides if isinstance(side.value, float | int)]
    if FIELDS[key].kind != "number" or len(known) < 2:
        return []
    best = max(known, key=lambda side: float(side.value or 0))
    worst = min(known, key=lambda side: float(side.value or 0))
    label = voice.label(key, best.gpu_ids[0])
    return [
        sentence("compare.most", voice.language, label=label, card=best.name, value=best.said),
        sentence("compare.least", voice.language, label=label, card=worst.name, value=worst.said),
    ]


# ---------------------------------------------------------------- as a whole


def _as_a_whole(page: Page, voice: Voice, question: Question) -> None:
    mentions = question.cards
    if len(mentions) == 2 and _related(voice, mentions[0], mentions[1]):
        pairs = matched_variants(voice, mentions[0], mentions[1])
        if pairs:
            _differences(page, voice, question, pairs)
            return
    ids = question.gpu_ids
    names = listed([Said(mention_name(voice, mention)) for mention in mentions], voice.language)
    keys = [key for key in OVERVIEW if any(voice.is_stated(gpu_id, key) for gpu_id in ids)]
    groups: list[Group] = [(voice.name(gpu_id), (gpu_id,)) for gpu_id in ids]
    if len(mentions) == _PAIR:
        for key in _WHOLE_CONCLUSIONS:
            by_name = [_sides(voice, mention, key) for mention in mentions]
            if all(len(sides) == 1 for sides in by_name):
                page.add(_two(voice, by_name[0][0], by_name[1][0], key))
            else:
                page.extend(_spans(voice, mentions, by_name, key))
    page.add(sentence("compare.main_head", voice.language, cards=names))
    if len(ids) <= _MOST_COLUMNS:
        page.add(fields_table(voice, groups, keys))
    else:
        page.add(groups_table(voice, groups, _for_rows(keys)))


def _for_rows(keys: Sequence[str]) -> list[str]:
    return [key for key in keys if key in _ROW_FIELDS]


def _related(voice: Voice, first: Mention, second: Mention) -> bool:
    """Versions of one chip: same architecture and vendor, so that "what was cut" has an answer."""
    a, b = voice.spec(first.gpu_ids[0]), voice.spec(second.gpu_ids[0])
    return a.vendor_id == b.vendor_id and a.architecture_id == b.architecture_id and bool(a.architecture_id)


def _differences(page: Page, voice: Voice, question: Question, pairs: Sequence[tuple[str, str]]) -> None:
    """What differs between variants that match, the first card named seen from the second ("cut from" turns that)."""
    first, second = question.cards
    if _FROM.search(question.text[: first.start]):
        first, second = second, first
        pairs = [(b, a) for a, b in pairs]
    some = [key for key in _CUT_FIELDS if any(_differs(voice, a, b, key) for a, b in pairs)]
    differing = [key for key in some if _differs_mostly(voice, pairs, key)] or some
    names = [mention_name(voice, mention) for mention in (first, second)]
    if len(pairs) == 1:
        names = [voice.name(gpu_id) for gpu_id in pairs[0]]
    if not differing:
        page.add(sentence("compare.no_difference", voice.language, first=names[0], second=names[1]))
    else:
        parts = listed([_change(voice, pairs, key) for key in _weightiest(voice, pairs, differing)], voice.language)
        many = len(differing) > _MOST_CHANGES
        words: dict[str, Words] = {"card": names[0], "reference": names[1], "parts": parts}
        if len(some) > len(differing) and not many:
            page.add(sentence("compare.cut_mostly", voice.language, **words))
        elif many:
            page.add(sentence("compare.many_differ", voice.language, count=counted(len(differing)), **words))
        else:
            page.add(sentence("compare.cut", voice.language, **words))
    shown = list(dict.fromkeys(gpu_id for pair in pairs for gpu_id in reversed(pair)))
    groups: list[Group] = [(voice.name(gpu_id), (gpu_id,)) for gpu_id in shown]
    page.add(table(voice, groups, some or ["memory_gb", "memory_bandwidth_gb_s", "fp16_tensor_tflops", "tdp_w"]))


def _weightiest(voice: Voice, pairs: Sequence[tuple[str, str]], keys: Sequence[str]) -> list[str]:
    """The few fields that differ most, in the order of the fields."""

    def weight(key: str) -> float:
        a, b = next(
            (voice.entry(a, key).value, voice.entry(b, key).value) for a, b in pairs if _differs(voice, a, b, key)
        )
        if not isinstance(a, float | int) or not isinstance(b, float | int):
            return 0.3
        return abs(a - b) / max(abs(a), abs(b))

    chosen = sorted(keys, key=weight, reverse=True)[:_MOST_CHANGES]
    return [key for key in keys if key in chosen]


def _change(voice: Voice, pairs: Sequence[tuple[str, str]], key: str) -> Said:
    cut, reference = next((a, b) for a, b in pairs if _differs(voice, a, b, key))
    return phrase(
        "compare.cut_part",
        voice.language,
        label=voice.label(key, cut),
        before=voice.value(reference, key),
        after=voice.value(cut, key),
    )


def _differs_mostly(voice: Voice, pairs: Sequence[tuple[str, str]], key: str) -> bool:
    """Whether most of the pairs with both figures differ; a lone difference is a matter of sources."""
    comparable = [pair for pair in pairs if all(voice.entry(gpu_id, key).value is not None for gpu_id in pair)]
    return 2 * sum(_differs(voice, a, b, key) for a, b in comparable) > len(comparable)


def _differs(voice: Voice, first: str, second: str, key: str) -> bool:
    a, b = voice.entry(first, key), voice.entry(second, key)
    if a.value is None or b.value is None:
        return False
    if isinstance(a.value, float | int) and isinstance(b.value, float | int):
        larger = max(abs(a.value), abs(b.value))
        return bool(larger) and abs(a.value - b.value) / larger > _SLIGHT
    return a.value != b.value


# ---------------------------------------------------------------- variants that match


def matched_variants(voice: Voice, first: Mention, second: Mention) -> list[tuple[str, str]]:
    """Cards of two names that are the same version (`A800 SXM4 80GB` and `A100 SXM4 80GB`)."""
    pairs: list[tuple[str, str]] = []
    for gpu_id in first.gpu_ids:
        best = max(second.gpu_ids, key=lambda other: _likeness(voice, gpu_id, other))
        if _likeness(voice, gpu_id, best) >= 1 or len(first.gpu_ids) == len(second.gpu_ids) == 1:
            pairs.append((gpu_id, best))
    return pairs or _closest_pair(voice, first, second)


def _closest_pair(voice: Voice, first: Mention, second: Mention) -> list[tuple[str, str]]:
    """A single card and the version of the other name it shares most figures with (the H20 and the H100 SXM)."""
    if (len(first.gpu_ids) > 1 and len(second.gpu_ids) > 1) or not _related(voice, first, second):
        return []

    def shared(pair: tuple[str, str]) -> int:
        entries = [(voice.entry(pair[0], key).value, voice.entry(pair[1], key).value) for key in _CUT_FIELDS]
        return sum(a is not None and a == b for a, b in entries)

    return [max(((a, b) for a in first.gpu_ids for b in second.gpu_ids), key=shared)]


def _likeness(voice: Voice, first: str, second: str) -> float:
    a, b = (_version_words(voice, gpu_id) for gpu_id in (first, second))
    same_form = bool({word for word in a if word.isalpha()} & {word for word in b if word.isalpha()})
    return len(a & b) + (0.5 if same_form else -1.0)


def _version_words(voice: Voice, gpu_id: str) -> set[str]:
    """Form factor and memory of a name, the form factor without its generation: `sxm`, `80gb`."""
    words = set(re.findall(r"[a-z0-9]+", voice.spec(gpu_id).name.lower()))
    return {re.sub(r"^(sxm|oam)\d?$", r"\1", word) for word in words}
