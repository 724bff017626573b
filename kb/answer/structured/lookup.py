"""Figures of the cards a question names: one card or all that a name covers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.draft import Documents, DraftFact, Sentence
from kb.answer.phrases import join_list, say
from kb.answer.question import Question
from kb.answer.structured.names import asked_name, mention_name, variants_text
from kb.answer.structured.page import Page, cards_table
from kb.answer.structured.said import (
    Said,
    Words,
    as_sentence,
    combine,
    counted,
    derived,
    listed_clauses,
    phrase,
    sentence,
)
from kb.answer.structured.voice import COUNTS, Voice
from kb.specs.fields import FIELDS
from kb.specs.names import Mention
from kb.specs.sheet import NOTES
from kb.text import fold

OVERVIEW = (
    "vendor",
    "architecture",
    "released_on",
    "memory_gb",
    "memory_type",
    "memory_bandwidth_gb_s",
    "fp32_tflops",
    "fp16_tensor_tflops",
    "fp8_tensor_tflops",
    "int8_tops",
    "interconnect_gb_s",
    "pcie",
    "tdp_w",
)
"""What a card as a whole is told by."""
OVERVIEW_TABLE = (
    "memory_gb",
    "memory_type",
    "memory_bandwidth_gb_s",
    "fp16_tensor_tflops",
    "int8_tops",
    "interconnect_gb_s",
    "tdp_w",
)
_SIMPLE = {"known", "range"}
_FALLBACKS = {
    "fp16_tensor_tflops": "fp16_tflops",
    "fp16_tensor_tflops_sparse": "fp16_tensor_tflops",
    "fp4_tensor_tflops_sparse": "int8_tops_sparse",
    "fp64_tflops": "fp64_tensor_tflops",
    "fp32_matrix_tflops": "tf32_tensor_tflops",
}
"""Where the asked figure is missing but a neighbouring one, named as what it is, still helps."""
_OF_THROUGHPUT = ("tflops", "pflops", "tops", "算力")
_OF_DATES = ("上市", "发布", "推出", "出货", "launch", "release", "ship")
"""What passages say of a date besides the terms of the field."""
_PER_CHIP = re.compile(
    r"单芯|每颗|单颗|每个芯片|单个芯片|(?:每个|单个?)\s?GCD"
    r"|\b(?:per|each|one) (?:chip|die|GCD)\b|\bone of the two\b",
    re.IGNORECASE,
)
_MOST_IN_A_SENTENCE = 3
_MOST_WITH_NOTES = 2
_MOST_WITH_REASONS = 6


def look_up(page: Page, voice: Voice, question: Question, fields: Sequence[str]) -> None:
    """Write the asked fields of every card named."""
    for mention in question.cards:
        ids = mention.gpu_ids
        keys = [key for key in fields if not (question.generic_compute and not _any_figure(voice, ids, key))] or fields
        if len(ids) == 1:
            _one_card(page, voice, ids[0], keys)
            if page.missing and not page.answered and not question.unexplained:
                _ask_documents(page, voice, ids[0], keys)
        elif len(keys) == 1:
            one_field_of_many(page, voice, mention, keys[0])
        else:
            _table_of_many(page, voice, mention, keys)
        read_as(page, voice, mention)


def overview(page: Page, voice: Voice, question: Question) -> None:
    """Write what a card is, by its main fields."""
    for mention in question.cards:
        ids = mention.gpu_ids
        page.answered += 1
        if len(ids) > 1:
            keys = [key for key in OVERVIEW_TABLE if _any_figure(voice, ids, key)]
            page.mark("ambiguous")
            name = asked_name(voice, mention)
            page.add(sentence("names.several_fields", voice.language, name=name, count=counted(len(ids))))
            page.add(cards_table(voice, ids, keys, name))
        else:
            keys = [key for key in OVERVIEW if voice.is_stated(ids[0], key)]
            page.add(sentence("one.list_head", voice.language, card=voice.name(ids[0])))
            page.extend(_items(voice, ids[0], keys))
            page.extend(_notes(voice, ids[0]))
        read_as(page, voice, mention)


def parts_of(page: Page, voice: Voice, question: Question, fields: Sequence[str]) -> None:
    """What one chip of a card has, where that is asked: figures that circulate as the card's own say so."""
    if not _PER_CHIP.search(question.text):
        return
    for gpu_id in question.gpu_ids:
        if voice.spec(gpu_id).per == "package":
            page.extend(_notes(voice, gpu_id))
        for key in fields:
            for figure in voice.entry(gpu_id, key).rejected:
                note = figure.note(voice.language)
                if _PER_CHIP.search(note):
                    page.add(
                        sentence("states.note", voice.language, text=voice.remark(note.rstrip("。."), gpu_id, key))
                    )


