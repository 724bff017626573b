"""Choosing the few units that together answer all that was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kb.answer.extract.aspects import Asked, Aspect
from kb.answer.extract.scoring import Candidate, covered, holds_kinds, score

_MET_PART: Final = 0.8
"""An aspect is met by a unit that holds this part of what the best unit for it holds."""
_ASPECT_FLOOR: Final = 0.3
_ASPECT_PART: Final = 0.6
_FILL_MARGIN: Final = 0.12
_EXPLANATION_MARGIN: Final = 0.2
_SHORT_CHARS: Final = 280
_LONG_CHARS: Final = 480
_MOST_UNITS: Final = 4
_MOST_ASPECTS: Final = 6


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen unit and the terms it was chosen for."""

    candidate: Candidate
    aspect: Aspect | None
    score: float


def choose(asked: Asked, candidates: Sequence[Candidate]) -> list[Choice]:
    """The units to answer with, the best first; empty if there are none."""
    if not candidates:
        return []
    return _Chooser(asked, candidates).choices()


class _Chooser:
    def __init__(self, asked: Asked, candidates: Sequence[Candidate]) -> None:
        self._asked = asked
        self._candidates = candidates
        self._chosen: list[Choice] = []
        self._keys: set[tuple[str, int]] = set()

    def choices(self) -> list[Choice]:
        asked = self._asked
        single = len(asked.aspects) == 1
        kinds = asked.kinds if single else ()
        whole = [score(asked.terms, kinds, asked.codes, asked, item) for item in self._candidates]
        order = sorted(range(len(whole)), key=lambda number: (-whole[number], number))
        best = order[0]
        self._add(self._candidates[best], None, whole[best])
        if not single:
            for aspect in asked.aspects[:_MOST_ASPECTS]:
                self._meet(aspect, whole[best])
        self._fill([(whole[number], self._candidates[number]) for number in order[1:12]], whole[best])
        return self._chosen

    def _add(self, item: Candidate, aspect: Aspect | None, value: float) -> None:
        if item.key not in self._keys:
            self._keys.add(item.key)
            self._chosen.append(Choice(item, aspect, value))

    def _meet(self, aspect: Aspect, top: float) -> None:
        cover = [covered(aspect.focus, item) for item in self._candidates]
        most = max(cover)
        values = {item.key: value for item, value in zip(self._candidates, cover, strict=True)}
        for choice in self._chosen:
            held = values[choice.candidate.key]
            if held >= _MET_PART * most and holds_kinds(aspect.kinds, choice.candidate):
                return
        codes = aspect.codes or self._asked.codes
        scores = [score(aspect.terms, aspect.kinds, codes, self._asked, item) for item in self._candidates]
        best = max(range(len(scores)), key=lambda number: (scores[number], -number))
        if cover[best] >= _ASPECT_FLOOR and scores[best] >= _ASPECT_PART * top:
            self._add(self._candidates[best], aspect, scores[best])

    def _fill(self, ranked: Sequence[tuple[float, Candidate]], top: float) -> None:
        margin = _EXPLANATION_MARGIN if self._asked.wants_explanation else _FILL_MARGIN
        room = _LONG_CHARS if self._asked.wants_explanation else _SHORT_CHARS
        room -= sum(len(choice.candidate.unit.shown) for choice in self._chosen)
        for value, item in ranked:
            if value < top - margin or len(self._chosen) >= _MOST_UNITS:
                return
            if len(item.unit.shown) <= room and item.key not in self._keys:
                room -= len(item.unit.shown)
                self._add(item, None, value)
