"""The most or least of something: among the cards named, a name's versions, or a described set."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.draft import DraftFact, DraftRow, DraftTable
from kb.answer.phrases import say
from kb.answer.question import Question, Superlative
from kb.answer.structured.page import Page, cards_table, column_label, with_tiers
from kb.answer.structured.read_as import read_as
from kb.answer.structured.said import Said, cell, combine, counted, derived, join, listed, phrase, sentence
from kb.answer.structured.scope import Scope, scope_of
from kb.answer.structured.voice import Voice
from kb.selection.selector import Selector
from kb.specs.fields import FIELDS
from kb.specs.figures import write_value
from kb.types import Column

_LARGE = {"memory_gb", "memory_bus_bits", "l2_mb", "l3_mb", "die_mm2"}
_MOST_RANKED = 5
_MOST_NAMED = 12
_MOST_UNSETTLED = 3
_MOST_AHEAD = 3
_STATED_QUOTIENT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:TOPS|TFLOPS|TF)\s*(?:/|每|per\s)\s*W", re.IGNORECASE)
_SAME_QUOTIENT = 0.02


def superlative(page: Page, voice: Voice, question: Question, selector: Selector) -> None:
    """Write which card has the most or least.

    Of cards that are described, not named, those checked against several sources are ranked; where one that only a
    database describes is ahead of them, it is named apart.
    """
    wanted = question.superlative
    if wanted is None:
        raise ValueError("The question asks for no superlative.")
    scope = scope_of(voice, question, selector)
    ids = scope.gpu_ids
    for mention in question.cards:
        read_as(page, voice, mention)
    ranked = rank(voice, ids, wanted)
    further: list[tuple[float | str, str]] = []
    if not question.cards and not scope.is_of_both:
        ranked, further = _by_tier(voice, ranked)
    if not ranked:
        page.missing += 1
        page.add(sentence("superlative.nothing", voice.language, label=voice.label(wanted.field)))
        return
    page.answered += 1
    if wanted.assumed:
        page.add(sentence("superlative.assumed", voice.language, label=_named(voice.label(wanted.field))))
    if wanted.per:
        _judge_quotient(page, voice, question, wanted, ranked)
        _per(page, voice, wanted, ranked)
    else:
        _plain(page, voice, wanted, ranked)
    with_figure = {card for _, card in (*ranked, *further)}
    missing = [gpu_id for gpu_id in ids if gpu_id not in with_figure]
    if question.cards and missing:
        names = listed([_missing(voice, gpu_id, wanted) for gpu_id in missing], voice.language)
        page.add(sentence("superlative.missing", voice.language, cards=names))
    if not question.cards:
        _ahead(page, voice, wanted, ranked[0][0], further)
        _write_scope(page, voice, scope, ranked)
        _unsettled(page, voice, wanted, [i for i in missing if voice.spec(i).tier == 1], ranked[0][0])


Ranked = list[tuple[float | str, str]]


def _by_tier(voice: Voice, ranked: Ranked) -> tuple[Ranked, Ranked]:
    """The first tier's cards, and the second's; the second's alone where the first has none."""
    first = [pair for pair in ranked if voice.spec(pair[1]).tier == 1]
    second = [pair for pair in ranked if voice.spec(pair[1]).tier == 2]
    return (first, second) if first else (second, [])


def _ahead(page: Page, voice: Voice, wanted: Superlative, best: float | str, further: Ranked) -> None:
    """Cards of the second tier that come before the best of the first."""
    highest = wanted.direction == "highest"
    ahead = [(value, gpu_id) for value, gpu_id in further if (value > best if highest else value < best)]  # type: ignore[operator]
    if not ahead:
        return
    said = []
    for value, gpu_id in ahead[:_MOST_AHEAD]:
        figures = [voice.value(gpu_id, key) for key in (wanted.field, wanted.per) if key]
        who = figures[0] if not wanted.per else combine(_quotient(float(value), wanted).text, figures)
        said.append(phrase("states.said_by", voice.language, value=Said(voice.name(gpu_id)), who=who))
    key = "above" if highest else "below"
    if wanted.field == "released_on":
        key = "newer" if highest else "older"
    cards = listed(said, voice.language)
    if len(ahead) > len(said):
        cards = phrase("filter.and_more", voice.language, cards=cards)
    page.add(sentence(f"superlative.second_{key}", voice.language, cards=cards))


