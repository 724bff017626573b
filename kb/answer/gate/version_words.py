"""A word behind a card's name that is nearly one for a version: H100 SXN, A100 PCLe."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"[ -]([A-Za-z]{3,4})\d?(?![A-Za-z0-9])")
_FORMS = ("sxm", "pcie", "nvl", "oam")


@dataclass(frozen=True, slots=True)
class MisspeltVersion:
    """A word that names no version, and where it ends."""

    text: str
    end: int


def misspelt_version(text: str, end: int) -> MisspeltVersion | None:
    """The word right behind a name, if it is one letter off a version's; in capitals, as versions are written."""
    match = _WORD.match(text, end)
    if match is None or not match.group(1)[:2].isupper():
        return None
    word = match.group(1).lower()
    if word in _FORMS or not any(_is_near(word, form) for form in _FORMS):
        return None
    return MisspeltVersion(match.group().strip(" -"), match.end())


def _is_near(word: str, form: str) -> bool:
    """Whether one letter is another, or two neighbours have changed places."""
    if len(word) != len(form):
        return False
    off = [n for n, (one, other) in enumerate(zip(word, form, strict=True)) if one != other]
    swapped = len(off) == 2 and off[1] == off[0] + 1 and word[off[0]] == form[off[1]] and word[off[1]] == form[off[0]]
    return len(off) == 1 or swapped
