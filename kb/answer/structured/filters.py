"""Which cards meet conditions: those that do, those that do not, those nobody can judge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kb.answer.phrases import say
from kb.answer.question import Condition, Question
from kb.answer.structured.conditions import Verdict, bounded_by, conditions_said, judge_all
from kb.answer.structured.lookup import read_as
from kb.answer.structured.names import common_name, mention_name
from kb.answer.structured.page import Page, cards_table
from kb.answer.structured.said import Said, combine, counted, listed, phrase, sentence
from kb.answer.structured.scope import named_or_described, second_tier
from kb.answer.structured.voice import COUNTS, Voice
from kb.specs.fields import FIELDS
from kb.specs.names import Mention

_MOST_IN_A_LINE = 3
_MOST_ROWS = 30
_LIST_FIELDS = ("memory_gb", "memory_type", "memory_bandwidth_gb_s", "tdp_w")


def filter_cards(page: Page, voice: Voice, question: Question) -> None:
    """Write which cards meet the conditions of a question."""
    if question.reference is not None:
        bounded = _bounded(page, voice, question, question.reference)
        if bounded is None:
            return
        question = bounded
    conditions = question.conditions
    ids = named_or_described(voice, question)
    if not conditions:
        _everything(page, voice, question, ids)
        return
    verdicts = {gpu_id: judge_all(voice, gpu_id, conditions) for gpu_id in ids}
    keys = list(dict.fromkeys(condition.field for condition in conditions))
    page.answered += 1
    _met(page, voice, question, _with(verdicts, "pass"), keys)
    if question.cards:
        _rest_of_named(page, voice, question, verdicts, keys)
        return
    for use in question.uses:
        page.add(sentence("filter.role_note", voice.language, role=use))
    unknown = _with(verdicts, "unknown")
    if unknown:
        page.add(sentence("filter.unknown_count", voice.language, count=counted(len(unknown))))
    further = [gpu_id for gpu_id in second_tier(voice, question) if judge_all(voice, gpu_id, conditions) == "pass"]
    if further:
        page.add(sentence("filter.more_second", voice.language, count=counted(len(further))))


def _bounded(page: Page, voice: Voice, question: Question, reference: Mention) -> Question | None:
    """The question with the reference card's figures as bounds; says so if it has none."""
    conditions: list[Condition] = []
    for condition in question.conditions:
        found = bounded_by(voice, reference.gpu_ids, condition) if condition.than else condition
        if found is None:
            label = voice.label(condition.field, reference.gpu_ids[0])
            supports = combine(label, [voice.value(gpu_id, condition.field) for gpu_id in reference.gpu_ids])
            name = mention_name(voice, reference)
            page.add(sentence("filter.than_unknown", voice.language, card=name, label=supports))
            page.missing += 1
            return None
        conditions.append(found)
    read_as(page, voice, reference)
    return replace(question, conditions=tuple(conditions))


def _everything(page: Page, voice: Voice, question: Question, ids: Sequence[str]) -> None:
    """All cards of a described set, without a condition."""
    page.answered += 1
    scope = " ".join(
        [say("superlative.first_tier", voice.language), *(group.text.strip() for group in question.groups)]
    )
    page.add(sentence("filter.listed", voice.language, scope=scope, count=counted(len(ids))))
    page.add(cards_table(voice, ids[:_MOST_ROWS], _LIST_FIELDS))


def _with(verdicts: dict[str, Verdict], verdict: Verdict) -> list[str]:
    return [gpu_id for gpu_id, found in verdicts.items() if found == verdict]


def _met(page: Page, voice: Voice, question: Question, ids: Sequence[str], keys: Sequence[str]) -> None:
    words = _scoped(voice, question)
    language = voice.language
    if not ids:
        page.add(sentence("filter.met_none", language, conditions=words))
        return
    count = counted(len(ids))
    shown = _by_name(voice, question.cards, ids) if question.cards else {gpu_id: [gpu_id] for gpu_id in ids}
    if len(shown) <= _MOST_IN_A_LINE and question.cards:
        told = _told_keys(question.conditions)
        cards = listed([_with_figures(voice, name, group, keys, told) for name, group in shown.items()], language)
        page.add(sentence("filter.met_list", language, conditions=words, count=counted(len(shown)), cards=cards))
        return
    head = "filter.met_head" if len(ids) > 1 else "filter.met_head_one"
    page.add(sentence(head, language, conditions=words, count=count))
    ranked = _ranked(voice, ids, question.conditions)
    page.add(cards_table(voice, ranked[:_MOST_ROWS], keys))
    if len(ranked) > _MOST_ROWS:
        page.add(sentence("filter.more", language, count=counted(len(ranked) - _MOST_ROWS)))


