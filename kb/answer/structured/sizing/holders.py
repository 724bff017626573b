"""Which cards hold a workload alone, among those that a question describes or all that are well checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kb.answer.question import Question
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, listed, sentence
from kb.answer.structured.scope import in_groups
from kb.answer.structured.sizing.asked import Sized, sized
from kb.answer.structured.sizing.parts import model_words
from kb.answer.structured.sizing.shown import counted, shown
from kb.answer.structured.voice import Voice
from kb.sizing.accelerator import accelerators_of
from kb.sizing.placement import Layout, fits
from kb.specs.schema import GpuSpec

_MOST_NAMED = 8
_CARDS = re.compile(r"(?:卡|gpu|芯片|加速器|\bcards?|\bgpus|\baccelerators?)$")
_QUANTISED = "int4"
_IN_BOTH_TIERS = frozenset({"consumer", "series"})
"""What describes cards that are mostly in the second tier."""


def holders(page: Page, voice: Voice, question: Question, found: Sized) -> None:
    """Write the cards that hold it; where none does and no format was given, those that hold it in four bits."""
    specs = _described(voice, question)
    cards = _holding(voice, found, specs)
    if cards:
        _write(page, voice, "sizing.holders", question, cards, {})
        return
    smaller = None if found.asked.precision or found.workload.trains else _quantised(voice, question)
    cards = _holding(voice, smaller, specs) if smaller is not None else []
    if smaller is None or not cards:
        described = _described_as(question)
        page.add(
            sentence("sizing.no_holder_of" if described.text else "sizing.no_holder", voice.language, of=described)
        )
        return
    words = {"total": shown(smaller.memory.total, "bytes", decimals=found.asked.decimals)}
    _write(page, voice, "sizing.holders_quantised", question, cards, {**model_words(smaller, voice.language), **words})


def _write(
    page: Page, voice: Voice, key: str, question: Question, cards: Sequence[str], more: dict[str, Words]
) -> None:
    named = [Said(voice.name(i), (), voice.value(i, "memory_gb").supports) for i in cards[:_MOST_NAMED]]
    described = _described_as(question)
    words: dict[str, Words] = {"count": counted(len(cards)), "cards": listed(named, voice.language), "of": described}
    page.add(sentence(f"{key}_of" if described.text else key, voice.language, **words, **more))


def _described(voice: Voice, question: Question) -> list[GpuSpec]:
    """The cards that the question describes; without a description those of the first tier."""
    in_both = any(group.kind in _IN_BOTH_TIERS for group in question.groups)
    specs = (spec for spec in voice.catalog.gpus.values() if spec.tier == 1 or in_both)
    return [spec for spec in specs if in_groups(voice, spec, question.groups)]


def _described_as(question: Question) -> Said:
    """The question's own words for the cards, as words for cards; empty where it describes none."""
    described = " ".join(dict.fromkeys(group.text.strip() for group in question.groups))
    if not described or _CARDS.search(described.lower()):
        return Said(described)
    return Said(described + ("卡" if question.language == "zh" else " cards"))


def _quantised(voice: Voice, question: Question) -> Sized | None:
    if question.workload is None:
        return None
    return sized(voice, replace(question, workload=replace(question.workload, precision=_QUANTISED)))


def _holding(voice: Voice, found: Sized, specs: Sequence[GpuSpec]) -> list[str]:
    """Those that hold it for sure, the least memory first, of as much the better checked and the faster first."""
    holding = []
    for spec in specs:
        fitting = [card for card in accelerators_of(spec) if fits(found.memory, Layout(), card) == "fits"]
        for card in fitting[:1]:
            bandwidth = card.figure("memory_bandwidth_gb_s")
            speed = bandwidth.value.high if bandwidth is not None else 0.0
            holding.append((card.memory.value.low, spec.tier, -speed, spec.gpu_id))
    return [gpu_id for *_, gpu_id in sorted(holding)]
