"""What a card is, by its main fields."""

from __future__ import annotations

from kb.answer.draft import Sentence
from kb.answer.question import Question
from kb.answer.structured.names import asked_name
from kb.answer.structured.one_card import items
from kb.answer.structured.page import Page, cards_table
from kb.answer.structured.read_as import read_as
from kb.answer.structured.said import (
    counted,
    sentence,
)
from kb.answer.structured.several import any_figure
from kb.answer.structured.voice import Voice
from kb.specs.sheet import NOTES

OVERVIEW = (
    "vendor",
    "architecture",
    "released_on",
    "memory_gb",
    "memory_type",
    "memory_bandwidth_gb_s",
    "fp32_tflops",
    "fp16_tensor_tflops",
    "fp8_tensor_tflops",
    "int8_tops",
    "interconnect_gb_s",
    "pcie",
    "tdp_w",
)
"""What a card as a whole is told by."""


OVERVIEW_TABLE = (
    "memory_gb",
    "memory_type",
    "memory_bandwidth_gb_s",
    "fp16_tensor_tflops",
    "int8_tops",
    "interconnect_gb_s",
    "tdp_w",
)


def overview(page: Page, voice: Voice, question: Question) -> None:
    """Write what a card is, by its main fields."""
    for mention in question.cards:
        ids = mention.gpu_ids
        page.answered += 1
        if len(ids) > 1:
            keys = [key for key in OVERVIEW_TABLE if any_figure(voice, ids, key)]
            page.mark("ambiguous")
            name = asked_name(voice, mention)
            page.add(sentence("names.several_fields", voice.language, name=name, count=counted(len(ids))))
            page.add(cards_table(voice, ids, keys, name))
        else:
            keys = [key for key in OVERVIEW if voice.is_stated(ids[0], key)]
            page.add(sentence("one.list_head", voice.language, card=voice.name(ids[0])))
            page.extend(items(voice, ids[0], keys))
            page.extend(notes_of(voice, ids[0]))
        read_as(page, voice, mention)


def notes_of(voice: Voice, gpu_id: str) -> list[Sentence]:
    """What must be known of a card as a whole."""
    notes = voice.spec(gpu_id).notes(voice.language)[:1]
    return [
        sentence("states.note", voice.language, text=voice.remark(note.rstrip("。."), gpu_id, NOTES)) for note in notes
    ]
