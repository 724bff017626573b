"""Names that look like cards but are in no catalogue."""

from __future__ import annotations

from kb.answer.draft import Documents
from kb.answer.question import Question
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, listed, sentence
from kb.answer.structured.voice import Voice

_MOST_NEAR = 4


def unknown_cards(page: Page, voice: Voice, question: Question) -> None:
    """Say which names are unknown and which real ones are nearest; never a figure.

    A name that the catalogue does not hold may stand in a document, announced or talked of: that goes first.
    """
    names = tuple(mention.text.strip() for mention in question.unknown)
    page.documents = Documents("after" if question.cards else "instead", names)
    for mention in question.unknown:
        page.mark("unknown_gpu")
        page.missing += 1
        page.add(sentence("names.unknown", voice.language, asked=mention.text.strip()))
        if mention.nearest:
            cards = listed([Said(voice.name(gpu_id)) for gpu_id in mention.nearest[:_MOST_NEAR]], voice.language)
            page.add(sentence("names.nearest", voice.language, cards=cards))
