"""Names that a question sets side by side (`X and Y`, `A、B 和 C`): each of them is to be answered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from kb.answer.extract.terms import Term, Text

_MOST: Final = 5
_NAME: Final = r"(?=[\w.+:-]*[A-Z0-9])[A-Za-z0-9][\w.+:-]*(?<![.:-])(?: [A-Z0-9][\w.+-]*(?<!\.)){0,3}"
_JOINT: Final = r"\s*(?:、|,|/|以及|和|与|跟|及|或|\b(?:and|or|vs\.?|versus)\b)\s*"
_GROUP: Final = re.compile(rf"(?<![\w.])(?:{_NAME}{_JOINT})+{_NAME}")
_SPLIT: Final = re.compile(_JOINT)


def sides_of(question: str, terms: Sequence[Term]) -> tuple[tuple[frozenset[int], ...], ...]:
    """Groups of names; of each name the numbers of the terms that the other names of its group lack."""
    return tuple(_groups(question, terms))


def _groups(question: str, terms: Sequence[Term]) -> Iterator[tuple[frozenset[int], ...]]:
    for match in _GROUP.finditer(question):
        names = [name for name in _SPLIT.split(match.group()) if name]
        texts = [Text.of(name) for name in names]
        held = [frozenset(number for number, term in enumerate(terms) if term.stands_in(text)) for text in texts]
        own = [
            mine.difference(*(other for place, other in enumerate(held) if place != number))
            for number, mine in enumerate(held)
        ]
        if len(names) <= _MOST and all(own):
            yield tuple(own)
