"""How estimates are worded, in both languages; the wording itself is `words.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note
from kb.specs.fields import FIELDS
from kb.types import Language

_SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"))
_BYTE_SCALES = ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"))
_DAY_S, _HOUR_S, _MINUTE_S = 86400.0, 3600.0, 60.0


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Any]:
    text = resources.files("kb.sizing").joinpath("words.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return loaded


def line_label(line: Line, language: Language) -> str:
    """What a line estimates."""
    return str(_words()["lines"][line.key][language])


def input_label(item: Input, language: Language) -> str:
    """What an input is."""
    row = _words()["inputs"].get(item.name)
    return str(row[language]) if row else FIELDS[item.name].label(language)


def note_text(note: Note, language: Language) -> str:
    """What a note says."""
    words = {key: _field_name(value, language) for key, value in note.words.items()}
    return str(_words()["notes"][note.key][language]).format(**words)


def _field_name(word: str | float, language: Language) -> str | float:
    return FIELDS[word].label(language) if isinstance(word, str) and word in FIELDS else word


def formula_text(line: Line, language: Language) -> str:
    """A line's formula, in names."""
    return line.formula.format(**{item.name: input_label(item, language) for item in line.inputs})


def calculation_text(line: Line) -> str:
    """A line's formula with its values, and what it comes to."""
    values = {item.name: _in_formula(item) for item in line.inputs}
    return f"{line.formula.format(**values)} = {bounds_text(line.value, line.unit)}"


def _in_formula(item: Input) -> str:
    text = bounds_text(item.value, item.unit)
    return text if item.value.is_exact else f"({text})"


def bounds_text(bounds: Bounds, unit: str) -> str:
    """`141 GB`, `141–160 GB` or `500 MB – 2 GB`."""
    low, high = value_text(bounds.low, unit), value_text(bounds.high, unit)
    if low == high:
        return low
    low_number, _, low_unit = low.partition(" ")
    if low_unit == high.partition(" ")[2]:
        return f"{low_number}–{high}"
    return f"{low} – {high}"


def value_text(value: float, unit: str) -> str:
    """A number as people read it, with its unit."""
    if unit == "bytes":
        return bytes_text(value)
    if unit == "s":
        return seconds_text(value)
    if unit == "FLOP":
        return f"{number(value / 1e12)} TFLOP"
    if not unit and value >= 1e6:
        scale, letter = next((scale, letter) for scale, letter in _SCALES if value >= scale)
        return f"{number(value / scale)}{letter}"
    return f"{number(value)} {unit}".strip()


def bytes_text(value: float) -> str:
    """Bytes, decimal: 1 GB is 10⁹ bytes."""
    for scale, unit in _BYTE_SCALES:
        if value >= scale:
            return f"{number(value / scale)} {unit}"
    return number(value)


def seconds_text(value: float) -> str:
    """A duration in the unit that fits it."""
    for scale, unit in ((_DAY_S, "d"), (_HOUR_S, "h"), (_MINUTE_S, "min"), (1.0, "s")):
        if value >= scale:
            return f"{number(value / scale)} {unit}"
    return f"{number(value * 1e3)} ms"


def number(value: float) -> str:
    """Four digits of a small number, all of a large one; no exponent, no trailing zeros."""
    if value == float("inf"):
        return "∞"
    if value == int(value) or abs(value) >= 1000:
        return f"{round(value):,}"
    digits = 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
