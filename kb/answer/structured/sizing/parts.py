"""The parts of a workload's memory, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kb.answer.draft import DraftRow, DraftTable
from kb.answer.phrases import say
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, listed, phrase, sentence
from kb.answer.structured.sizing.asked import SPEED_ASKS, Sized
from kb.answer.structured.sizing.shown import calculation, cell, label, named, shown, shown_value
from kb.answer.structured.voice import Voice
from kb.sizing import Bounds, Line, Note, estimate_memory, refined
from kb.sizing.accelerator import GB, GIB
from kb.sizing.assumptions import assumptions
from kb.sizing.bounds import ZERO
from kb.sizing.overhead import RESERVED_SHARE
from kb.sizing.weights import estimate_weights
from kb.sizing.words import note_text
from kb.types import Column, Language

_COMMON_CARDS_GB = (24, 48, 80, 141, 192)
_OTHER_FORMATS = ("fp16", "fp8", "int4")
_TOLD = {
    *("shape_assumed", "shape_scaled", "precision_assumed", "precision_released", "training_context", "no_context"),
    *("zero_0", "zero_1", "zero_2", "zero_3", "recompute_full", "recompute_none", "lora_rank", "lora_without_experts"),
    *("all_experts", "experts_read", "sliding", "beyond_context", "roofline", "no_speculation", "utilisation"),
    *(
        "over_pcie",
        "pipeline",
        "format_lacks",
        "format_not_published",
        "faster_format",
        "int8_not_published",
        "no_bandwidth",
        "no_compute",
    ),
    *("full_context", "latent_copies", "cards_only", "street_price", "list_price", "overhead"),
}
"""Notes that a reader of an answer needs; the others stand in the API."""


def model_name(sized: Sized, language: Language) -> Said:
    """What the answer calls the model, with its number format and how it is trained."""
    asked, workload = sized.asked, sized.workload
    name = asked.model or _with_size(asked.unknown, workload.name)
    format_ = workload.format.name.upper()
    if not workload.trains:
        return named(f"{name} {format_}")
    key = f"sizing.task_{workload.task if workload.method == 'full' else workload.method}"
    return named(say(key, language, model=name, format=format_))


def _inside(text: str) -> str:
    """A label inside a sentence: its first letter small, unless it is an abbreviation."""
    return text[:1].lower() + text[1:] if text.split()[0][1:].islower() else text


def model_words(sized: Sized, language: Language) -> dict[str, Words]:
    """The model's name for the start of a sentence and for inside one."""
    name = model_name(sized, language)
    inside = named(_inside(name.text)) if sized.workload.trains else name
    return {"model": name, "the_model": inside}


def _with_size(name: str, size: str) -> str:
    """An unrecorded model's name, with its size where it does not say it."""
    return name if size.lower() in name.lower() else f"{name} {size}".strip()


def weights(page: Page, voice: Voice, sized: Sized) -> None:
    """The weights, asked for by themselves."""
    line = sized.memory.lines[0]
    words: dict[str, Words] = {"size": shown(line.value, "bytes"), "how": calculation(voice, line)}
    page.add(sentence("sizing.weights", voice.language, **model_words(sized, voice.language), **words))


def need(page: Page, voice: Voice, sized: Sized) -> None:
    """All of it, the number first."""
    parts = [
        phrase("sizing.part", voice.language, label=_inside(label(voice, line)), value=shown(line.value, "bytes"))
        for line in sized.memory.lines
        if line.key not in {"kv_per_token", "overhead"}
    ]
    words: dict[str, Words] = {"total": shown(sized.memory.total, "bytes"), "parts": listed(parts, voice.language)}
    page.add(sentence("sizing.need", voice.language, **model_words(sized, voice.language), **words))


def states(page: Page, voice: Voice, sized: Sized) -> None:
    """What training keeps whatever the batch: weights, gradients and optimizer states; in all and by parameter."""
    keys = ("weights", "adapters", "gradients", "optimizer")
    total = sum((sized.memory.part(key) for key in keys), ZERO)
    words: dict[str, Words] = {"low": shown_value(total.low, "bytes"), "high": shown_value(total.high, "bytes")}
    if sized.workload.method == "full":
        each = total / sized.workload.parameters
        words |= {"each": shown(Bounds(round(each.low, 1), round(each.high, 1)))}
        page.add(sentence("sizing.states", voice.language, **words))


