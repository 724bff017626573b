"""How many cards a workload takes, and whether those there are hold it."""

from __future__ import annotations

from collections.abc import Iterable

from kb.answer.draft import DraftCell, DraftRow, DraftTable, Sentence
from kb.answer.phrases import say
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, combine, phrase, sentence
from kb.answer.structured.sizing.asked import Group, Sized
from kb.answer.structured.sizing.parts import by_capacity, model_words, shown_range
from kb.answer.structured.sizing.shown import cell, counted, layout_text, shown, shown_value
from kb.answer.structured.voice import Voice
from kb.sizing.accelerator import GB
from kb.sizing.placement import Layout, on_each_card
from kb.types import Column

_OF_VARIANT = ("memory", "least", "planned", "layout", "each")


def verdicts(page: Page, voice: Voice, sized: Sized) -> None:
    """Whether the cards there are hold it; of each group."""
    for group in sized.groups:
        count = group.first.given or 1
        verdict = group.first.placement.verdict(count)
        memory = _memory(voice, group)
        held = shown(group.first.card.memory.value * count, "GB")
        words: dict[str, Words] = {
            "card": group.name,
            "count": counted(count),
            "held": combine(held.text, [held, memory]),
            "total": shown(sized.memory.total, "bytes", decimals=sized.asked.decimals),
            "on_each": _on_each(voice, sized, group),
            **model_words(sized, voice.language),
        }
        page.add(sentence(f"sizing.{verdict}", voice.language, **words))
        if verdict != "fits":
            page.add(_plan(voice, sized, group))


def _on_each(voice: Voice, sized: Sized, group: Group) -> Said:
    """How several cards share it."""
    layout, each = group.first.layout, group.first.each
    if layout is None or each is None or layout.cards == 1:
        return Said("")
    held = shown(each, "bytes", decimals=sized.asked.decimals)
    return phrase("sizing.on_each", voice.language, layout=layout_text(layout), each=held)


def on_stated_memory(page: Page, voice: Voice, sized: Sized, card_gb: float) -> None:
    """Whether cards given by their memory alone hold it ("一张 80G 够不够"), or how many of them it takes."""
    if sized.asked.asks == "cards" and sized.asked.cards is None:
        page.add(_of_stated(voice, sized, card_gb))
        return
    count = sized.asked.cards or 1
    low, high = sized.memory.total.low, sized.memory.total.high
    held = count * card_gb
    verdict = "fits" if high <= held * GB else "tight" if low <= held * 2**30 else "does_not_fit"
    memory = phrase("sizing.card_of", voice.language, memory=shown_value(card_gb, "GB"))
    words: dict[str, Words] = {
        "card": memory,
        "count": counted(count),
        "held": shown_value(held, "GB"),
        "total": shown(sized.memory.total, "bytes", decimals=sized.asked.decimals),
        "on_each": Said(""),
        **model_words(sized, voice.language),
    }
    page.add(sentence(f"sizing.{verdict}", voice.language, **words))


def _of_stated(voice: Voice, sized: Sized, card_gb: float) -> Sentence:
    words: dict[str, Words] = {"count": shown(by_capacity(sized, card_gb)), "memory": shown_value(card_gb, "GB")}
    return sentence("sizing.of_stated", voice.language, **model_words(sized, voice.language), **words)


def other_memory(page: Page, voice: Voice, sized: Sized) -> bool:
    """Whether the question gives the cards named another memory than they have; that is said."""
    stated = sized.asked.card_gb
    own = {group.first.card.memory.value.low for group in sized.groups}
    if stated is None or not own or any(low == stated for low in own):
        return False
    group = sized.groups[0]
    words: dict[str, Words] = {"card": group.name, "memory": _memory(voice, group)}
    page.add(sentence("sizing.other_memory", voice.language, stated=shown_value(stated, "GB"), **words))
    return True


def needed(page: Page, voice: Voice, sized: Sized) -> None:
    """How many it takes, of each group."""
    if len(sized.groups) == 1:
        page.add(_plan(voice, sized, sized.groups[0]))
        return
    words = {"planned": _counts(g.first.placement.planned for g in sized.groups)}
    words["least"] = _counts(g.first.placement.tight for g in sized.groups)
    counts = {
        layout.cards if layout else 0
        for group in sized.groups
        for layout in (group.first.placement.planned, group.first.placement.tight)
    }
    key = "sizing.by_variant_alike" if len(counts) == 1 and counts != {0} else "sizing.by_variant"
    page.add(sentence(key, voice.language, **model_words(sized, voice.language), **words))
    columns = tuple(Column(key, say(f"sizing.{key}", voice.language)) for key in _OF_VARIANT)
    rows = tuple(
        DraftRow(f"{group.first.card.gpu_id}:{position}", group.name, _cells(voice, sized, group))
        for position, group in enumerate(sized.groups)
    )
    page.add(DraftTable("", say("names.card", voice.language), columns, rows))


def _counts(layouts: Iterable[Layout | None]) -> Said:
    counts = [layout.cards for layout in layouts if layout is not None]
    return shown_range(min(counts), max(counts)) if counts else Said("—")


def _cells(voice: Voice, sized: Sized, group: Group) -> dict[str, DraftCell]:
    placement = group.first.placement
    none = Said("—")
    planned = placement.planned
    each = _used(sized, group, planned) if planned else none
    return {
        "memory": cell(_memory(voice, group)),
        "least": cell(counted(placement.tight.cards) if placement.tight else none),
        "planned": cell(counted(planned.cards) if planned else none),
        "layout": cell(_layout(planned) if planned else none),
        "each": cell(each),
    }


def _used(sized: Sized, group: Group, layout: Layout) -> Said:
    """What each card of a layout has to hold."""
    each = on_each_card(sized.memory, layout, group.first.card)
    return shown(each, "bytes", decimals=sized.asked.decimals)


def _plan(voice: Voice, sized: Sized, group: Group) -> Sentence:
    language = voice.language
    placement = group.first.placement
    low, high = placement.by_capacity.low, placement.by_capacity.high
    if placement.planned is None or placement.tight is None:
        return sentence("sizing.no_layout", language, card=group.name, **model_words(sized, voice.language))
    words: dict[str, Words] = {
        "card": group.name,
        "memory": _memory(voice, group),
        "planned": counted(placement.planned.cards),
        "layout": _layout(placement.planned),
        "each": _used(sized, group, placement.planned),
        "least": counted(placement.tight.cards),
        "capacity": shown_range(low, high),
        **model_words(sized, voice.language),
    }
    if placement.planned.cards == 1:
        return sentence("sizing.one_card", language, **words)
    key = "sizing.plan" if placement.tight.cards == placement.planned.cards else "sizing.plan_or_less"
    return sentence(key, language, **words)


def per_gpu(voice: Voice, group: Group) -> list[Sentence]:
    """That a count is of GPUs, where boards carry several."""
    spec = group.first.card.spec
    if spec.board_count == 1:
        return []
    words: dict[str, Words] = {"card": voice.name(spec.gpu_id), "count": counted(spec.board_count)}
    return [sentence("sizing.per_gpu", voice.language, **words)]


def _layout(layout: Layout) -> Said:
    return layout_text(layout) if layout.cards > 1 else counted(1)


def _memory(voice: Voice, group: Group) -> Said:
    card = group.first.card
    figure = card.memory.figure
    if figure is None:
        return shown_value(card.memory.value.low, "GB")
    said = [voice.figure(item.card.gpu_id, "memory_gb", figure, qualified=False) for item in group.estimates]
    return combine(said[0].text, said)
