"""Cards that a selection leaves out: those nobody can judge, those that miss by one condition, and the ways out."""

from __future__ import annotations

from collections import Counter

from kb.answer.phrases import say
from kb.answer.structured.conditions import requirement_said
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, counted, join, listed, phrase, sentence
from kb.answer.structured.voice import Voice
from kb.selection.columns import FAIL, UNKNOWN
from kb.selection.relaxation import Relaxation, distance
from kb.selection.requirement import Requirement
from kb.selection.result import Selection
from kb.specs.fields import FIELDS

_MOST_NAMED = 6
_MOST_RELAXATIONS = 3


def write_unjudged(page: Page, voice: Voice, selection: Selection) -> None:
    """The cards that nobody can judge, apart: how many, for want of what, and those one would think of."""
    rows = selection.evaluation.fields_by_row(UNKNOWN)
    if not rows:
        return
    missing = Counter(field for _, fields in rows for field in fields)
    field = missing.most_common(1)[0][0]
    label = voice.label(field) if field in FIELDS else say("filter.attribute", voice.language)
    page.add(sentence("filter.unknown_for", voice.language, count=counted(len(rows)), label=label))
    first = [selection.columns.gpu_ids[row] for row, _ in rows if selection.columns.tiers[row] == 1]
    if first:
        names = [Said(voice.name(gpu_id)) for gpu_id in first[:_MOST_NAMED]]
        key = "filter.unknown_first_some" if len(first) > _MOST_NAMED else "filter.unknown_first"
        page.add(sentence(key, voice.language, count=counted(len(first)), cards=listed(names, voice.language)))


def write_ways_out(page: Page, voice: Voice, selection: Selection) -> None:
    """The smallest relaxations that let cards pass."""
    for one in selection.relaxations[:_MOST_RELAXATIONS]:
        page.add(
            sentence(
                "filter.relaxed",
                voice.language,
                changes=join([_changed(voice, change.requirement, change.to) for change in one.changes], _and(voice)),
                count=counted(len(one.added)),
                cards=_added(voice, selection, one),
            )
        )


def _and(voice: Voice) -> str:
    return say("filter.and", voice.language)


def _changed(voice: Voice, requirement: Requirement, to: Requirement | None) -> Said:
    before = requirement_said(voice, requirement)
    if to is None:
        return phrase("filter.dropped", voice.language, condition=before)
    return phrase("filter.changed", voice.language, before=before, after=requirement_said(voice, to))


def _added(voice: Voice, selection: Selection, one: Relaxation) -> Said:
    rows = sorted(one.added, key=lambda row: int(selection.columns.tiers[row]))
    names = [Said(voice.name(selection.columns.gpu_ids[row])) for row in rows[:_MOST_NAMED]]
    said = listed(names, voice.language)
    return said if len(rows) <= _MOST_NAMED else phrase("filter.and_more", voice.language, cards=said)


def write_near_misses(page: Page, voice: Voice, selection: Selection) -> None:
    """Well-checked cards that fail a single requirement, the nearest first, with the figure they fail on."""
    evaluation, columns = selection.evaluation, selection.columns
    near: list[tuple[float, int, Requirement]] = []
    for row, fields in evaluation.fields_by_row(FAIL):
        if columns.tiers[row] != 1 or len(fields) != 1 or fields[0] not in FIELDS:
            continue
        failed = evaluation.of(row, FAIL)
        if len(failed) == 1 and not evaluation.of(row, UNKNOWN):
            near.append((distance(columns, failed[0], row), row, failed[0]))
    shown = []
    for _, row, one in sorted(near, key=lambda item: item[:2])[:_MOST_NAMED]:
        gpu_id = columns.gpu_ids[row]
        label, value = voice.label(one.field), voice.value(gpu_id, one.field)
        figure = phrase("filter.figure", voice.language, label=label, value=value)
        shown.append(phrase("states.said_by", voice.language, value=voice.name(gpu_id), who=figure))
    if shown:
        page.add(sentence("filter.near", voice.language, cards=listed(shown, voice.language)))