def _unsettled(page: Page, voice: Voice, wanted: Superlative, ids: Sequence[str], best: float | str) -> None:
    """Cards left out because sources disagree, that might come first if the figure in dispute held."""
    if wanted.per or isinstance(best, str):
        return
    highest = wanted.direction == "highest"
    ahead = []
    for gpu_id in ids:
        bounds = voice.entry(gpu_id, wanted.field).bounds
        if bounds is not None and (bounds[1] > best if highest else bounds[0] < best):
            ahead.append(gpu_id)
    if ahead:
        key, language = "states.said_by", voice.language
        named = [
            phrase(key, language, value=voice.name(i), who=voice.value(i, wanted.field))
            for i in ahead[:_MOST_UNSETTLED]
        ]
        page.add(sentence("superlative.unsettled", language, cards=listed(named, language)))


def _named(label: str) -> Said:
    return Said(label, (DraftFact(None, None, label, None, None, "derived"),))


def rank(voice: Voice, ids: Sequence[str], wanted: Superlative) -> Ranked:
    """Cards with a comparable figure, the wanted end first."""
    found: list[tuple[float | str, str]] = []
    for gpu_id in ids:
        value = _measure(voice, gpu_id, wanted)
        if value is not None:
            found.append((value, gpu_id))
    found.sort(key=lambda pair: pair[1])
    found.sort(key=lambda pair: pair[0], reverse=wanted.direction == "highest")
    return found


def _shown(voice: Voice, value: float | str, key: str) -> Said:
    """A figure that cards share whose records say more than it ("48 GB / 96 GB")."""
    if isinstance(value, str):
        return Said(value)
    return Said(write_value(FIELDS[key], value, value, value)[0 if voice.language == "zh" else 1])


def _measure(voice: Voice, gpu_id: str, wanted: Superlative) -> float | str | None:
    entry = voice.entry(gpu_id, wanted.field)
    value = entry.value
    if entry.state == "variants" and not wanted.per and isinstance(value, float | int) and entry.bounds is not None:
        # Of a card sold with 48 or 96 GB the one with the most memory has 96.
        value = entry.bounds[1 if wanted.direction == "highest" else 0]
    if value is None and entry.preferred is not None:
        value = entry.preferred.high if wanted.direction == "lowest" else entry.preferred.low
    if value is None or (isinstance(value, str) != (FIELDS[wanted.field].kind == "date")):
        return None
    if not wanted.per:
        return value
    below = voice.entry(gpu_id, wanted.per).value
    if not isinstance(below, float | int) or not below or not isinstance(value, float | int):
        return None
    return value / below


def _plain(page: Page, voice: Voice, wanted: Superlative, ranked: Sequence[tuple[float | str, str]]) -> None:
    best = [gpu_id for value, gpu_id in ranked if value == ranked[0][0]]
    cards = listed([Said(voice.name(gpu_id)) for gpu_id in best], voice.language)
    key = wanted.field
    said = [voice.value(gpu_id, key, qualified=len(best) == 1) for gpu_id in best]
    differ = len({one.text for one in said}) > 1
    value = combine(_shown(voice, ranked[0][0], key).text if differ else said[0].text, said)
    if key == "released_on":
        template = "newest" if wanted.direction == "highest" else "oldest"
        page.add(sentence(f"superlative.{template}", voice.language, card=cards, value=value))
    else:
        size = key in _LARGE
        template = (
            ("largest" if size else "highest") if wanted.direction == "highest" else ("smallest" if size else "lowest")
        )
        label = voice.label(key, best[0])
        page.add(sentence(f"superlative.{template}", voice.language, label=label, card=cards, value=value))
    shown = [gpu_id for _, gpu_id in ranked]
    limit = _MOST_NAMED if len(shown) <= _MOST_NAMED else max(_MOST_RANKED, len(best))
    if len(shown) > 1:
        page.add(with_tiers(voice, cards_table(voice, shown[:limit], [key])))


