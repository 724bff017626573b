"""The bandwidth of a link per direction and in both, where a question asks which it is."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.draft import Sentence
from kb.answer.phrases import say
from kb.answer.question import Question
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.said import (
    combine,
    derived,
    sentence,
)
from kb.answer.structured.voice import Voice
from kb.specs.names import Mention


def directions(page: Page, voice: Voice, question: Question) -> None:
    """A link's bandwidth, both directions together and one alone."""
    key = "interconnect_gb_s"
    for mention in question.cards:
        groups: dict[float, list[str]] = {}
        rest: list[str] = []
        for gpu_id in mention.gpu_ids:
            value = voice.entry(gpu_id, key).value
            if isinstance(value, float | int):
                groups.setdefault(float(value), []).append(gpu_id)
            else:
                rest.append(gpu_id)
        for value, ids in groups.items():
            page.add(_direction_sentence(voice, mention, ids, value))
            page.answered += 1
        if not groups:
            for gpu_id in mention.gpu_ids[:1]:
                page.extend(voice.sentences(gpu_id, key))
                page.missing += 1


def _direction_sentence(voice: Voice, mention: Mention, ids: Sequence[str], value: float) -> Sentence:
    key = "interconnect_gb_s"
    if len(ids) == len(mention.gpu_ids):
        name = mention_name(voice, mention)
    else:
        name = say("join.list", voice.language).join(voice.name(gpu_id) for gpu_id in ids)
    both = combine(
        voice.figure(ids[0], key, voice.entry(ids[0], key).figures[0], qualified=False).text,
        [voice.value(gpu_id, key) for gpu_id in ids],
    )
    one = derived(value / 2, "GB/s")
    return sentence("convert.one_way", voice.language, card=name, label=voice.label(key, ids[0]), both=both, one=one)
