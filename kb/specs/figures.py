"""Turning stored values into figures: how a number is written with its unit, in each language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kb.specs.fields import FIELDS, Field
from kb.specs.schema import Confidence, Figure, SpecSource


def write_number(value: float) -> str:
    """A number as answers write it: no trailing zeros, no thousands separators."""
    return f"{value:.0f}" if value == int(value) else f"{value:.10g}"


def write_value(field: Field, value: float | str | None, low: float | None, high: float | None) -> tuple[str, str]:
    """A value with its unit, (zh, en)."""
    if isinstance(value, str):
        return field.values_zh.get(value, value), value
    text = f"{write_number(low or 0)}–{write_number(high or 0)}" if value is None else write_number(value)
    if field.unit == "million" and value is not None:
        return f"{write_number(round(value / 100, 3))} 亿", f"{write_number(round(value / 1000, 3))} billion"
    if field.unit == "USD":
        return f"{text} 美元", f"${text}"
    if field.unit == "streams":
        return f"{text} 路", f"{text} streams"
    joined = f"{text} {field.unit}".strip()
    return joined, joined


def build_figure(
    key: str,
    stored: Mapping[str, Any],
    sources: tuple[SpecSource, ...],
    extra_qualifiers: tuple[str, ...] = (),
) -> Figure:
    """The figure of field `key` from its stored form."""
    field = FIELDS[key]
    value = stored.get("value")
    if isinstance(value, int):
        value = float(value)
    low, high = stored.get("low"), stored.get("high")
    if isinstance(value, float):
        low = high = value
    text_zh, text_en = write_value(field, value, low, high)
    text_zh = stored.get("value_zh", text_zh)
    own = tuple(stored.get("qualifiers", ()))
    qualifiers = tuple(dict.fromkeys((*field.qualifiers, *own, *(() if "per_card" in own else extra_qualifiers))))
    confidence: Confidence = stored["confidence"]
    return Figure(
        value=value,
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        unit=field.unit,
        text=text_en,
        text_zh=text_zh,
        qualifiers=qualifiers,
        sources=sources,
        as_of=sources[0].as_of,
        confidence=confidence,
        note_zh=stored.get("note_zh", ""),
        note_en=stored.get("note_en", ""),
    )
