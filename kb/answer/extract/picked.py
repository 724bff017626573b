"""Chosen units, and what must stand beside each to be understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.answer.extract.candidate import Candidate
from kb.types import Language

_MOST_SENTENCES: Final = 3
_SHORT_LIST: Final = 6
_POINTED_CHARS: Final = 320
"""Room for the sentence that another points back to, without which it says nothing."""
_CHINESE_PART: Final = 0.62
"""Chinese says the same in so much of the length."""

_POINTS_BACK: Final = re.compile(
    r"""
    ^(?: (?: (?:with|without|using|in|for|if|by|after|when|on|at|of|from|under)\ (?:this|that|these|those|such)
           | currently,?\ (?:this|that|it) | it|its|they|their|this|that|these|those|such|he|she|both|here|then|thus
           | therefore|hence|so|but|however|instead|otherwise|also | if\ it | the\ latter|the\ former )\b
       | (?:目前|当前|如果|若|在|除|用|为|对|与|没有|不加|通过)?(?:这|那|它|该|此)(?!外)|其(?!他|它|中|余)
       | 因此|所以|但|不过|否则|同样|后者|前者|两者|上述 )
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring units of one passage, one piece of an answer."""

    candidates: tuple[Candidate, ...]
    score: float


class Picked:
    """The units chosen so far.

    Args:
        items: all candidates of a search.
        explains: an explanation is asked for, so that more sentences and short lists as a whole belong together.
        wants_figure: a figure is asked for, so that the sum of a table belongs to its rows.

    Attributes:
        chosen: scores of the chosen units by identity, in the order of choice.
        chars: their length.
        passages: all candidates by chunk.
    """

    def __init__(self, items: Sequence[Candidate], *, explains: bool, wants_figure: bool) -> None:
        self._items = items
        self._explains = explains
        self._wants_figure = wants_figure
        self.chosen: dict[tuple[str, int], float] = {}
        self.chars = 0.0
        self.passages: dict[str, list[Candidate]] = {}
        self._numbers = {item.key: number for number, item in enumerate(items)}
        for item in items:
            self.passages.setdefault(item.hit.chunk.chunk_id, []).append(item)
        self._by_place = {(item.hit.chunk.doc_id, item.hit.chunk.ordinal): item.hit.chunk.chunk_id for item in items}

    def numbers(self) -> list[int]:
        """Of the chosen units, among all."""
        return sorted(self._numbers[key] for key in self.chosen)

    def in_documents(self) -> NDArray[np.bool_]:
        """Which of all units stand in a document of a chosen one."""
        documents = {self._items[number].hit.chunk.doc_id for number in self.numbers()}
        return np.array([item.hit.chunk.doc_id in documents for item in self._items], np.bool_)

    def take(self, number: int, value: float, room: float) -> None:
        """Choose a unit, with what must stand beside it."""
        item = self._items[number]
        if item.key in self.chosen:
            return
        self._add(item, value)
        siblings = self.passages[item.hit.chunk.chunk_id]
        room -= length(item)
        if item.unit.row is not None:
            self._add_total(item, siblings, value)
        elif item.unit.leads:
            self._add_led(item, siblings, value, room)
        else:
            self._add_neighbours(item, siblings, value, room)

    def _add_total(self, item: Candidate, siblings: Sequence[Candidate], value: float) -> None:
        """Add the row with the sum of a table, where a figure is asked for and no single row is named."""
        if not self._wants_figure:
            return
        for other in siblings:
            if other.unit.block == item.unit.block and other.unit.is_total:
                self._add(other, value)

    def _add_led(self, item: Candidate, siblings: Sequence[Candidate], value: float, room: float) -> None:
        """Add what a line introduces: the list, code or table right below it."""
        below = siblings[item.number + 1 :]
        last = item.unit.block + 1
        if not below:
            chunk = item.hit.chunk
            below = self.passages.get(self._by_place.get((chunk.doc_id, chunk.ordinal + 1), ""), [])
            last = below[0].unit.block if below else 0
        for taken, following in enumerate(below):
            if following.unit.block > last or (taken and length(following) > room):
                return
            self._add(following, value)
            room -= length(following)

    def _add_neighbours(self, item: Candidate, siblings: Sequence[Candidate], value: float, room: float) -> None:
        """Add the sentences around a chosen one: first what it points back to, then, by turns, behind and before it."""
        first = last = item.number
        if _POINTS_BACK.match(item.unit.shown) and item.unit.follows:
            room = max(room, _POINTED_CHARS)
        is_behind = not (_POINTS_BACK.match(item.unit.shown) or self._explains)
        most = _MOST_SENTENCES + self._explains
        blocked = 0
        while last - first + 1 < most and blocked < 2:
            neighbour = self._neighbour(siblings, first, last, is_behind)
            is_behind = not is_behind
            if neighbour is None or length(neighbour) > room:
                blocked += 1
                continue
            self._add(neighbour, value)
            room -= length(neighbour)
            first, last = min(first, neighbour.number), max(last, neighbour.number)
        if siblings[last].unit.leads:
            self._add_led(siblings[last], siblings, value, room)
        elif item.unit.kind == "item" and self._explains:
            self._add_rest_of_list(item, siblings, value, room)

    def _add_rest_of_list(self, item: Candidate, siblings: Sequence[Candidate], value: float, room: float) -> None:
        """Add the other items of a short list, which only together tell what is alike and what differs."""
        others = [other for other in siblings if other.unit.block == item.unit.block and other.key not in self.chosen]
        if len(others) < _SHORT_LIST and sum(map(length, others)) <= room:
            for other in others:
                self._add(other, value)

    @staticmethod
    def _neighbour(siblings: Sequence[Candidate], first: int, last: int, is_behind: bool) -> Candidate | None:
        """The sentence behind or before a run, in the same paragraph or list item."""
        if is_behind:
            following = siblings[last + 1] if last + 1 < len(siblings) else None
            return following if following is not None and following.unit.follows else None
        return siblings[first - 1] if first > 0 and siblings[first].unit.follows else None

    def _add(self, item: Candidate, value: float) -> None:
        if item.key not in self.chosen:
            self.chosen[item.key] = value
            self.chars += length(item)

    def runs(self) -> list[Run]:
        """Chosen units in reading order within each passage; passages in the order in which they were chosen."""
        by_passage: dict[str, list[int]] = {}
        for chunk_id, number in self.chosen:
            by_passage.setdefault(chunk_id, []).append(number)
        runs: list[Run] = []
        for chunk_id, numbers in by_passage.items():
            siblings = self.passages[chunk_id]
            run: list[Candidate] = []
            for number in sorted(numbers):
                item = siblings[number]
                if run and not _goes_on(run[-1], item):
                    runs.append(self._run(run))
                    run = []
                run.append(item)
            runs.append(self._run(run))
        return runs

    def _run(self, candidates: Sequence[Candidate]) -> Run:
        return Run(tuple(candidates), max(self.chosen[item.key] for item in candidates))


def _goes_on(before: Candidate, item: Candidate) -> bool:
    """Whether two chosen units are one piece of an answer."""
    one, two = before.unit, item.unit
    if before.number + 1 != item.number or two.row is not None or one.kind == "code" or two.kind == "code":
        return False
    return two.follows or two.kind == "item"


def length(item: Candidate) -> float:
    """Of a unit's words, in characters of English."""
    language: Language = item.hit.chunk.language
    return len(item.unit.shown) / (_CHINESE_PART if language == "zh" else 1)
