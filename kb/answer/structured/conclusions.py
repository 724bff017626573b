"""What the figures of one field come to: who has more, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.draft import Sentence
from kb.answer.structured.names import mention_name
from kb.answer.structured.said import Said, Words, combine, derived, join, listed, phrase, sentence
from kb.answer.structured.sides import Side, side_of, sides_of
from kb.answer.structured.versions import matched_variants, newer_first
from kb.answer.structured.voice import COUNTS, HAD, Voice
from kb.specs.fields import FIELDS
from kb.specs.figures import write_value
from kb.specs.names import Mention

_LARGER = {"memory_gb", "memory_bus_bits", "l2_mb", "l3_mb", "die_mm2"}
_MOST_PAIRS = 3
_NEARLY = 1.01


def conclusions(voice: Voice, mentions: Sequence[Mention], key: str, *, lower: bool = False) -> list[Sentence]:
    """What the figures of one field come to; `lower` tells it from the side that has less."""
    by_name = [sides_of(voice, mention, key) for mention in mentions]
    if len(mentions) == 2 and any(len(sides) > 1 for sides in by_name):
        if FIELDS[key].kind == "date":
            return _date_spans(voice, mentions, by_name)
        pairs = matched_variants(voice, *newer_first(voice, mentions[0], mentions[1]))
        stated = [(a, b) for a, b in pairs if voice.is_stated(a, key) and voice.is_stated(b, key)]
        if stated:
            pairs_said = [(side_of(voice, a, key), side_of(voice, b, key)) for a, b in stated[:_MOST_PAIRS]]
            return [pair_conclusion(voice, a, b, key, lower=lower) for a, b in pairs_said]
        return span_conclusion(voice, mentions, by_name, key)
    sides = [side for found in by_name for side in found]
    if len(sides) == 2:
        return [pair_conclusion(voice, sides[0], sides[1], key, lower=lower)]
    return _of_many(voice, sides, key)


def span_conclusion(
    voice: Voice, mentions: Sequence[Mention], by_name: Sequence[Sequence[Side]], key: str
) -> list[Sentence]:
    """Two names whose versions do not match one to one: how their spans lie."""
    known = [[side for side in sides if isinstance(side.value, float | int)] for sides in by_name]
    if FIELDS[key].kind != "number" or not all(known):
        return []
    spans = [(min(sides, key=_number), max(sides, key=_number)) for sides in known]
    names = [mention_name(voice, mention) for mention in mentions]
    said = [_span_said(voice, low, high) for low, high in spans]
    label = _label(voice, key, [span[0] for span in spans])
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


def _label(voice: Voice, key: str, sides: Sequence[Side]) -> str:
    """A field's name for all sides: a card's own word for it (NVLink) only where it is that of all."""
    labels = {voice.label(key, gpu_id) for side in sides for gpu_id in side.gpu_ids}
    return labels.pop() if len(labels) == 1 else voice.label(key)


def _date(side: Side) -> str:
    return str(side.value)


def _number(side: Side) -> float:
    return float(side.value) if isinstance(side.value, float | int) else 0.0


def _span_said(voice: Voice, low: Side, high: Side) -> Said:
    if low.value == high.value:
        return low.said
    return phrase("compare.span", voice.language, low=low.said, high=high.said)


def pair_conclusion(voice: Voice, first: Side, second: Side, key: str, *, lower: bool = False) -> Sentence:
    """What two figures of one field come to."""
    language = voice.language
    label = _label(voice, key, (first, second))
    if first.said.text == second.said.text:
        names = listed([Said(first.name), Said(second.name)], language)
        both = combine(first.said.text, [first.said, second.said])
        if key in COUNTS and first.value == 0:
            zero = both.with_text("0")
            return sentence("compare.both_none", language, cards=names, feature=voice.feature(key), value=zero)
        if voice.entry(first.gpu_ids[0], key).state == "not_supported":
            feature = combine(voice.feature(key, first.gpu_ids), [both])
            template = "compare.both_lack" if key in HAD else "compare.both_unsupported"
            return sentence(template, language, cards=names, feature=feature)
        if voice.entry(first.gpu_ids[0], key).state == "not_published":
            return sentence("compare.both_unpublished", language, cards=names, label=combine(label, [both]))
        return sentence("compare.equal", language, cards=names, label=label, value=both)
    numbers = isinstance(first.value, float | int) and isinstance(second.value, float | int)
    if numbers and FIELDS[key].kind == "number":
        return _by_number(voice, first, second, key, label, lower=lower)
    if FIELDS[key].kind == "date" and isinstance(first.value, str) and isinstance(second.value, str):
        newer, older = (first, second) if first.value >= second.value else (second, first)
        return sentence("compare.dates", language, winner=newer.name, high=newer.said, loser=older.name, low=older.said)
    support = _support(voice, first, second, key) or _support(voice, second, first, key)
    if support is not None:
        return support
    parts = [
        phrase(
            "compare.text_part" if voice.is_stated(side.gpu_ids[0], key) else "compare.part_without",
            language,
            card=side.name,
            value=side.said,
        )
        for side in (first, second)
    ]
    template = "compare.texts" if FIELDS[key].kind == "text" else "compare.one_missing"
    return sentence(template, language, label=label, parts=join(parts, "，" if language == "zh" else ", "))


def _support(voice: Voice, having: Side, lacking: Side, key: str) -> Sentence | None:
    """One side lacks in hardware what the other has a figure of."""
    lacks = voice.entry(lacking.gpu_ids[0], key).state == "not_supported"
    if not lacks or not voice.is_stated(having.gpu_ids[0], key):
        return None
    loser = Said(lacking.name, (), lacking.said.supports)
    words: dict[str, Words] = {"winner": having.name, "high": having.said, "loser": loser}
    feature = voice.feature(key, having.gpu_ids)
    template = "compare.one_has" if key in HAD else "compare.one_supports"
    return sentence(template, voice.language, feature=feature, **words)


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
    if high.value / low.value < _NEARLY:
        return _nearly(voice, high, low, key, label)
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


def _nearly(voice: Voice, high: Side, low: Side, key: str, label: str) -> Sentence:
    """Two figures so close that a ratio says nothing."""
    difference = _difference(voice, float(high.value or 0) - float(low.value or 0), key)
    words: dict[str, Words] = {"winner": high.name, "high": high.said, "loser": low.name, "low": low.said}
    return sentence("compare.nearly", voice.language, label=label, difference=difference, **words)


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
    label = _label(voice, key, (high, low))
    words: dict[str, Words] = {"winner": high.name, "high": high.said, "loser": low.name, "low": low.said}
    return sentence(template, voice.language, label=label, **words)


def _of_many(voice: Voice, sides: Sequence[Side], key: str) -> list[Sentence]:
    known = [side for side in sides if isinstance(side.value, float | int)]
    if FIELDS[key].kind != "number" or len(known) < 2:
        return []
    best = max(known, key=lambda side: float(side.value or 0))
    worst = min(known, key=lambda side: float(side.value or 0))
    label = _label(voice, key, known)
    return [
        sentence("compare.most", voice.language, label=label, card=best.name, value=best.said),
        sentence("compare.least", voice.language, label=label, card=worst.name, value=worst.said),
    ]
