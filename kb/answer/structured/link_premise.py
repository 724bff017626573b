"""A link that a question takes for granted and a card does not have."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.draft import Sentence
from kb.answer.question import Question
from kb.answer.structured.names import mention_name
from kb.answer.structured.said import Said, sentence
from kb.answer.structured.voice import Voice


def link_premise(voice: Voice, question: Question) -> Sequence[Sentence]:
    """A link named that the card does not have: NVLink on a card of another vendor, or on one without."""
    if "nvlink" not in question.text.lower() or not {"interconnect", "interconnect_gb_s"} & set(question.fields):
        return ()
    found: list[Sentence] = []
    for mention in question.cards:
        for gpu_id in mention.gpu_ids[:1]:
            entry = voice.entry(gpu_id, "interconnect")
            value = str(entry.value or "")
            if all(not _has_nvlink(voice, other) for other in mention.gpu_ids):
                name = mention_name(voice, mention)
                if value:
                    said = voice.value(gpu_id, "interconnect")
                    found.append(sentence("premise.not_link", voice.language, card=name, stated="NVLink", value=said))
                elif voice.spec(gpu_id).vendor_id != "nvidia":
                    support = voice.support(gpu_id, "vendor")
                    stated = Said("NVLink", (), (support,) if support else ())
                    found.append(sentence("premise.not_link_none", voice.language, card=name, stated=stated))
    return found


def _has_nvlink(voice: Voice, gpu_id: str) -> bool:
    entry = voice.entry(gpu_id, "interconnect")
    if isinstance(entry.value, str):
        return "nvlink" in entry.value.lower()
    return voice.spec(gpu_id).vendor_id == "nvidia" and entry.state != "not_supported"
