"""The answer to a sizing question: the number asked for first, then where it comes from, then what was assumed."""

from __future__ import annotations

from collections.abc import Mapping

from kb.answer.draft import Documents
from kb.answer.question import Question, Workload
from kb.answer.question.workloads import model_shapes
from kb.answer.structured.page import Page
from kb.answer.structured.read_as import read_as
from kb.answer.structured.said import listed, sentence
from kb.answer.structured.sizing.asked import SPEED_ASKS, Sized, sized
from kb.answer.structured.sizing.cards import needed, on_stated_memory, other_memory, per_gpu, verdicts
from kb.answer.structured.sizing.holders import holders
from kb.answer.structured.sizing.largest import largest
from kb.answer.structured.sizing.notes import assumed
from kb.answer.structured.sizing.parts import (
    by_memory,
    cache_of_a_token,
    need,
    other_methods,
    parts_table,
    states,
    weights,
)
from kb.answer.structured.sizing.reach import longest
from kb.answer.structured.sizing.shown import named
from kb.answer.structured.sizing.speed import speeds
from kb.answer.structured.voice import Voice
from kb.sizing import nearest_models

_EXPLAINED: Mapping[str, tuple[str, ...]] = {"kv": ("KV cache", "KV 缓存")}
"""What documents explain of a figure that rests on no card, by the words that name it."""
_TRAINING_STATES = ("模型状态", "model states", "optimizer states", "优化器状态")


def size(page: Page, voice: Voice, question: Question) -> bool:
    """Write the answer; `False` if documents should be asked instead."""
    workload = question.workload
    if workload is None:
        return False
    if workload.asks == "model":
        return largest(page, voice, question)
    found = sized(voice, question)
    if found is None:
        _unknown_model(page, voice, workload)
        return True
    if workload.asks in SPEED_ASKS and not found.groups:
        return False
    page.answered += 1
    page.documents = _documents(question, found)
    if workload.asks in SPEED_ASKS:
        lines = speeds(page, voice, found)
        assumed(page, voice, found, lines)
    else:
        _memory(page, voice, question, found)
        assumed(page, voice, found)
    for group in found.groups:
        page.extend(per_gpu(voice, group))
    for mention in question.cards:
        if not found.groups:
            page.extend(voice.sentences(mention.gpu_ids[0], "memory_gb"))
        read_as(page, voice, mention)
    return True


def _memory(page: Page, voice: Voice, question: Question, found: Sized) -> None:
    asked = found.asked
    if asked.asks == "context":
        longest(page, voice, found)
        cache_of_a_token(page, voice, found)
        return
    if asked.asks == "kv" and not found.groups:
        cache_of_a_token(page, voice, found)
        return
    if found.groups and not other_memory(page, voice, found):
        given = any(group.first.given for group in found.groups)
        (verdicts if asked.asks == "fit" or given else needed)(page, voice, found)
    elif asked.card_gb:
        on_stated_memory(page, voice, found, asked.card_gb)
    if not found.groups and not asked.card_gb:
        if asked.asks == "weights":
            weights(page, voice, found)
        need(page, voice, found)
    if found.workload.trains:
        states(page, voice, found)
        other_methods(page, voice, found)
    parts_table(page, voice, found)
    if not question.cards:
        by_memory(page, voice, found)
        if asked.wants_cards:
            holders(page, voice, question, found)


def _documents(question: Question, found: Sized) -> Documents | None:
    """What documents may add: how fast such a model was seen to run on these cards, or what its fine-tuning took."""
    workload = found.workload
    if found.asked.asks in SPEED_ASKS:
        return Documents("after", tuple(mention.text.strip() for mention in question.cards), ("token", "秒"))
    if workload.method != "full":
        return Documents("after", (found.asked.model or workload.name,), (workload.method,))
    if not found.groups and found.asked.asks in _EXPLAINED:
        return Documents("after", _EXPLAINED[found.asked.asks])
    if not found.groups and workload.trains:
        return Documents("after", _TRAINING_STATES)
    return None


def _unknown_model(page: Page, voice: Voice, workload: Workload) -> None:
    if not workload.unknown:
        page.missing += 1
        page.add(sentence("sizing.no_size", voice.language))
        return
    near = nearest_models(model_shapes(), workload.unknown)
    name = named(workload.unknown)
    page.missing += 1
    page.add(sentence("sizing.unknown_model", voice.language, name=name))
    if near:
        models = listed([named(shape.name) for shape in near], voice.language)
        page.add(sentence("sizing.nearest_models", voice.language, models=models))
