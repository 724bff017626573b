"""Numbers of an estimate as words that the number gate can trace: each with its fact, a card's with its sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kb.answer.draft import DraftCell, DraftFact
from kb.answer.structured.said import Said, combine, derived
from kb.answer.structured.voice import Voice
from kb.sizing import Bounds, Line
from kb.sizing.placement import Layout
from kb.sizing.words import bounds_text, calculation_text, line_label, value_text
from kb.types import Language

_NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?)(?: ([A-Za-z]+(?:/s)?))?")
_LETTERED = re.compile(r"\d[\d,.]*[TBM](?![A-Za-z])")
_KNOWN_UNITS = {"GB", "MB", "KB", "GiB", "MiB", "KiB", "W", "kWh", "s", "ms", "h", "USD", "GB/s", "TFLOPS", "TOPS"}


def shown(bounds: Bounds, unit: str = "", language: Language = "en", decimals: int | None = None) -> Said:
    """`151.5–170.2 GB`."""
    return traced(bounds_text(bounds, unit, language, decimals))


def shown_value(value: float, unit: str = "", language: Language = "en", decimals: int | None = None) -> Said:
    """`140 GB`."""
    return traced(value_text(value, unit, language, decimals))


def counted(value: float) -> Said:
    """A whole number."""
    return derived(value)


def named(text: str) -> Said:
    """A name, for the numbers in it."""
    return Said(text, (DraftFact(None, None, text, None, None, "derived"),))


def traced(text: str) -> Said:
    """Words of an estimate with a fact for each of their numbers."""
    facts = [
        DraftFact(None, None, _value(match.group(1)), _unit(match.group(2)), None, "derived")
        for match in _NUMBER.finditer(text)
    ]
    facts += [DraftFact(None, None, found, None, None, "derived") for found in _LETTERED.findall(text)]
    return Said(text, tuple(facts))


def _value(digits: str) -> float:
    return float(digits.replace(",", ""))


def _unit(word: str | None) -> str | None:
    return word if word in _KNOWN_UNITS else None


def calculation(voice: Voice, line: Line, decimals: int | None = None) -> Said:
    """A line's formula with its values; figures of a card are cited."""
    text = traced(calculation_text(line, voice.language, decimals))
    return combine(text.text, [text, cited(voice, (line,))])


def cited(voice: Voice, lines: Iterable[Line]) -> Said:
    """The catalogue's figures that went into some lines, as what bears a sentence out; no words."""
    refs = dict.fromkeys(item.ref for line in lines for item in line.inputs if item.basis == "card")
    return combine("", [_of_card(voice, ref) for ref in refs])


def _of_card(voice: Voice, ref: str) -> Said:
    gpu_id, _, key = ref.partition(".")
    return voice.value(gpu_id, key)


def label(voice: Voice, line: Line) -> str:
    """What a line estimates."""
    return line_label(line, voice.language)


def layout_text(layout: Layout) -> Said:
    """`TP 4`, `TP 8 × PP 2`, `DP 16`."""
    degrees = (("TP", layout.tensor), ("PP", layout.pipeline), ("DP", layout.data))
    parts = [f"{name} {degree}" for name, degree in degrees if degree > 1]
    return traced(" × ".join(parts))


def cell(said: Said, value: float | None = None, unit: str | None = None) -> DraftCell:
    """A table cell that shows `said`."""
    return DraftCell(said.text, value, unit, None, said.supports, said.facts)
