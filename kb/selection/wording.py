"""Requirements and figures in a few words, for lists and remarks."""

from __future__ import annotations

from kb.selection.attributes import VERSIONS, label_of
from kb.selection.choice import Choice
from kb.selection.requirement import SIGNS, Requirement
from kb.specs.fields import FIELDS
from kb.specs.figures import write_number, write_value
from kb.specs.schema import Entry
from kb.types import Language

_MOST_LISTED = 4
_STATES = {
    "not_published": ("未公布", "not published"),
    "not_supported": ("不支持", "not supported"),
    "unresolved": ("没有定论", "not settled"),
}


def requirement_said(requirement: Requirement, language: Language) -> str:
    """A requirement as a reader sees it: `功耗（TDP） ≤ 300 W`."""
    zh = language == "zh"
    label = label_of(requirement.field, language)
    if requirement.operator == "exists":
        if zh:
            return f"{'有' if requirement.value else '没有'}{label}"
        return f"{'has' if requirement.value else 'has no'} {label}"
    values = [written(requirement.field, value, language) for value in requirement.values]
    if requirement.operator in SIGNS:
        return f"{label} {SIGNS[requirement.operator]} {values[0]}"
    listed = (" / ").join(values[:_MOST_LISTED])
    if len(values) > _MOST_LISTED:
        listed += f" …（共 {len(values)} 个）" if zh else f" … ({len(values)} in all)"
    if requirement.operator == "in":
        return f"{label} = {listed}"
    return f"{label} 不是 {listed}" if zh else f"{label} other than {listed}"


def choice_said(choice: Choice, language: Language) -> str:
    """A choice as a reader sees it: `Memory ≥ 80 GB or Memory bandwidth ≥ 2000 GB/s`."""
    joint = " 且 " if language == "zh" else " and "
    each = [joint.join(requirement_said(one, language) for one in some) for some in choice.alternatives]
    return (" 或 " if language == "zh" else " or ").join(each)


def written(key: str, value: float | str, language: Language) -> str:
    """A required value with its unit."""
    if isinstance(value, str):
        return FIELDS[key].values_zh.get(value, value) if key in FIELDS and language == "zh" else value
    if key in VERSIONS:
        return f"{value:.1f}"
    if key not in FIELDS:
        return write_number(value)
    return write_value(FIELDS[key], value, value, value)[0 if language == "zh" else 1]


def value_said(entry: Entry, language: Language) -> str:
    """What is published, in a few words: `242 TOPS`, `48 GB / 96 GB`, `not published`."""
    if entry.state in ("not_published", "not_supported") or not entry.figures:
        zh, en = _STATES.get(entry.state, _STATES["unresolved"])
        return zh if language == "zh" else en
    return " / ".join(figure.shown(language) for figure in entry.figures)
