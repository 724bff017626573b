"""Which cards meet conditions: out of the whole catalogue, or of those a question names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kb.answer.question import Condition, Question
from kb.answer.structured.conditions import Verdict, bounded_by, conditions_said, judge_all
from kb.answer.structured.names import common_name, mention_name
from kb.answer.structured.page import Page, cards_table
from kb.answer.structured.read_as import read_as
from kb.answer.structured.said import Said, combine, counted, listed, phrase, sentence
from kb.answer.structured.selection import MOST_ROWS, select_cards
from kb.answer.structured.voice import COUNTS, Voice
from kb.selection.selector import Selector
from kb.specs.names import Mention

_MOST_IN_A_LINE = 3


def filter_cards(page: Page, voice: Voice, question: Question, selector: Selector) -> None:
    """Write which cards meet the conditions of a question."""
    if question.reference is not None:
        bounded = _bounded(page, voice, question, question.reference)
        if bounded is None:
            return
        question = bounded
    if question.cards:
        _filter_named(page, voice, question)
    else:
        select_cards(page, voice, question, selector)


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


def _filter_named(page: Page, voice: Voice, question: Question) -> None:
    verdicts = {gpu_id: judge_all(voice, gpu_id, question.conditions) for gpu_id in question.gpu_ids}
    keys = list(dict.fromkeys(condition.field for condition in question.conditions))
    page.answered += 1
    _met(page, voice, question, _with(verdicts, "pass"), keys)
    _rest(page, voice, question, verdicts, keys)


def _with(verdicts: dict[str, Verdict], verdict: Verdict) -> list[str]:
    return [gpu_id for gpu_id, found in verdicts.items() if found == verdict]


def _met(page: Page, voice: Voice, question: Question, ids: Sequence[str], keys: Sequence[str]) -> None:
    language = voice.language
    words = conditions_said(voice, question.conditions)
    if not ids:
        page.add(sentence("filter.met_none", language, conditions=words))
        return
    shown = _by_name(voice, question.cards, ids)
    if len(shown) <= _MOST_IN_A_LINE:
        told = _told_keys(question.conditions)
        cards = listed([_with_figures(voice, name, group, keys, told) for name, group in shown.items()], language)
        page.add(sentence("filter.met_list", language, conditions=words, count=counted(len(shown)), cards=cards))
        return
    page.add(sentence("filter.met_head", language, conditions=words, count=counted(len(ids))))
    page.add(cards_table(voice, ids[:MOST_ROWS], keys))
    if len(ids) > MOST_ROWS:
        page.add(sentence("filter.more", language, count=counted(len(ids) - MOST_ROWS)))


def _rest(page: Page, voice: Voice, question: Question, verdicts: dict[str, Verdict], keys: Sequence[str]) -> None:
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