def other_methods(page: Page, voice: Voice, sized: Sized) -> None:
    """What it would take otherwise: by the other ways named, or by adapters where none is."""
    workload = sized.workload
    named_too = sized.asked.methods[1:] or (() if sized.asked.methods else ("lora", "qlora"))
    if workload.task != "finetune" or not named_too:
        return
    others = []
    for method in named_too:
        total = estimate_memory(replace(workload, method=method, precision_basis="assumed").with_defaults()).total
        name = say(f"sizing.method_{method}", voice.language)
        others.append(phrase("sizing.part", voice.language, label=name, value=shown(total, "bytes")))
    page.add(sentence("sizing.other_methods", voice.language, others=listed(others, voice.language)))


def parts_table(page: Page, voice: Voice, sized: Sized) -> None:
    """Each part with its formula."""
    columns = (
        Column("size", say("sizing.size", voice.language)),
        Column("how", say("sizing.how", voice.language)),
    )
    rows = [_row(voice, line) for line in sized.memory.lines]
    total = shown(sized.memory.total, "bytes")
    rows.append(DraftRow("total", say("sizing.total", voice.language), {"size": cell(total), "how": cell(Said(""))}))
    page.add(DraftTable("", say("sizing.item", voice.language), columns, tuple(rows)))


def _row(voice: Voice, line: Line) -> DraftRow:
    cells = {"size": cell(_size(line)), "how": cell(calculation(voice, line))}
    return DraftRow(line.key, label(voice, line), cells)


def _size(line: Line) -> Said:
    """A token's cache also in KiB, in which it is mostly quoted."""
    text = shown(line.value, "bytes")
    if line.key != "kv_per_token":
        return text
    return phrase("sizing.kib", "en", kb=text, kib=shown_value(line.value.low / 1024, "KiB"))


def cache_of_a_token(page: Page, voice: Voice, sized: Sized) -> None:
    """The KV cache, asked for by itself."""
    line = next((line for line in sized.memory.lines if line.key in {"kv_per_token", "kv_cache"}), None)
    if line is not None:
        key = "sizing.kv_per_token" if line.key == "kv_per_token" else "sizing.kv_cache"
        words: dict[str, Words] = {
            "size": _size(line),
            "how": calculation(voice, line),
            "model": named(sized.asked.model or sized.workload.name),
            "format": named(sized.workload.kv_format.name.upper()),
        }
        page.add(sentence(key, voice.language, **words))


def assumed(page: Page, voice: Voice, sized: Sized, more: Iterable[Line] = ()) -> None:
    """What the answer takes for granted."""
    speed = sized.asked.asks in SPEED_ASKS
    lines = [*more] if speed or sized.asked.asks == "kv" else [*sized.memory.lines, *more]
    notes = [*assumptions(sized.workload, on_cards=bool(sized.groups))]
    notes += [note for line in lines for note in line.notes]
    if sized.asked.asks == "concurrency" and not sized.asked.context_tokens:
        page.add(sentence("sizing.context_assumed", voice.language, tokens=shown_value(sized.workload.tokens)))
    if sized.asked.asks in {"kv", "prefill", "concurrency"}:
        notes = [note for note in notes if note.key != "no_context"]
    if sized.asked.asks == "kv":
        notes = [note for note in notes if not note.key.startswith("precision_")]
    if sized.asked.unknown and sized.asked.parameters_b:
        page.add(sentence("sizing.unknown_named", voice.language, name=named(sized.asked.unknown)))
    for note in _unique(notes):
        page.add(sentence("sizing.note", voice.language, text=named(note_text(note, voice.language))))
    weighs = not speed and sized.asked.asks != "kv" and not sized.workload.trains
    if sized.workload.precision_basis != "given" and weighs:
        _other_formats(page, voice, sized)


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


def by_memory(page: Page, voice: Voice, sized: Sized) -> None:
    """How many cards of common sizes hold it, where no card is named."""
    parts = [
        phrase(
            "sizing.of_size",
            voice.language,
            memory=shown_value(size_gb, "GB"),
            count=shown(by_capacity(sized, size_gb)),
        )
        for size_gb in _COMMON_CARDS_GB
    ]
    page.add(sentence("sizing.by_size", voice.language, parts=listed(parts, voice.language)))


def by_capacity(sized: Sized, size_gb: float) -> Bounds:
    """How many cards of a size hold it, if it were spread evenly."""
    low = -(-sized.memory.needed.low // (size_gb * GIB))
    return Bounds(low, -(-sized.memory.needed.high // (size_gb * GB * (1 - RESERVED_SHARE))))


def shown_range(low: float, high: float) -> Said:
    """`2–3`."""
    return shown(Bounds(low, high))
