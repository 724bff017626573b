"""The largest recorded models that cards hold ("24G 显存能跑多大的模型"), by number format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from kb.answer.question import Question, Workload
from kb.answer.question.workloads import model_shapes
from kb.answer.structured.names import common_name, mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, combine, counted, listed, phrase, sentence
from kb.answer.structured.sizing.asked import ASSUMED_CONTEXT
from kb.answer.structured.sizing.shown import named, shown, shown_value
from kb.answer.structured.voice import Voice
from kb.sizing import Accelerator, MemoryEstimate, accelerators_of, describe_workload, estimate_memory, refined
from kb.sizing.accelerator import GB
from kb.sizing.formats import FORMATS, number_format
from kb.sizing.placement import fits, layout_of
from kb.types import Language

_FORMATS: Final = ("fp16", "fp8", "int4")
_MOST_SIZES: Final = 3

Holds = Callable[[MemoryEstimate], bool]


@dataclass(frozen=True, slots=True)
class _Cards:
    """Cards of one memory size.

    Attributes:
        held: their memory together, with the catalogue's figure.
        holds: whether they surely hold a model.
    """

    name: Words
    count: int
    held_gb: float
    held: Said
    holds: Holds


def largest(page: Page, voice: Voice, question: Question) -> bool:
    """Write the largest models of each format; `False` without cards or their memory."""
    asked = question.workload
    groups = list(_groups(voice, question, asked)) if asked is not None else []
    if asked is None or not groups:
        return False
    page.answered += 1
    for cards in groups:
        formats = (number_format(asked.precision).name,) if asked.precision else _FORMATS
        parts = [_part(asked, cards, name, voice.language) for name in formats]
        words: dict[str, Words] = {"card": cards.name, "count": counted(cards.count), "held": cards.held}
        words["tokens"] = shown_value(asked.context_tokens or ASSUMED_CONTEXT)
        words["sequences"] = counted(asked.sequences or 1)
        page.add(sentence("sizing.largest", voice.language, parts=listed(parts, voice.language), **words))
        alone = [_weights_alone(cards, name) for name in formats]
        page.add(sentence("sizing.largest_alone", voice.language, parts=listed(alone, voice.language)))
    page.add(sentence("sizing.largest_of", voice.language, count=counted(len(model_shapes().shapes))))
    return True


def _groups(voice: Voice, question: Question, asked: Workload) -> Iterator[_Cards]:
    count = asked.cards or 1
    for mention in question.cards:
        sizes: dict[float, list[Accelerator]] = {}
        for gpu_id in mention.gpu_ids:
            for card in accelerators_of(voice.spec(gpu_id)):
                sizes.setdefault(card.memory.value.low, []).append(card)
        for size_gb, cards in list(sizes.items())[:_MOST_SIZES]:
            name = mention_name(voice, mention) if len(sizes) == 1 else _name(voice, cards)
            memory = [voice.value(card.gpu_id, "memory_gb") for card in cards]
            held = shown_value(count * size_gb, "GB")
            yield _Cards(name, count, count * size_gb, combine(held.text, [held, *memory]), _on(cards[0], count))
    if not question.cards and asked.card_gb:
        held_gb = count * asked.card_gb
        plain = phrase("sizing.card_of", voice.language, memory=shown_value(asked.card_gb, "GB"))
        yield _Cards(plain, count, held_gb, shown_value(held_gb, "GB"), lambda m: m.total.high <= held_gb * GB)


def _name(voice: Voice, cards: list[Accelerator]) -> str:
    """What cards of one memory size are called together."""
    ids = list(dict.fromkeys(card.gpu_id for card in cards))
    return (common_name(voice, ids) if len(ids) > 1 else "") or voice.name(ids[0])


def _on(card: Accelerator, count: int) -> Holds:
    return lambda memory: fits(memory, layout_of(memory, count), card) == "fits"


def _part(asked: Workload, cards: _Cards, format_name: str, language: Language) -> Said:
    """The largest model of a format, with what it needs."""
    shapes = sorted(model_shapes().shapes.values(), key=lambda shape: -shape.count.total)
    for shape in shapes:
        workload = refined(
            describe_workload(model_shapes(), model=shape.name),
            precision=format_name,
            context_tokens=min(asked.context_tokens or ASSUMED_CONTEXT, shape.max_context),
            sequences=asked.sequences,
        )
        memory = estimate_memory(workload)
        if memory.needed.low <= cards.held_gb * 2**30 and cards.holds(memory):
            need = shown(memory.total, "bytes")
            return phrase("states.said_by", language, value=named(f"{format_name.upper()} {shape.name}"), who=need)
    return phrase("sizing.largest_none", language, format=named(format_name.upper()))


def _weights_alone(cards: _Cards, format_name: str) -> Said:
    """How many parameters fill the memory with nothing else in it."""
    parameters = cards.held_gb * GB / FORMATS[format_name].bytes
    return named(f"{format_name.upper()} {parameters / 1e9:.3g}B")
