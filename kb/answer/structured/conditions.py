"""Whether a card meets a condition, by the rules of `kb.selection`; conditions and requirements in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from kb.answer.draft import DraftFact
from kb.answer.phrases import say
from kb.answer.question import Condition
from kb.answer.structured.said import Said, join, phrase
from kb.answer.structured.voice import COUNTS, Voice
from kb.selection import columns
from kb.selection.attributes import VERSIONS, kind_of, label_of
from kb.selection.choice import Choice
from kb.selection.requirement import Requirement
from kb.specs.fields import FIELDS
from kb.specs.figures import write_value
from kb.specs.schema import Entry

Verdict = Literal["pass", "fail", "unknown"]
_VERDICTS: dict[int, Verdict] = {columns.PASS: "pass", columns.FAIL: "fail", columns.UNKNOWN: "unknown"}
_GENERIC_MEMORY = {"hbm", "gddr", "lpddr", "ddr"}
_SIGNS = {"gte": "≥", "gt": ">", "lte": "≤", "lt": "<", "eq": "="}
_HAD = {*COUNTS, "interconnect", "interconnect_gb_s"}
"""What a card has or has not, rather than supports or not."""
_MOST_LISTED = 4


def judge(entry: Entry, condition: Condition) -> Verdict:
    """Hold an entry against a condition."""
    if condition.value is not None and isinstance(condition.value, str) and FIELDS[condition.field].kind == "text":
        return _judge_text(entry, condition)
    return _VERDICTS[columns.judge(entry, requirement_of(condition))]


def requirement_of(condition: Condition) -> Requirement:
    """A condition on a figure, a date or a presence as a requirement."""
    if condition.value is None:
        return Requirement(condition.field, "exists", condition.operator != "lacks")
    operator = (
        "not_in" if condition.operator == "lacks" else "eq" if condition.operator == "has" else condition.operator
    )
    return Requirement(condition.field, operator, condition.value)


def judge_all(voice: Voice, gpu_id: str, conditions: Sequence[Condition]) -> Verdict:
    """Hold a card against all conditions: one failure fails it."""
    verdicts = [judge(voice.entry(gpu_id, condition.field), condition) for condition in conditions]
    if "fail" in verdicts:
        return "fail"
    return "unknown" if "unknown" in verdicts else "pass"


def _judge_text(entry: Entry, condition: Condition) -> Verdict:
    """Words of a question stand for all texts that hold them: HBM for HBM2e, 5.0 for PCIe 5.0 x16."""
    if entry.state == "not_supported":
        return "pass" if condition.operator == "lacks" else "fail"
    if entry.state == "unresolved":
        return "unknown"
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


# ---------------------------------------------------------------- in words


def condition_said(voice: Voice, condition: Condition) -> Said:
    """A condition in words."""
    if isinstance(condition.value, str) and FIELDS[condition.field].kind == "text":
        key = "filter.is_not" if condition.operator == "lacks" else "filter.is"
        return phrase(key, voice.language, label=voice.label(condition.field), value=_word(condition))
    return requirement_said(voice, requirement_of(condition))


def _word(condition: Condition) -> Said:
    text = str(condition.value)
    if condition.field != "memory_type":
        return Said(text)
    shown = text.upper()
    return Said(shown[:-1] + "e" if shown.startswith("HBM") and shown.endswith("E") else shown)


def conditions_said(voice: Voice, conditions: Sequence[Condition]) -> Said:
    """All conditions in words."""
    parts = [condition_said(voice, condition) for condition in dict.fromkeys(conditions)]
    return join(parts, say("filter.and", voice.language))


def requirement_said(voice: Voice, requirement: Requirement) -> Said:
    """A requirement in words."""
    key, language = requirement.field, voice.language
    if requirement.operator == "exists":
        verb = "has" if key in _HAD else "supports"
        template = f"filter.{verb}" if requirement.value else f"filter.{verb}_not"
        return phrase(template, language, feature=voice.feature(key))
    label = voice.label(key) if key in FIELDS else label_of(key, language)
    kind = kind_of(key)
    if kind == "date" and requirement.operator in _SIGNS:
        return phrase(f"filter.date_{requirement.operator}", language, value=_value(voice, key, requirement.values[0]))
    values = [_value(voice, key, value) for value in requirement.values[:_MOST_LISTED]]
    said = join(values, say("filter.or", language))
    if len(requirement.values) > len(values):
        said = phrase("filter.and_more", language, cards=said)
    if requirement.operator in _SIGNS and kind == "number":
        return phrase("filter.condition", language, label=label, sign=_SIGNS[requirement.operator], value=said)
    return phrase(
        "filter.is_not" if requirement.operator == "not_in" else "filter.is", language, label=label, value=said
    )


def _value(voice: Voice, key: str, value: float | str) -> Said:
    if isinstance(value, str):
        shown = value
        if key == "segment":
            shown = say(f"filter.{value}", voice.language)
        elif key == "vendor":
            found = next((vendor for vendor in voice.catalog.vendors.values() if vendor.name == value), None)
            shown = found.label(voice.language) if found else value
        elif key in FIELDS and voice.language == "zh":
            shown = FIELDS[key].values_zh.get(value, value)
        return Said(shown, (DraftFact(None, key if key in FIELDS else None, shown, None, None, "derived"),))
    if key in VERSIONS:
        return Said(f"{value:.1f}", (DraftFact(None, key, f"{value:.1f}", None, None, "derived"),))
    if key not in FIELDS:
        return Said(f"{value:g}", (DraftFact(None, None, value, None, None, "derived"),))
    field = FIELDS[key]
    fact = DraftFact(None, key, value, field.unit or None, None, "derived")
    return Said(write_value(field, value, value, value)[0 if voice.language == "zh" else 1], (fact,))


def requirements_said(voice: Voice, requirements: Sequence[Requirement], choices: Sequence[Choice] = ()) -> Said:
    """All requirements and choices in words."""
    plain = [requirement_said(voice, one) for one in requirements]
    some = [_choice_said(voice, choice, is_alone=not plain and len(choices) == 1) for choice in choices]
    return join([*plain, *some], say("filter.and", voice.language))


def _choice_said(voice: Voice, choice: Choice, *, is_alone: bool) -> Said:
    """Alternatives in words, in brackets beside other conditions."""
    parts = [requirements_said(voice, alternative) for alternative in choice.alternatives]
    said = join(parts, say("filter.or", voice.language))
    return said if is_alone else phrase("filter.bracketed", voice.language, conditions=said)
