"""What an answer takes for granted."""

from __future__ import annotations

from collections.abc import Iterable

from kb.answer.structured.page import Page
from kb.answer.structured.said import Words, listed, phrase, sentence
from kb.answer.structured.sizing.asked import SPEED_ASKS, OfCard, Sized
from kb.answer.structured.sizing.shown import named, shown, shown_value
from kb.answer.structured.voice import Voice
from kb.sizing import Note, refined
from kb.sizing.assumptions import assumptions
from kb.sizing.weights import estimate_weights
from kb.sizing.words import note_text

_OTHER_FORMATS = ("fp16", "fp8", "int4")
_TOLD = {
    *("shape_assumed", "shape_scaled", "precision_assumed", "precision_released", "training_context", "no_context"),
    *("zero_0", "zero_1", "zero_2", "zero_3", "recompute_full", "recompute_none", "lora_rank", "lora_without_experts"),
    *("all_experts", "experts_read", "sliding", "beyond_context", "roofline", "no_speculation", "utilisation"),
    *("pipeline", "full_context", "latent_copies", "cards_only", "street_price", "list_price", "overhead", "replicas"),
}
"""Notes that a reader of an answer needs; the others stand in the API."""
_OF_CARD = {
    *("over_pcie", "format_lacks", "format_not_published", "format_bounded", "faster_format", "int8_not_published"),
    *("no_bandwidth", "no_compute"),
}
"""Notes about a card, with its name where several are asked about; of these a question of memory needs the first."""
_WITHOUT_CONTEXT = {"kv", "context", "prefill", "concurrency", "rate"}


def assumed(page: Page, voice: Voice, sized: Sized, told: Iterable[OfCard] = ()) -> None:
    """The assumptions of an answer, and what the cards lack for it.

    Args:
        page: to write on.
        voice: of the answer.
        sized: what is answered.
        told: the lines behind an answer of speed.
    """
    asks, told = sized.asked.asks, list(told)
    speed = asks in SPEED_ASKS
    lines = [] if speed or asks == "kv" else list(sized.memory.lines)
    notes = [*assumptions(sized.workload, on_cards=bool(sized.groups))]
    notes += [note for line in (*lines, *(line for _, line in told)) for note in line.notes]
    if asks in {"concurrency", "rate"} and not sized.asked.context_tokens:
        page.add(sentence("sizing.context_assumed", voice.language, tokens=shown_value(sized.workload.tokens)))
    if asks in _WITHOUT_CONTEXT:
        notes = [note for note in notes if note.key != "no_context"]
    if asks == "kv":
        notes = [note for note in notes if not note.key.startswith("precision_")]
    if sized.asked.unknown and sized.asked.parameters_b:
        page.add(sentence("sizing.unknown_named", voice.language, name=named(sized.asked.unknown)))
    for note in _unique(notes):
        page.add(sentence("sizing.note", voice.language, text=named(note_text(note, voice.language))))
    _of_cards(page, voice, told, _OF_CARD) if speed else _of_cards(page, voice, _decoding(sized), {"format_lacks"})
    weighs = not speed and asks not in {"kv", "context"} and not sized.workload.trains
    if sized.workload.precision_basis != "given" and weighs:
        _other_formats(page, voice, sized)


def _decoding(sized: Sized) -> list[OfCard]:
    return [(group.name, group.first.decode.lines[0]) for group in sized.groups if group.first.decode]


def _of_cards(page: Page, voice: Voice, told: list[OfCard], keys: set[str]) -> None:
    """Notes about cards, each once, with the names of those it holds of unless it holds of all."""
    every = {name for name, _ in told}
    names: dict[str, dict[str, None]] = {}
    for name, line in told:
        for note in line.notes:
            if note.key in keys:
                names.setdefault(note_text(note, voice.language), {})[name] = None
    for text, of in names.items():
        words: dict[str, Words] = {"text": named(text), "cards": listed([named(name) for name in of], voice.language)}
        key = "sizing.note" if len(of) == len(every) else "sizing.note_of"
        page.add(sentence(key, voice.language, **words))


def _unique(notes: Iterable[Note]) -> list[Note]:
    return [note for key, note in {note.key: note for note in notes}.items() if key in _TOLD]


def _other_formats(page: Page, voice: Voice, sized: Sized) -> None:
    others = [
        phrase(
            "sizing.part",
            voice.language,
            label=named(name.upper()),
            value=shown(estimate_weights(refined(sized.workload, precision=name)).value, "bytes"),
        )
        for name in _OTHER_FORMATS
        if name != sized.workload.precision
    ]
    page.add(sentence("sizing.other_formats", voice.language, others=listed(others, voice.language)))
