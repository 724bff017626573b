"""What people ask of a card that no field holds: said so, unless a passage on the very card knows it."""

from __future__ import annotations

from kb.answer.draft import Documents
from kb.answer.phrases import say
from kb.answer.question import Question
from kb.answer.question.table import read_table
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, combine, listed, sentence
from kb.answer.structured.voice import Voice


def write_not_held(page: Page, voice: Voice, question: Question) -> None:
    """Write that the catalogue does not hold what is asked; passages count only if they are on it and on the card."""
    page.missing += 1
    if not page.answered:
        page.mark("no_evidence")
    what = listed([Said(say(f"not_held.{kind}", voice.language)) for kind in question.not_held], voice.language)
    names = [mention_name(voice, mention) for mention in question.cards]
    supports = combine("", [voice.value(mention.gpu_ids[0], "vendor") for mention in question.cards])
    cards = Said(listed([Said(name) for name in names], voice.language).text, (), supports.supports)
    page.add(sentence("not_held.told", voice.language, cards=cards, what=what))
    words = tuple(str(word) for kind in question.not_held for word in read_table()["not_held"][kind])
    asked = tuple(dict.fromkeys((*(mention.text.strip() for mention in question.cards), *names)))
    page.documents = Documents("after" if page.answered else "instead", asked, words)