def _per(page: Page, voice: Voice, wanted: Superlative, ranked: Sequence[tuple[float | str, str]]) -> None:
    best = ranked[0][1]
    alone = len(ranked) == 1
    label = say(
        "per.label" if wanted.per == "tdp_w" else "per.label_usd", voice.language, label=voice.label(wanted.field)
    )
    template = "per.one" if alone else "per.best" if wanted.direction == "highest" else "per.worst"
    page.add(
        sentence(
            template,
            voice.language,
            label=label,
            card=voice.name(best),
            value=_quotient(float(ranked[0][0]), wanted),
            top=voice.value(best, wanted.field),
            bottom=voice.value(best, wanted.per),
        )
    )
    if alone:
        return
    page.add(per_table(voice, [(float(value), gpu_id) for value, gpu_id in ranked[:_MOST_NAMED]], wanted, label))


def _judge_quotient(
    page: Page, voice: Voice, question: Question, wanted: Superlative, ranked: Sequence[tuple[float | str, str]]
) -> None:
    """Whether a stated quotient ("4.2 TOPS/W") is that of the card, by any of its figures."""
    match = _STATED_QUOTIENT.search(question.text)
    if match is None or len(ranked) != 1 or wanted.per != "tdp_w":
        return
    gpu_id, stated = ranked[0][1], float(match.group(1))
    tops = [figure.value for figure in voice.entry(gpu_id, wanted.field).figures]
    bottoms = [figure.value for figure in voice.entry(gpu_id, wanted.per).figures]
    quotients = [
        t / b for t in tops for b in bottoms if isinstance(t, float | int) and isinstance(b, float | int) and b
    ]
    holds = any(abs(quotient - stated) <= _SAME_QUOTIENT * stated for quotient in quotients)
    page.add(sentence("check.yes_alone" if holds else "check.not", voice.language))
    if not holds:
        page.mark("false_premise")
        shown = listed([_quotient(quotient, wanted) for quotient in sorted(set(quotients))], voice.language)
        if len(quotients) > 1:
            page.add(sentence("per.possible", voice.language, card=voice.name(gpu_id), values=shown))


def per_table(voice: Voice, ranked: Sequence[tuple[float, str]], wanted: Superlative, label: str) -> DraftTable:
    """Cards with both figures and their quotient."""
    keys = (wanted.field, wanted.per)
    ids = [gpu_id for _, gpu_id in ranked]
    columns = (*(Column(key, column_label(voice, key, ids)) for key in keys), Column("quotient", label))
    rows = []
    for value, gpu_id in ranked:
        quotient = _quotient(value, wanted)
        cells = {key: cell(voice.value(gpu_id, key), None, FIELDS[key].unit) for key in keys}
        cells["quotient"] = cell(quotient, quotient.facts[0].value, quotient.facts[0].unit)
        rows.append(DraftRow(gpu_id, voice.name(gpu_id), cells))
    return DraftTable("", say("names.card", voice.language), columns, tuple(rows))


def _quotient(value: float, wanted: Superlative) -> Said:
    unit = f"{FIELDS[wanted.field].unit}/{FIELDS[wanted.per].unit}"
    return derived(value, unit, digits=3)


def _missing(voice: Voice, gpu_id: str, wanted: Superlative) -> Said:
    keys = [key for key in (wanted.field, wanted.per) if key and _no_value(voice, gpu_id, key)]
    words = listed([voice.value(gpu_id, key) for key in keys], voice.language)
    return phrase("states.said_by", voice.language, value=Said(voice.name(gpu_id)), who=words)


def _no_value(voice: Voice, gpu_id: str, key: str) -> bool:
    return voice.entry(gpu_id, key).value is None


def _write_scope(page: Page, voice: Voice, scope: Scope, ranked: Ranked) -> None:
    """Which cards were ranked, and how many of them have a figure."""
    tiers = {voice.spec(gpu_id).tier for _, gpu_id in ranked}
    key = "both_tiers" if len(tiers) > 1 else "second_tier" if tiers == {2} else "first_tier"
    words = [Said(say(f"superlative.{key}", voice.language)), *scope.words]
    said = join(words, "，" if voice.language == "zh" else ", ")
    page.add(sentence("superlative.scope", voice.language, scope=said, count=counted(len(ranked))))
