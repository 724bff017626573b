"""What the RT Cores of the cards named say to whether they suit rendering."""

from __future__ import annotations

from kb.answer.draft import Documents
from kb.answer.question import Question
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, listed, sentence
from kb.answer.structured.voice import Voice
from kb.selection.scenarios import Scenarios
from kb.types import Language

_MOST_SUGGESTED = 4


def write_suitability(page: Page, voice: Voice, question: Question, scenarios: Scenarios) -> None:
    """What the RT Cores of the cards named say to whether they suit rendering; documents may know more."""
    page.answered += 1
    for mention in question.cards:
        page.extend(voice.sentences(mention.gpu_ids[0], "rt_cores", card=mention_name(voice, mention))[:1])
    names = tuple(mention.text.strip() for mention in question.cards)
    about = scenarios["graphics"].about if "graphics" in scenarios else ()
    page.documents = Documents("after", names, (*about, "游戏", "gaming"))


def write_rendering(page: Page, voice: Voice, question: Question) -> None:
    """What RT Cores mean for rendering, where that is asked of named cards."""
    if not question.cards:
        return
    counts = [voice.entry(gpu_id, "rt_cores") for gpu_id in question.gpu_ids]
    language: Language = question.language
    if all(entry.value == 0 for entry in counts):
        support = [voice.support(gpu_id, "rt_cores") for gpu_id in question.gpu_ids]
        found = sentence("premise.not_render", language)
        page.add(type(found)(found.text, tuple(s for s in support if s)[:1]))
        page.mark("false_premise")
        ids = _with_rt_cores(voice, question)
        cards = listed([Said(voice.name(i), (), voice.value(i, "rt_cores").supports) for i in ids], language)
        if ids:
            page.add(sentence("premise.render_instead", language, cards=cards))
    elif all(isinstance(entry.value, float | int) and entry.value > 0 for entry in counts):
        page.add(sentence("premise.render", language))


def _with_rt_cores(voice: Voice, question: Question) -> list[str]:
    vendor = voice.spec(question.gpu_ids[0]).vendor_id
    found = [
        (float(entry.value), spec.gpu_id)
        for spec in voice.catalog.gpus.values()
        if spec.tier == 1
        and spec.vendor_id == vendor
        and "geforce" not in spec.name.lower()
        and isinstance((entry := voice.entry(spec.gpu_id, "rt_cores")).value, float | int)
        and entry.value
    ]
    return [gpu_id for _, gpu_id in sorted(found, reverse=True)[:_MOST_SUGGESTED]]