def read_as(page: Page, voice: Voice, mention: Mention) -> None:
    """Say how a misspelt name was read."""
    if mention.corrected and not _spelt_right(voice, mention):
        name = mention_name(voice, mention)
        page.add(sentence("names.read_as", voice.language, asked=mention.text.strip(), card=name))


def _spelt_right(voice: Voice, mention: Mention) -> bool:
    """Whether only the vendor was misspelt, which needs no word."""
    asked = re.sub(r"[^a-z0-9\u4e00-\u9fff]", "", fold(mention.text))
    codes = re.findall(r"[^\s（）()]*\d[^\s（）()]*", voice.name(mention.gpu_ids[0]))
    return bool(codes) and re.sub(r"[^a-z0-9\u4e00-\u9fff]", "", fold(codes[0])) in asked


def _notes(voice: Voice, gpu_id: str) -> list[Sentence]:
    notes = voice.spec(gpu_id).notes(voice.language)[:1]
    return [
        sentence("states.note", voice.language, text=voice.remark(note.rstrip("。."), gpu_id, NOTES)) for note in notes
    ]


# ---------------------------------------------------------------- one card


def _one_card(page: Page, voice: Voice, gpu_id: str, keys: Sequence[str]) -> None:
    plain = [key for key in keys if _is_simple(voice, gpu_id, key)]
    special = [key for key in keys if key not in plain]
    if len(plain) == 1:
        page.extend(voice.sentences(gpu_id, plain[0]))
    elif len(plain) <= _MOST_IN_A_SENTENCE and plain:
        parts = listed_clauses([voice.part(gpu_id, key) for key in plain], voice.language)
        page.add(sentence("one.several_parts", voice.language, card=voice.name(gpu_id), parts=parts))
        for key in plain:
            page.extend(voice.caveats(gpu_id, key, notes=len(plain) <= _MOST_WITH_NOTES))
    elif plain:
        page.add(sentence("one.asked_head", voice.language, card=voice.name(gpu_id)))
        page.extend(_items(voice, gpu_id, plain))
        for key in plain:
            page.extend(voice.caveats(gpu_id, key, notes=False))
    page.answered += len(plain)
    silent = [key for key in special if _is_silent(voice, gpu_id, key)]
    if len(silent) > 1:
        _silent(page, voice, gpu_id, silent)
        special = [key for key in special if key not in silent]
    for key in special:
        _special(page, voice, gpu_id, key)


def _is_silent(voice: Voice, gpu_id: str, key: str) -> bool:
    """Whether nobody publishes a figure, and no neighbouring one helps."""
    fallback = _FALLBACKS.get(key, "")
    unpublished = voice.entry(gpu_id, key).state == "not_published"
    return unpublished and not (fallback and voice.is_stated(gpu_id, fallback))


def _words_on(key: str) -> tuple[str, ...]:
    """What a passage on a field says; on throughput a unit, since number formats are named for many reasons."""
    if FIELDS[key].unit in {"TFLOPS", "TOPS"}:
        return _OF_THROUGHPUT
    terms = tuple(fold(term) for term in (*FIELDS[key].terms_zh, *FIELDS[key].terms_en))
    return (*terms, *_OF_DATES) if key == "released_on" else terms


def _silent(page: Page, voice: Voice, gpu_id: str, keys: Sequence[str]) -> None:
    """Several figures that nobody publishes, in one sentence."""
    labels = combine(
        join_list([voice.label(key, gpu_id) for key in keys], voice.language),
        [voice.value(gpu_id, key) for key in keys],
    )
    page.add(sentence("states.none_published", voice.language, card=voice.name(gpu_id), labels=labels))
    page.missing += len(keys)


def _ask_documents(page: Page, voice: Voice, gpu_id: str, keys: Sequence[str]) -> None:
    """A document may say something of what no source of the catalogue gives."""
    if page.documents is None:
        terms = tuple(term for key in keys for term in _words_on(key))
        names = re.findall(r"[^\s（）()]*\d[^\s（）()]*", voice.name(gpu_id)) or [voice.name(gpu_id)]
        page.documents = Documents("after", tuple(names), tuple(dict.fromkeys(terms)))


