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

_STEPS: Mapping[str, tuple[tuple[float, str], ...]] = {
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (0.0, "bytes")),
    "s": ((86400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms")),
    "FLOP": ((1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP")),
    "": ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1.0, "")),
}
_LETTERS = {"T", "B", "M"}
_UNITS_ZH = {"bytes": "字节", "days": "天", "h": "小时", "min": "分钟"}
_WORK_UNITS = {"bytes", "FLOP"}


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
    if isinstance(word, str):
        return FIELDS[word].label(language) if word in FIELDS else word
    return int(word) if word == int(word) else word


def formula_text(line: Line, language: Language) -> str:
    """A line's formula, in names."""
    return line.formula.format(**{item.name: input_label(item, language) for item in line.inputs})


def calculation_text(line: Line, language: Language = "en", decimals: int | None = None) -> str:
    """A line's formula with its values, and what it comes to."""
    if line.gives == "low":
        values = {item.name: value_text(_best(item), item.unit, language) for item in line.inputs}
        return f"{line.formula.format(**values)} = {value_text(line.value.low, line.unit, language, decimals)}"
    values = {item.name: _in_formula(item, language) for item in line.inputs}
    return f"{line.formula.format(**values)} = {bounds_text(line.value, line.unit, language, decimals)}"


def _in_formula(item: Input, language: Language) -> str:
    text = bounds_text(item.value, item.unit, language)
    return text if item.value.is_exact else f"({text})"


def _best(item: Input) -> float:
    """The end of an input that makes a time shortest: least work, highest rate."""
    return item.value.low if item.unit in _WORK_UNITS else item.value.high


def bounds_text(bounds: Bounds, unit: str, language: Language = "en", decimals: int | None = None) -> str:
    """`141 GB` or `0.5–2 GB`, in the unit that fits the upper bound; counts have no decimals."""
    scale, shown = _scaled(bounds.high, unit)
    digits = decimals if unit else None
    low, high = number(bounds.low / scale, digits), number(bounds.high / scale, digits)
    name = _UNITS_ZH.get(shown, shown) if language == "zh" else shown
    text = low if low == high else f"{low}–{high}"
    return f"{text}{name}" if name in _LETTERS else f"{text} {name}".strip()


def value_text(value: float, unit: str, language: Language = "en", decimals: int | None = None) -> str:
    """A number as people read it, with its unit."""
    return bounds_text(Bounds.exactly(value), unit, language, decimals)


def _scaled(value: float, unit: str) -> tuple[float, str]:
    """The unit that fits a number, and how many of the given one it is; 1 GB is 10⁹ bytes."""
    steps = _STEPS.get(unit, ((1.0, unit),))
    found, name = next((step for step in steps if value >= step[0]), steps[-1])
    return found or 1.0, name


def number(value: float, decimals: int | None = None) -> str:
    """Three or four digits, all of a large number, no trailing zeros; or as many decimals as are wanted."""
    if value == float("inf"):
        return "∞"
    if decimals is not None:
        return f"{value:,.{decimals}f}"
    if value == int(value) or abs(value) >= 1000:
        return f"{round(value):,}"
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
