"""Which of the named cards suits a purpose: a recommendation first, then the few figures it turns on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.draft import Documents
from kb.answer.question import Question
from kb.answer.structured.compare_table import table
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.read_as import read_as
from kb.answer.structured.said import Said, combine, listed, phrase, sentence
from kb.answer.structured.sides import figure_groups, figures_of
from kb.answer.structured.voice import COUNTS, Voice
from kb.selection.scenarios import Scenario
from kb.specs.names import Mention

_SLIGHT = 0.02
"""Figures closer than this decide nothing."""
_LOWER_IS_BETTER = {"tdp_w", "price_usd", "process_nm"}
_MOST_PARTS = 3


@dataclass(frozen=True, slots=True)
class _Lead:
    """A field in which one of the cards is clearly ahead, and how that is said."""

    winner: int
    said: Said


def weigh(page: Page, voice: Voice, question: Question, purpose: Scenario) -> None:
    """Write what a comparison of some fields means for a purpose, by the fields that decide it."""
    names = [mention_name(voice, mention) for mention in question.cards]
    leads = [lead for key in purpose.decide if (lead := _lead(voice, question.cards, key)) is not None]
    if leads:
        _recommend(page, voice, purpose, names, leads)


def choose(page: Page, voice: Voice, question: Question, purpose: Scenario) -> None:
    """Write which of the named cards comes first for a purpose, by the catalogue's figures."""
    mentions = question.cards
    page.answered += 1
    names = [mention_name(voice, mention) for mention in mentions]
    leads = [lead for key in purpose.decide if (lead := _lead(voice, mentions, key)) is not None]
    _recommend(page, voice, purpose, names, leads)
    for mention in mentions:
        read_as(page, voice, mention)
    keys = [key for key in purpose.show if _is_shown(voice, question.gpu_ids, key, decides=key in purpose.decide)]
    page.add(table(voice, figure_groups(voice, mentions, keys), keys))
    named = tuple(dict.fromkeys((*(mention.text.strip() for mention in mentions), *names)))
    page.documents = Documents("inside", named, purpose.about)


def _is_shown(voice: Voice, gpu_ids: Sequence[str], key: str, *, decides: bool) -> bool:
    """Whether the table has a row for a field: with two figures to compare, or a single one of those that decide."""
    stated = sum(voice.is_stated(gpu_id, key) for gpu_id in gpu_ids)
    return stated > 1 or (decides and stated == 1)


def _lead(voice: Voice, mentions: Sequence[Mention], key: str) -> _Lead | None:
    sides = [figures_of(voice, mention, key) for mention in mentions]
    sign = -1.0 if key in _LOWER_IS_BETTER else 1.0
    spans = [sorted(sign * value for value, _ in side) for side in sides]
    if not all(spans):
        return None
    best = max(range(len(spans)), key=lambda i: spans[i][0])
    others = [span[-1] for i, span in enumerate(spans) if i != best]
    if spans[best][0] - max(others) <= _SLIGHT * abs(spans[best][0]):
        return None
    said = [_said(voice, side, key) for side in sides]
    rest = listed([said[i] for i in range(len(said)) if i != best], voice.language)
    label = voice.label(key, mentions[best].gpu_ids[0])
    return _Lead(best, phrase("choice.part", voice.language, label=label, high=said[best], low=rest))


def _said(voice: Voice, side: Sequence[tuple[float, Said]], key: str) -> Said:
    """A card's figure, or the span of its versions' figures."""
    low, high = min(side, key=lambda pair: pair[0]), max(side, key=lambda pair: pair[0])
    if low[0] == high[0]:
        return low[1].with_text("0") if key in COUNTS and not low[0] else low[1]
    return combine(phrase("compare.span", voice.language, low=low[1], high=high[1]).text, [said for _, said in side])


def _recommend(page: Page, voice: Voice, purpose: Scenario, names: Sequence[str], leads: Sequence[_Lead]) -> None:
    said = purpose.said(voice.language)
    if not leads:
        page.add(sentence("choice.even", voice.language, purpose=said))
        return
    wins = [[lead for lead in leads if lead.winner == i] for i in range(len(names))]
    first = max(range(len(names)), key=lambda i: len(wins[i]))
    ahead = len(wins[first]) > max(len(won) for i, won in enumerate(wins) if i != first)
    for i in (first, *(i for i in range(len(names)) if i != first)):
        if not wins[i]:
            continue
        parts = listed([lead.said for lead in wins[i][:_MOST_PARTS]], voice.language)
        template = "choice.leads" if i != first else "choice.first" if ahead else "choice.divided"
        page.add(sentence(template, voice.language, purpose=said, card=names[i], parts=parts))
    page.add(sentence("choice.basis", voice.language))