def _special(page: Page, voice: Voice, gpu_id: str, key: str) -> None:
    entry = voice.entry(gpu_id, key)
    fallback = _FALLBACKS.get(key, "")
    if entry.state in {"not_published", "not_supported"} and fallback and voice.is_stated(gpu_id, fallback):
        page.extend(voice.sentences(gpu_id, key)[:2] if entry.state == "not_supported" else [])
        page.add(
            sentence(
                "states.fallback",
                voice.language,
                card=voice.name(gpu_id),
                missing=_named(voice.label(key, gpu_id)),
                label=voice.label(fallback, gpu_id),
                value=voice.value(gpu_id, fallback),
            )
        )
        page.answered += 1
        return
    page.extend(voice.sentences(gpu_id, key))
    if entry.state == "not_published" or (entry.state == "unresolved" and not entry.figures):
        page.missing += 1
        return
    page.answered += 1
    if entry.state in {"conflicting", "unresolved"}:
        page.mark("conflicting_sources")
    elif entry.state == "not_supported":
        page.mark("false_premise")


def _named(label: str) -> Said:
    """The label of a field that no evidence holds, with the number format in it."""
    return Said(label, (DraftFact(None, None, label, None, None, "derived"),))


def _is_simple(voice: Voice, gpu_id: str, key: str) -> bool:
    entry = voice.entry(gpu_id, key)
    return entry.state in _SIMPLE and not (key in COUNTS and entry.value == 0)


