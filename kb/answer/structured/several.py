"""Figures of a name that covers several cards: one where they agree, each where they differ."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.draft import Sentence
from kb.answer.structured.names import asked_name, mention_name, variants_text
from kb.answer.structured.page import Page, cards_table
from kb.answer.structured.said import (
    Said,
    Words,
    as_sentence,
    combine,
    counted,
    phrase,
    sentence,
)
from kb.answer.structured.voice import COUNTS, Voice
from kb.specs.fields import FIELDS
from kb.specs.names import Mention

_MOST_WITH_REASONS = 6


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


def table_of_many(page: Page, voice: Voice, mention: Mention, keys: Sequence[str]) -> None:
    """Write several fields of all cards of a name: those they share in a sentence, the others in a table."""
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


def any_figure(voice: Voice, ids: Sequence[str], key: str) -> bool:
    """Whether something is published of a field for any of the cards."""
    return any(voice.is_stated(gpu_id, key) for gpu_id in ids)
