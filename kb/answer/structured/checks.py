"""Yes/no questions with a bound: "does the T4 stay under 75 W?"."""

from __future__ import annotations

from kb.answer.draft import Sentence
from kb.answer.phrases import say
from kb.answer.question import Condition, Question
from kb.answer.structured.conditions import condition_said, judge
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page, cards_table
from kb.answer.structured.read_as import read_as
from kb.answer.structured.said import sentence
from kb.answer.structured.voice import Voice
from kb.specs.names import Mention


def check_conditions(page: Page, voice: Voice, question: Question) -> None:
    """Write for each condition whether the card meets it, with the figure."""
    for mention in question.cards:
        for condition in question.conditions:
            page.answered += 1
            _one(page, voice, mention, condition)
        read_as(page, voice, mention)


def _one(page: Page, voice: Voice, mention: Mention, condition: Condition) -> None:
    ids = mention.gpu_ids
    key = condition.field
    verdicts = {judge(voice.entry(gpu_id, key), condition) for gpu_id in ids}
    name = mention_name(voice, mention)
    if len(verdicts) == 1 and len(ids) == 1:
        answer = {"pass": "check.yes", "fail": "check.no", "unknown": "check.unknown"}[verdicts.pop()]
        first = voice.sentences(ids[0], key)
        lead = say(answer, voice.language)
        head = first[0]
        page.add(Sentence(lead + head.text, head.supports, head.facts), *first[1:])
        return
    template = "check.varies"
    if len(verdicts) == 1:
        template = {"pass": "check.all", "fail": "check.none", "unknown": "check.varies"}[verdicts.pop()]
    words = condition_said(voice, condition)
    page.add(sentence(template, voice.language, card=name, condition=words))
    page.add(cards_table(voice, ids, [key], name))