def _items(voice: Voice, gpu_id: str, keys: Sequence[str]) -> list[Sentence]:
    return [
        sentence(
            "one.item",
            voice.language,
            label=_capital(voice.label(key, gpu_id)),
            value=voice.value(gpu_id, key, qualified=True),
        )
        for key in keys
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# ---------------------------------------------------------------- a name that covers several


def one_field_of_many(page: Page, voice: Voice, mention: Mention, key: str) -> None:
    """One field of all the cards that a name covers."""
    ids = mention.gpu_ids
    groups = group_by_value(voice, ids, key)
    if len(groups) == 1:
        _same_for_all(page, voice, mention, key)
        return
    page.mark("ambiguous")
    stated = [gpu_id for gpu_id in ids if voice.is_stated(gpu_id, key)]
    page.answered += bool(stated)
    page.missing += not stated
    name = asked_name(voice, mention)
    page.add(as_sentence(spread(voice, ids, key, name)))
    page.add(cards_table(voice, ids, [key], name))
    if len(ids) <= _MOST_WITH_REASONS:
        for gpu_id in stated:
            if voice.entry(gpu_id, key).state in {"conflicting", "unresolved", "variants"}:
                page.extend(voice.sentences(gpu_id, key)[1:2])
    page.extend(voice.doubtful(ids, [key]))


def spread(voice: Voice, ids: Sequence[str], key: str, name: str) -> Said:
    """That a name covers several cards, and how far apart their figures lie."""
    label = combine(voice.label(key, ids[0]), [voice.value(gpu_id, key) for gpu_id in ids])
    count = counted(len(ids))
    known = [(value, gpu_id) for gpu_id in ids if isinstance(value := voice.entry(gpu_id, key).value, float | int)]
    if FIELDS[key].kind == "number" and len({value for value, _ in known}) > 1:
        low, high = voice.value(min(known)[1], key), voice.value(max(known)[1], key)
        return phrase("names.several", voice.language, name=name, count=count, label=label, low=low, high=high)
    return phrase("names.several_text", voice.language, name=name, count=count, label=label)


def group_by_value(voice: Voice, ids: Sequence[str], key: str) -> dict[str, list[str]]:
    """Cards by what is said of one field."""
    groups: dict[str, list[str]] = {}
    for gpu_id in ids:
        groups.setdefault(voice.value(gpu_id, key, qualified=True).text, []).append(gpu_id)
    return groups


def _same_for_all(page: Page, voice: Voice, mention: Mention, key: str) -> None:
    ids = mention.gpu_ids
    entry = voice.entry(ids[0], key)
    variants = variants_text(voice, ids, "、" if voice.language == "zh" else ", ")
    card = mention_name(voice, mention)
    name = f"{card}{variants_in_parentheses(voice, ids)}"
    if entry.state == "not_published" or (entry.state == "unresolved" and not entry.figures):
        page.missing += 1
        supports = combine(voice.label(key, ids[0]), [voice.value(gpu_id, key) for gpu_id in ids])
        page.add(sentence("states.not_published", voice.language, card=name, label=supports))
        page.extend(voice.sentences(ids[0], key)[1:2])
        return
    page.answered += 1
    if entry.state in {"conflicting", "unresolved", "variants"}:
        page.extend(voice.sentences(ids[0], key, card=name))
        page.mark("conflicting_sources" if entry.state != "variants" else "ambiguous")
    elif entry.state == "not_supported":
        page.mark("false_premise")
        feature = combine(voice.feature(key, ids), [voice.value(gpu_id, key) for gpu_id in ids])
        page.add(sentence("one.same_not_supported", voice.language, card=card, variants=variants, feature=feature))
        page.extend(voice.sentences(ids[0], key)[1:2])
        page.extend(instead_for_all(voice, ids, key))
    else:
        value = combine(voice.value(ids[0], key, qualified=True).text, [voice.value(gpu_id, key) for gpu_id in ids])
        if key in COUNTS and entry.value == 0:
            words: dict[str, Words] = {"feature": voice.feature(key, ids), "value": value.with_text("0")}
            page.add(sentence("one.same_none", voice.language, card=card, variants=variants, **words))
            return
        label = voice.label(key, ids[0])
        page.add(sentence("one.same", voice.language, card=card, variants=variants, label=label, value=value))
        page.extend(voice.caveats(ids[0], key))


def instead_for_all(voice: Voice, ids: Sequence[str], key: str) -> list[Sentence]:
    """What all of several cards have in place of something they lack, where it is the same for all."""
    said = [voice.instead(gpu_id, key) for gpu_id in ids]
    first = said[0]
    return first if first and all(other and other[0].text == first[0].text for other in said) else []


def variants_in_parentheses(voice: Voice, ids: Sequence[str]) -> str:
    """The variants that a name covers, in parentheses."""
    zh = voice.language == "zh"
    text = variants_text(voice, ids, "、" if zh else ", ")
    return f"（{text}）" if zh else f" ({text})"


def _table_of_many(page: Page, voice: Voice, mention: Mention, keys: Sequence[str]) -> None:
    ids = mention.gpu_ids
    same = [key for key in keys if len(group_by_value(voice, ids, key)) == 1]
    if len(same) == len(keys):
        for key in keys:
            _same_for_all(page, voice, mention, key)
        return
    page.mark("ambiguous")
    said = [key for key in keys if any(voice.entry(gpu_id, key).state != "not_published" for gpu_id in ids)]
    page.answered += len(said)
    page.missing += len(keys) - len(said)
    name = asked_name(voice, mention)
    page.add(sentence("names.several_fields", voice.language, name=name, count=counted(len(ids))))
    page.add(cards_table(voice, ids, keys, name))
    page.extend(voice.doubtful(ids, keys))
    for key in keys:
        if all(voice.entry(gpu_id, key).state == "not_supported" for gpu_id in ids):
            page.extend(voice.sentences(ids[0], key, card=name)[:2])


def _any_figure(voice: Voice, ids: Sequence[str], key: str) -> bool:
    return any(voice.is_stated(gpu_id, key) for gpu_id in ids)


# ---------------------------------------------------------------- directions


def directions(page: Page, voice: Voice, question: Question) -> None:
    """A link's bandwidth, both directions together and one alone."""
    key = "interconnect_gb_s"
    for mention in question.cards:
        groups: dict[float, list[str]] = {}
        rest: list[str] = []
        for gpu_id in mention.gpu_ids:
            value = voice.entry(gpu_id, key).value
            if isinstance(value, float | int):
                groups.setdefault(float(value), []).append(gpu_id)
            else:
                rest.append(gpu_id)
        for value, ids in groups.items():
            page.add(_direction_sentence(voice, mention, ids, value))
            page.answered += 1
        if not groups:
            for gpu_id in mention.gpu_ids[:1]:
                page.extend(voice.sentences(gpu_id, key))
                page.missing += 1


def _direction_sentence(voice: Voice, mention: Mention, ids: Sequence[str], value: float) -> Sentence:
    key = "interconnect_gb_s"
    if len(ids) == len(mention.gpu_ids):
        name = mention_name(voice, mention)
    else:
        name = say("join.list", voice.language).join(voice.name(gpu_id) for gpu_id in ids)
    both = combine(
        voice.figure(ids[0], key, voice.entry(ids[0], key).figures[0], qualified=False).text,
        [voice.value(gpu_id, key) for gpu_id in ids],
    )
    one = derived(value / 2, "GB/s")
    return sentence("convert.one_way", voice.language, card=name, label=voice.label(key, ids[0]), both=both, one=one)
