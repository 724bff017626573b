"""Figures of the cards a question names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.question import Question
from kb.answer.structured.one_card import ask_documents, write_one
from kb.answer.structured.overview import notes_of
from kb.answer.structured.page import Page
from kb.answer.structured.read_as import read_as
from kb.answer.structured.said import (
    sentence,
)
from kb.answer.structured.several import any_figure, one_field_of_many, table_of_many
from kb.answer.structured.voice import Voice

_PER_CHIP = re.compile(
    r"单芯|每颗|单颗|每个芯片|单个芯片|(?:每个|单个?)\s?GCD"
    r"|\b(?:per|each|one) (?:chip|die|GCD)\b|\bone of the two\b",
    re.IGNORECASE,
)


def look_up(page: Page, voice: Voice, question: Question, fields: Sequence[str]) -> None:
    """Write the asked fields of every card named."""
    for mention in question.cards:
        ids = mention.gpu_ids
        keys = [key for key in fields if not (question.generic_compute and not any_figure(voice, ids, key))] or fields
        if len(ids) == 1:
            write_one(page, voice, ids[0], keys)
            if page.missing and not page.answered and not question.unexplained:
                ask_documents(page, voice, ids[0], keys)
        elif len(keys) == 1:
            one_field_of_many(page, voice, mention, keys[0])
        else:
            table_of_many(page, voice, mention, keys)
        read_as(page, voice, mention)


def parts_of(page: Page, voice: Voice, question: Question, fields: Sequence[str]) -> None:
    """What one chip of a card has, where that is asked: figures that circulate as the card's own say so."""
    if not _PER_CHIP.search(question.text):
        return
    for gpu_id in question.gpu_ids:
        if voice.spec(gpu_id).per == "package":
            page.extend(notes_of(voice, gpu_id))
        for key in fields:
            for figure in voice.entry(gpu_id, key).rejected:
                note = figure.note(voice.language)
                if _PER_CHIP.search(note):
                    page.add(
                        sentence("states.note", voice.language, text=voice.remark(note.rstrip("。."), gpu_id, key))
                    )