def _scoped(voice: Voice, question: Question) -> Said:
    """The conditions with the set of cards they were held against, where it is described."""
    words = conditions_said(voice, question.conditions)
    if question.reference is not None:
        supports = [voice.value(i, c.field) for i in question.reference.gpu_ids for c in question.conditions if c.than]
        name = combine(mention_name(voice, question.reference), [Said("", (), said.supports) for said in supports])
        words = phrase("filter.than", voice.language, condition=words, card=name)
    if question.cards or not question.groups:
        return words
    groups = say("join.list", voice.language).join(group.text for group in question.groups)
    key = "filter.among_cards" if re.search(r"(卡|显卡|cards?|gpus?)$", groups.lower()) else "filter.among"
    return phrase(key, voice.language, groups=groups, conditions=words)


def _ranked(voice: Voice, ids: Sequence[str], conditions: Sequence[Condition]) -> list[str]:
    """Best first by the first bounded field."""
    bounded = next(
        (c for c in conditions if FIELDS[c.field].kind == "number" and c.operator not in {"has", "lacks"}), None
    )
    if bounded is None:
        return list(ids)
    sign = 1.0 if bounded.operator in {"lte", "lt"} else -1.0

    def rank(gpu_id: str) -> tuple[float, str]:
        value = voice.entry(gpu_id, bounded.field).value
        return (sign * float(value) if isinstance(value, float | int) else 0.0, gpu_id)

    return sorted(ids, key=rank)


def _rest_of_named(
    page: Page, voice: Voice, question: Question, verdicts: dict[str, Verdict], keys: Sequence[str]
) -> None:
    for verdict, template in (("fail", "filter.failed"), ("unknown", "filter.unknown")):
        ids = _with(verdicts, verdict)  # type: ignore[arg-type]
        if ids:
            shown = _by_name(voice, question.cards, ids)
            told = _told_keys(question.conditions)
            cards = listed([_with_figures(voice, name, g, keys, told) for name, g in shown.items()], voice.language)
            page.add(sentence(template, voice.language, cards=cards))


def _by_name(voice: Voice, mentions: Sequence[Mention], ids: Sequence[str]) -> dict[str, list[str]]:
    """Cards under the names of the question: a name stands for all its cards where they fare alike."""
    named: dict[str, list[str]] = {}
    chosen = set(ids)
    for mention in mentions:
        inside = [gpu_id for gpu_id in mention.gpu_ids if gpu_id in chosen]
        if len(inside) > 1 and len(inside) == len(mention.gpu_ids):
            named[common_name(voice, mention.gpu_ids) or mention.text] = inside
        else:
            named.update({voice.name(gpu_id): [gpu_id] for gpu_id in inside})
    return named


def _told_keys(conditions: Sequence[Condition]) -> set[str]:
    """Fields whose figures say why a card meets a condition or not; "has FP8" needs none."""
    return {c.field for c in conditions if c.value is not None or c.field in COUNTS}


def _with_figures(voice: Voice, name: str, ids: Sequence[str], keys: Sequence[str], told: set[str]) -> Said:
    """A card with the figures it was judged by: `L40S（48 GB）`."""
    figures: list[Said] = []
    silent: list[Said] = []
    for key in keys:
        texts: dict[str, list[Said]] = {}
        for gpu_id in ids:
            said = voice.value(gpu_id, key)
            if key in COUNTS and voice.entry(gpu_id, key).value == 0:
                said = said.with_text("0")
            texts.setdefault(said.text, []).append(said)
        joined = [combine(text, saids) for text, saids in texts.items()]
        (figures if key in told else silent).extend(joined)
    inner = listed(figures, voice.language)
    words = combine(name, silent)
    bare = Said(name, (), words.supports)
    return phrase("states.said_by", voice.language, value=bare, who=inner) if inner.text else bare
