"""How fast cards run a workload: bounds of reading prompts and of writing tokens, sequences at once, energy, time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kb.answer.draft import DraftCell, DraftRow, DraftTable, Sentence
from kb.answer.phrases import say
from kb.answer.question.model import WorkloadAsk
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, combine, sentence
from kb.answer.structured.sizing.asked import Group, OfCard, Sized
from kb.answer.structured.sizing.parts import model_words
from kb.answer.structured.sizing.reach import holding, reached, rounded_speed, where
from kb.answer.structured.sizing.shown import calculation, cell, cited, counted, layout_text, named, shown, shown_value
from kb.answer.structured.voice import Voice
from kb.sizing import Bounds, CardEstimate, Line, estimate_memory, estimate_on
from kb.sizing.placement import Layout
from kb.sizing.training import MODEL_FLOPS_UTILISATION
from kb.types import Column

_BATCHES = (1, 8, 32, 128)
_MOST_TOLD = 2
"""Groups of cards that are told one by one; more of them stand in a table."""


@dataclass(frozen=True, slots=True)
class _Measure:
    """What a question of speed asks for.

    Attributes:
        value: its line in an estimate; `None` where the card publishes too little.
        tell: a sentence about one group of cards.
        because: further lines whose calculation is shown.
        missing: what is said of a card that publishes too little.
    """

    value: Callable[[CardEstimate], Line | None]
    tell: Callable[[Voice, Sized, Group], Sentence]
    because: Callable[[CardEstimate], tuple[Line, ...]]
    missing: str = "sizing.no_rate"


def speeds(page: Page, voice: Voice, sized: Sized) -> list[OfCard]:
    """Answer a question of speed; gives the lines behind the answer."""
    if sized.asked.asks == "rate":
        return reached(page, voice, sized)
    measure = _MEASURES[sized.asked.asks]
    groups = [group for group in holding(page, voice, sized) if _has_rate(page, voice, group, measure)]
    if len(groups) > _MOST_TOLD:
        _table(page, voice, sized, groups, measure)
    lines: list[OfCard] = []
    for group in groups:
        lines += [(group.name, line) for line in measure.because(group.first)]
        if len(groups) <= _MOST_TOLD:
            page.add(measure.tell(voice, sized, group))
            for line in measure.because(group.first):
                page.add(sentence("sizing.because", voice.language, how=_because(voice, sized, group, line)))
    if sized.asked.asks == "speed" and sized.asked.sequences is None and 0 < len(groups) <= _MOST_TOLD:
        _by_batch(page, voice, sized, groups)
    return lines


def _because(voice: Voice, sized: Sized, group: Group, line: Line) -> Said:
    """The calculation of a line; cards that it holds of alike are all cited."""
    how = calculation(voice, line, sized.asked.decimals)
    alike = (other for found in group.estimates for other in found.lines if other.key == line.key)
    return combine(how.text, [how, cited(voice, alike)])


def _has_rate(page: Page, voice: Voice, group: Group, measure: _Measure) -> bool:
    if measure.value(group.first) is not None:
        return True
    page.add(sentence(measure.missing, voice.language, card=group.name))
    return False


# ---------------------------------------------------------------- one group, or many


def _table(page: Page, voice: Voice, sized: Sized, groups: list[Group], measure: _Measure) -> None:
    """A row for each group, best first sight in one sentence."""
    language = voice.language
    found = [(group, line) for group in groups if (line := measure.value(group.first)) is not None]
    best = [line.value.high if line.unit in {"tokens/s", ""} else line.value.low for _, line in found]
    what = "training" if sized.asked.asks == "time" and not sized.workload.training_tokens else sized.asked.asks
    words: dict[str, Words] = {
        **model_words(sized, language),
        "what": say(f"sizing.what_{what}", language),
        "low": shown_value(min(best), found[0][1].unit, language),
        "high": shown_value(max(best), found[0][1].unit, language),
    }
    page.add(sentence("sizing.by_card" if min(best) < max(best) else "sizing.on_all", language, **words))
    columns = tuple(Column(key, say(f"sizing.{key}", language)) for key in ("cards", "layout", "range"))
    rows = tuple(
        DraftRow(
            group.first.card.gpu_id + str(position),
            group.name,
            _cells(group, line, voice, measure, sized.asked.decimals),
        )
        for position, (group, line) in enumerate(found)
    )
    page.add(DraftTable("", say("names.card", language), columns, rows))


def _cells(group: Group, line: Line, voice: Voice, measure: _Measure, decimals: int | None) -> dict[str, DraftCell]:
    layout = group.first.layout or Layout()
    lines = (line for found in group.estimates for line in measure.because(found))
    value = _shown(line, voice, decimals)
    return {
        "cards": cell(counted(group.first.cards or layout.cards)),
        "layout": cell(layout_text(layout) if layout.cards > 1 else Said("—")),
        "range": cell(combine(value.text, [value, cited(voice, lines)])),
    }


def _shown(line: Line, voice: Voice, decimals: int | None) -> Said:
    """A value, a speed without digits that mean nothing unless they are asked for."""
    value = line.value
    if line.unit == "tokens/s" and decimals is None:
        value = Bounds(rounded_speed(value.low), rounded_speed(value.high))
    return shown(value, line.unit, voice.language, decimals)


def _limit(voice: Voice, key: str) -> str:
    return say(f"sizing.limit_{key}", voice.language)


# ---------------------------------------------------------------- what is told


def _tell_decode(voice: Voice, sized: Sized, group: Group) -> Sentence:
    decode = group.first.decode
    if decode is None:
        raise AssertionError("only groups with a rate are told")
    words: dict[str, Words] = {
        **where(voice, sized, group),
        "sequences": counted(sized.workload.sequences),
        "high": _speed(sized, decode.tokens_s.high),
        "low": _speed(sized, decode.tokens_s.low),
        "each": shown(Bounds(1 / decode.step.high, 1 / decode.step.low), "tokens/s", decimals=sized.asked.decimals),
        "limit": _limit(voice, decode.limit),
    }
    key = "sizing.decode" if sized.workload.sequences > 1 else "sizing.decode_one"
    return sentence(key, voice.language, **words)


def _speed(sized: Sized, tokens_s: float) -> Said:
    """A speed without digits that mean nothing, unless they are asked for."""
    decimals = sized.asked.decimals
    return shown_value(tokens_s if decimals is not None else rounded_speed(tokens_s), "tokens/s", decimals=decimals)


def _tell_prefill(voice: Voice, sized: Sized, group: Group) -> Sentence:
    prefill = group.first.prefill
    if prefill is None:
        raise AssertionError("only groups with a rate are told")
    prompt = next(item for item in prefill.lines[0].inputs if item.name == "prompt")
    words: dict[str, Words] = {
        **where(voice, sized, group),
        "prompt": counted(prompt.value.low),
        "low": shown_value(prefill.first_token.low, "s", voice.language, sized.asked.decimals),
        "high": shown_value(prefill.first_token.high, "s", voice.language, sized.asked.decimals),
        "speed": shown(prefill.tokens_s, "tokens/s", decimals=sized.asked.decimals),
        "limit": _limit(voice, prefill.limit),
    }
    return sentence("sizing.prefill", voice.language, **words)


def _tell_concurrency(voice: Voice, sized: Sized, group: Group) -> Sentence:
    found = group.first.concurrency
    if found is None:
        raise AssertionError("only groups with a count are told")
    words: dict[str, Words] = {
        **where(voice, sized, group),
        "many": shown(found.sequences),
        "tokens": counted(sized.workload.tokens),
        "limit": _limit(voice, found.limit),
    }
    return sentence("sizing.concurrency", voice.language, **words)


def _tell_energy(voice: Voice, sized: Sized, group: Group) -> Sentence:
    energy = group.first.energy
    if energy is None:
        raise AssertionError("only groups with a power are told")
    words: dict[str, Words] = {
        **where(voice, sized, group),
        "energy": shown(energy.value, "kWh", decimals=sized.asked.decimals),
        "sequences": counted(sized.workload.sequences),
    }
    return sentence("sizing.energy", voice.language, **words)


def _tell_price(voice: Voice, sized: Sized, group: Group) -> Sentence:
    price = group.first.price
    if price is None:
        raise AssertionError("only groups with a price are told")
    words: dict[str, Words] = {
        **where(voice, sized, group),
        "price": shown(price.value, "USD", decimals=sized.asked.decimals),
    }
    return sentence("sizing.price", voice.language, **words)


def _tell_training(voice: Voice, sized: Sized, group: Group) -> Sentence:
    training = group.first.training
    if training is None:
        raise AssertionError("only groups with a rate are told")
    on_cards = {**where(voice, sized, group), "share": counted(100 * MODEL_FLOPS_UTILISATION)}
    speed = shown(training.tokens_s, "tokens/s", decimals=sized.asked.decimals)
    if training.seconds is None:
        return sentence("sizing.training_speed", voice.language, speed=speed, **on_cards)
    time = shown(training.seconds, "s", voice.language, sized.asked.decimals)
    total = named(_tokens(sized.workload.training_tokens or 0.0))
    return sentence("sizing.training_time", voice.language, time=time, speed=speed, tokens=total, **on_cards)


def _tokens(count: float) -> str:
    return f"{count / 1e12:g}T" if count >= 1e12 else f"{count / 1e9:g}B"


def _line(lines: tuple[Line, ...], key: str) -> Line | None:
    return next((line for line in lines if line.key == key), None)


_MEASURES: dict[WorkloadAsk, _Measure] = {
    "speed": _Measure(
        lambda found: _line(found.lines, "decode_total"),
        _tell_decode,
        lambda found: found.decode.lines[:1] if found.decode else (),
    ),
    "prefill": _Measure(
        lambda found: _line(found.lines, "first_token"),
        _tell_prefill,
        lambda found: found.prefill.lines[:1] if found.prefill else (),
    ),
    "concurrency": _Measure(
        lambda found: _line(found.lines, "concurrency") or _line(found.lines, "by_memory"),
        _tell_concurrency,
        lambda found: found.concurrency.lines[:2] if found.concurrency else (),
    ),
    "energy": _Measure(
        lambda found: found.energy,
        _tell_energy,
        lambda found: (found.energy, found.power) if found.energy and found.power else (),
        "sizing.no_power",
    ),
    "price": _Measure(
        lambda found: found.price,
        _tell_price,
        lambda found: (found.price,) if found.price else (),
        "sizing.no_price",
    ),
    "time": _Measure(
        lambda found: _line(found.lines, "training_time") or _line(found.lines, "training"),
        _tell_training,
        lambda found: found.training.lines[:1] if found.training else (),
    ),
}


# ---------------------------------------------------------------- several batches


def _by_batch(page: Page, voice: Voice, sized: Sized, groups: list[Group]) -> None:
    """The same at several numbers of sequences, where the question gives none."""
    columns = tuple(Column(f"c{position}", group.name) for position, group in enumerate(groups))
    rows = []
    for batch in _BATCHES:
        memory = estimate_memory(replace(sized.workload, sequences=batch))
        found = [estimate_on(memory, group.first.card, group.first.cards) for group in groups]
        cells = {f"c{position}": cell(_total(voice, sized, item)) for position, item in enumerate(found)}
        rows.append(DraftRow(str(batch), str(batch), cells))
    page.add(sentence("sizing.by_batch", voice.language))
    page.add(DraftTable("", say("sizing.sequences", voice.language), columns, tuple(rows)))


def _total(voice: Voice, sized: Sized, found: CardEstimate) -> Said:
    line = _line(found.lines, "decode_total")
    if line is None or found.verdict == "does_not_fit":
        return Said("—")
    return _shown(line, voice, sized.asked.decimals)
