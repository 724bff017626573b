"""The parts of a workload's memory."""

from __future__ import annotations

from dataclasses import replace

from kb.answer.draft import DraftRow, DraftTable
from kb.answer.phrases import say
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, listed, phrase, sentence
from kb.answer.structured.sizing.asked import Sized
from kb.answer.structured.sizing.shown import calculation, cell, label, named, shown, shown_value
from kb.answer.structured.voice import Voice
from kb.sizing import Bounds, Line, estimate_memory
from kb.sizing.accelerator import GB, GIB
from kb.sizing.bounds import ZERO
from kb.sizing.overhead import RESERVED_SHARE
from kb.types import Column, Language

_COMMON_CARDS_GB = (24, 48, 80, 141, 192)


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
    decimals = sized.asked.decimals
    binary = shown(line.value / 2**30, "GiB", decimals=decimals)
    plain = shown(line.value, "bytes", decimals=decimals)
    size = phrase("sizing.kib", voice.language, kb=plain, kib=binary)
    words: dict[str, Words] = {"size": size, "how": calculation(voice, line, decimals)}
    page.add(sentence("sizing.weights", voice.language, **model_words(sized, voice.language), **words))


def need(page: Page, voice: Voice, sized: Sized) -> None:
    """All of it, the number first."""
    decimals = sized.asked.decimals
    parts = [
        phrase(
            "sizing.part",
            voice.language,
            label=_inside(label(voice, line)),
            value=shown(line.value, "bytes", decimals=decimals),
        )
        for line in sized.memory.lines
        if line.key not in {"kv_per_token", "overhead"}
    ]
    total = shown(sized.memory.total, "bytes", decimals=decimals)
    words: dict[str, Words] = {"total": total, "parts": listed(parts, voice.language)}
    page.add(sentence("sizing.need", voice.language, **model_words(sized, voice.language), **words))


def states(page: Page, voice: Voice, sized: Sized) -> None:
    """What training keeps whatever the batch: weights, gradients and optimizer states; in all and by parameter."""
    keys = ("weights", "adapters", "gradients", "optimizer")
    total = sum((sized.memory.part(key) for key in keys), ZERO)
    words: dict[str, Words] = {
        "low": shown_value(total.low, "bytes", decimals=sized.asked.decimals),
        "high": shown_value(total.high, "bytes", decimals=sized.asked.decimals),
    }
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
        others.append(
            phrase(
                "sizing.part", voice.language, label=name, value=shown(total, "bytes", decimals=sized.asked.decimals)
            )
        )
    page.add(sentence("sizing.other_methods", voice.language, others=listed(others, voice.language)))


def parts_table(page: Page, voice: Voice, sized: Sized) -> None:
    """Each part with its formula."""
    columns = (
        Column("size", say("sizing.size", voice.language)),
        Column("how", say("sizing.how", voice.language)),
    )
    decimals = sized.asked.decimals
    rows = [_row(voice, line, decimals) for line in sized.memory.lines]
    total = shown(sized.memory.total, "bytes", decimals=decimals)
    rows.append(DraftRow("total", say("sizing.total", voice.language), {"size": cell(total), "how": cell(Said(""))}))
    page.add(DraftTable("", say("sizing.item", voice.language), columns, tuple(rows)))


def _row(voice: Voice, line: Line, decimals: int | None) -> DraftRow:
    cells = {"size": cell(_size(line, decimals)), "how": cell(calculation(voice, line, decimals))}
    return DraftRow(line.key, label(voice, line), cells)


def _size(line: Line, decimals: int | None) -> Said:
    """A token's cache also in KiB, in which it is mostly quoted."""
    text = shown(line.value, "bytes", decimals=decimals)
    if line.key != "kv_per_token":
        return text
    return phrase("sizing.kib", "en", kb=text, kib=shown_value(line.value.low / 1024, "KiB", decimals=decimals))


def cache_of_a_token(page: Page, voice: Voice, sized: Sized) -> None:
    """The KV cache, asked for by itself."""
    line = next((line for line in sized.memory.lines if line.key in {"kv_per_token", "kv_cache"}), None)
    if line is not None:
        key = "sizing.kv_per_token" if line.key == "kv_per_token" else "sizing.kv_cache"
        words: dict[str, Words] = {
            "size": _size(line, sized.asked.decimals),
            "how": calculation(voice, line, sized.asked.decimals),
            "model": named(sized.asked.model or sized.workload.name),
            "format": named(sized.workload.kv_format.name.upper()),
        }
        page.add(sentence(key, voice.language, **words))


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
