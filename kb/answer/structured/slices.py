"""Slices of a card by MIG: what a profile holds, or which profiles a card has."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.draft import DraftFact, Sentence, Support
from kb.answer.question import Question
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, listed, sentence
from kb.answer.structured.voice import Voice
from kb.specs.names import Mention
from kb.specs.schema import MigProfile
from kb.specs.sheet import profile_key


def write_slices(page: Page, voice: Voice, question: Question) -> None:
    """Write what the profiles named hold on each card named."""
    for mention in question.cards:
        for name in question.slices:
            page.extend(_of_mention(page, voice, mention, name))


def _of_mention(page: Page, voice: Voice, mention: Mention, name: str) -> list[Sentence]:
    having = [gpu_id for gpu_id in mention.gpu_ids if _profile(voice, gpu_id, name) is not None]
    if having:
        page.answered += 1
        return [_holds(voice, mention, having, name)]
    known = [gpu_id for gpu_id in mention.gpu_ids if voice.spec(gpu_id).profiles]
    if known:
        page.answered += 1
        page.mark("false_premise")
        return [_lacks(voice, known[0], name)]
    # It has no MIG at all, or nobody has recorded its profiles.
    sentences = voice.sentences(mention.gpu_ids[0], "mig_slices")
    lacks = voice.entry(mention.gpu_ids[0], "mig_slices").state == "not_supported"
    page.answered += lacks
    page.missing += not lacks
    if lacks:
        page.mark("false_premise")
    return sentences


def _profile(voice: Voice, gpu_id: str, name: str) -> MigProfile | None:
    return next((profile for profile in voice.spec(gpu_id).profiles if profile.name == name), None)


def _holds(voice: Voice, mention: Mention, gpu_ids: Sequence[str], name: str) -> Sentence:
    profile = _profile(voice, gpu_ids[0], name)
    assert profile is not None
    same = [gpu_id for gpu_id in gpu_ids if _profile(voice, gpu_id, name) == profile]
    lines = _lines(voice, same, profile)
    names = listed([Said(voice.name(gpu_id)) for gpu_id in same], voice.language)
    memory = Said(f"{profile.memory_gb:g} GB", (_fact(profile.memory_gb, "GB"),), lines)
    compute = Said(
        f"{profile.compute}/{profile.compute_slices}", (_fact(profile.compute), _fact(profile.compute_slices)), lines
    )
    most = Said(str(profile.most), (_fact(profile.most),), lines)
    shown = Said(name, (DraftFact(None, None, name, None, None, "derived"),), lines)
    return sentence("slices.holds", voice.language, card=names, name=shown, memory=memory, compute=compute, most=most)


def _lacks(voice: Voice, gpu_id: str, name: str) -> Sentence:
    profiles = voice.spec(gpu_id).profiles
    lines = tuple(line for profile in profiles for line in _lines(voice, [gpu_id], profile))
    names = [Said(p.name, (DraftFact(None, None, p.name, None, None, "derived"),)) for p in profiles]
    shown = Said(name, (DraftFact(None, None, name, None, None, "derived"),), lines[:1])
    return sentence(
        "slices.lacks", voice.language, card=voice.name(gpu_id), name=shown, profiles=listed(names, voice.language)
    )


def _lines(voice: Voice, gpu_ids: Sequence[str], profile: MigProfile) -> tuple[Support, ...]:
    found = (voice.support(gpu_id, profile_key(profile)) for gpu_id in gpu_ids)
    return tuple(line for line in found if line is not None)


def _fact(value: float, unit: str | None = None) -> DraftFact:
    return DraftFact(None, None, float(value), unit, None, "derived")
