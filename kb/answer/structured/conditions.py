"""Whether a card meets a condition: yes, no, or nobody can say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from kb.answer.draft import DraftFact
from kb.answer.phrases import say
from kb.answer.question import Condition
from kb.answer.structured.said import Said, join, phrase
from kb.answer.structured.voice import COUNTS, Voice
from kb.specs.fields import FIELDS
from kb.specs.figures import write_value
from kb.specs.schema import Entry

Verdict = Literal["pass", "fail", "unknown"]
_GENERIC_MEMORY = {"hbm", "gddr", "lpddr", "ddr"}
_SIGNS = {"gte": "≥", "gt": ">", "lte": "≤", "lt": "<", "eq": "="}


def judge(entry: Entry, condition: Condition) -> Verdict:
    """Hold an entry against a condition. A span of figures passes or fails only where all of it does."""
    if condition.operator in {"has", "lacks"} and condition.value is None:
        present = _is_present(entry)
        if present == "unknown" or condition.operator == "has":
            return present
        return "fail" if present == "pass" else "pass"
    if entry.state == "not_supported":
        return "fail"
    if entry.state == "unresolved":
        return "unknown"
    if FIELDS[condition.field].kind == "date":
        return _judge_date(entry, condition)
    if isinstance(condition.value, str):
        return _judge_text(entry, condition)
    return _judge_number(entry, condition)


def judge_all(voice: Voice, gpu_id: str, conditions: Sequence[Condition]) -> Verdict:
    """Hold a card against all conditions: one failure fails it."""
    verdicts = [judge(voice.entry(gpu_id, condition.field), condition) for condition in conditions]
    if "fail" in verdicts:
        return "fail"
    return "unknown" if "unknown" in verdicts else "pass"


def _is_present(entry: Entry) -> Verdict:
    if entry.state == "not_supported" or entry.value == 0:
        return "fail"
    if isinstance(entry.value, str) and entry.value.lower() in {"none", "无", "no"}:
        return "fail"
    return "pass" if entry.figures else "unknown"


def _judge_number(entry: Entry, condition: Condition) -> Verdict:
    bounds = entry.bounds
    if bounds is None or not isinstance(condition.value, float | int):
        return "unknown"
    low, high = bounds
    limit = float(condition.value)
    tolerance = abs(limit) * 1e-9
    if condition.operator in {"lte", "lt"}:
        low, high, limit = -high, -low, -limit
    strict = condition.operator in {"gt", "lt"}
    if condition.operator == "eq":
        if low == high:
            return "pass" if abs(low - limit) <= tolerance + abs(limit) * 0.005 else "fail"
        return "unknown" if low <= limit <= high else "fail"

    def holds(value: float) -> bool:
        return value > limit + tolerance if strict else value >= limit - tolerance

    if holds(low):
        return "pass"
    return "unknown" if holds(high) else "fail"


def _judge_date(entry: Entry, condition: Condition) -> Verdict:
    if not isinstance(entry.value, str):
        return "unknown"
    limit = str(condition.value)
    date = entry.value[: len(limit)]
    meets = {
        "gte": date >= limit,
        "gt": date > limit,
        "lte": date <= limit,
        "lt": date < limit,
        "eq": date == limit,
    }
    return "pass" if meets[condition.operator] else "fail"


def _judge_text(entry: Entry, condition: Condition) -> Verdict:
    values = [str(figure.value).lower() for figure in entry.figures if figure.value is not None]
    if not values:
        return "unknown"
    wanted = str(condition.value).lower()
    if condition.field == "memory_type":
        matches = [
            value.startswith(wanted) if wanted in _GENERIC_MEMORY else _is_type(value, wanted) for value in values
        ]
    else:
        matches = [wanted in value for value in values]
    if condition.operator == "lacks":
        matches = [not match for match in matches]
    if all(matches):
        return "pass"
    return "unknown" if any(matches) else "fail"


def _is_type(value: str, wanted: str) -> bool:
    return wanted in value.replace("/", " ").replace(",", " ").split()


def bounded_by(voice: Voice, gpu_ids: Sequence[str], condition: Condition) -> Condition | None:
    """A condition with the figure of a reference card as its bound: beyond all its versions; `None` without one."""
    entries = [voice.entry(gpu_id, condition.field) for gpu_id in gpu_ids]
    above = condition.operator in {"gt", "gte"}
    if FIELDS[condition.field].kind == "date":
        dates = [entry.value for entry in entries if isinstance(entry.value, str)]
        return replace(condition, value=max(dates) if above else min(dates)) if dates else None
    spans = [bounds for entry in entries if (bounds := entry.bounds) is not None]
    if not spans:
        return None
    return replace(condition, value=max(high for _, high in spans) if above else min(low for low, _ in spans))


def condition_said(voice: Voice, condition: Condition) -> Said:
    """A condition in words."""
    if condition.operator in {"has", "lacks"} and condition.value is None:
        verb = "has" if condition.field in {*COUNTS, "interconnect", "interconnect_gb_s"} else "supports"
        key = f"filter.{verb}" if condition.operator == "has" else f"filter.{verb}_not"
        return phrase(key, voice.language, feature=voice.feature(condition.field))
    if isinstance(condition.value, str):
        return _word_condition(voice, condition)
    field = FIELDS[condition.field]
    number = float(condition.value or 0)
    fact = DraftFact(None, condition.field, number, field.unit or None, None, "derived")
    value = Said(write_value(field, number, number, number)[0 if voice.language == "zh" else 1], (fact,))
    sign = _SIGNS[condition.operator]
    return phrase("filter.condition", voice.language, label=voice.label(condition.field), sign=sign, value=value)


def _word_condition(voice: Voice, condition: Condition) -> Said:
    """A condition on words or dates: "memory type HBM", "released after 2020"."""
    text = str(condition.value)
    label = voice.label(condition.field)
    if FIELDS[condition.field].kind == "date":
        fact = DraftFact(None, condition.field, text, None, None, "derived")
        return phrase(f"filter.date_{condition.operator}", voice.language, value=Said(text, (fact,)))
    value = _proper_memory(Said(text.upper() if condition.field == "memory_type" else text))
    key = "filter.is_not" if condition.operator == "lacks" else "filter.is"
    return phrase(key, voice.language, label=label, value=value)


def _proper_memory(value: Said) -> Said:
    text = value.text
    if text.startswith("HBM") and text.endswith("E"):
        text = text[:-1] + "e"
    return value.with_text(text)


def conditions_said(voice: Voice, conditions: Sequence[Condition]) -> Said:
    """All conditions in words."""
    parts = [condition_said(voice, condition) for condition in dict.fromkeys(conditions)]
    return join(parts, say("filter.and", voice.language))
