"""Text values as the catalogue writes them: `PCIe 4.0` stands for every kind of PCIe 4.0, `英伟达` for NVIDIA."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kb.selection.attributes import kind_of
from kb.selection.columns import Columns
from kb.selection.note import Note
from kb.selection.requirement import Requirement
from kb.text import fold

_PARTS = re.compile(r"[a-z]+|\d+(?:\.\d+)*|[^\W\da-z_]+")
_MOST_LISTED = 6


def in_catalog_words(columns: Columns, requirement: Requirement) -> tuple[Requirement, tuple[Note, ...]]:
    """The requirement with its texts as the catalogue writes them, and how they were read where that is not plain."""
    if kind_of(requirement.field) != "text" or requirement.operator == "exists":
        return requirement, ()
    words = columns.column(requirement.field).words
    found: list[float | str] = []
    notes: list[Note] = []
    for value in requirement.values:
        matching = matches(columns, requirement.field, str(value), words)
        found += matching or [value]
        if not matching:
            notes.append(_unknown(requirement.field, str(value), words))
        elif len(matching) > 1:
            notes.append(_several(str(value), matching))
    values = tuple(dict.fromkeys(found))
    if requirement.operator == "eq":
        if len(values) == 1:
            return replace(requirement, value=values[0]), tuple(notes)
        return replace(requirement, operator="in", value=values), tuple(notes)
    return replace(requirement, value=values), tuple(notes)


def matches(columns: Columns, field: str, value: str, words: Sequence[str]) -> list[str]:
    """The catalogue's texts that a value means: the same one, else those that hold its words in a row."""
    wanted = fold(value)
    if field == "vendor":
        for vendor in columns.catalog.vendors.values():
            names = (vendor.vendor_id, vendor.name, vendor.name_zh, *vendor.aliases)
            if wanted in {fold(name) for name in names}:
                return [word for word in words if word == vendor.name]
    same = [word for word in words if fold(word) == wanted]
    if same or field == "gpu_id":
        return same
    return holding(value, words)


def holding(value: str, words: Sequence[str]) -> list[str]:
    """The texts that hold the words of a value in a row, `.0` of a version left out."""
    parts = _parts(value)
    return [word for word in words if _holds(_parts(word), parts)] if parts else []


def _parts(text: str) -> list[str]:
    """Words and numbers of a text; a version's `.0` says nothing."""
    return [part.removesuffix(".0") for part in _PARTS.findall(fold(text))]


def _holds(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    size = len(wanted)
    return any(list(parts[start : start + size]) == list(wanted) for start in range(len(parts) - size + 1))


def _several(value: str, matching: Iterable[str]) -> Note:
    listed = ", ".join(matching)
    return Note(f"“{value}”包括：{listed}。", f'"{value}" covers: {listed}.')


def _unknown(field: str, value: str, words: Sequence[str]) -> Note:
    zh, en = f"目录里没有一款的 {field} 是“{value}”。", f'No card of the catalogue has {field} "{value}".'
    if field == "gpu_id":
        return Note(zh, en)
    known = ", ".join(words[:_MOST_LISTED])
    return Note(f"{zh}已有的值例如：{known}。", f"{en} Values are for example: {known}.")
