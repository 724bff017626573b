"""Choosing the few units that together answer all that was asked, and what must stand beside them to be understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.answer.extract.aspects import Asked, Aspect
from kb.answer.extract.candidate import Candidate, Scores
from kb.answer.extract.kinds import NUMBER, VERSION
from kb.answer.extract.scoring import Scorer
from kb.types import Language

_MET_PART: Final = 0.8
"""An aspect is met by a unit that holds this part of what the best unit for it holds."""
_ASPECT_FLOOR: Final = 0.2
_WEAK_COVER: Final = 0.45
"""A part of the question of which no unit holds so much is searched for by itself."""
_ASPECT_PART: Final = 0.6
_FILL_PART: Final = 0.75
_FIRST_PART: Final = 0.8
"""Of the room, for the best unit and the sentences around it, where more may be needed than one place says."""
_LEAST_GAIN: Final = 0.04
_MOST_RUNS: Final = 3
_MOST_ASPECTS: Final = 6
_MOST_SENTENCES: Final = 3
_LEAST_PART: Final = 0.8
"""Of the best score: a unit below does not answer in the place of better ones that lack what is asked."""
_TRIED: Final = 12
_LED: Final = 8
_SHORT_LIST: Final = 6
_REQUIRED: Final = frozenset({NUMBER})
"""Kinds of thing without which nothing is an answer, besides units that a question names."""
_NAMED: Final = 0.6
"""Least presence of a name's terms in what is said about it: it may stand in the heading."""
_POINTED_CHARS: Final = 320
"""Room for the sentence that another points back to, without which it says nothing."""
_SIDE_PART: Final = 0.7
"""Of the best score: the least for what is said about another name that the question sets beside it."""
_GOES_ON_BONUS: Final = 0.2
"""What a further part of the question is rather answered by: the documents that answer the first."""
_SAME_TABLE_BONUS: Final = 0.3
_SAME_DOCUMENT_BONUS: Final = 0.1

_LOOKUP_CHARS: Final = 330
_YES_NO_CHARS: Final = 380
_EXPLANATION_CHARS: Final = 480
_LIST_CHARS: Final = 600
_ASPECT_CHARS: Final = 160
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


@dataclass(frozen=True, slots=True)
class Choices:
    """What to answer with.

    Attributes:
        runs: in the order of the answer; empty where nothing read can be one.
        unmet: parts of the question that nothing read answers, or not well.
    """

    runs: tuple[Run, ...] = ()
    unmet: tuple[Aspect, ...] = ()


def choose(asked: Asked, scorer: Scorer) -> Choices:
    """Choose from all units that were read."""
    if not scorer.candidates:
        return Choices((), asked.aspects)
    chooser = _Chooser(asked, scorer)
    runs = chooser.runs()
    return Choices(tuple(runs), tuple(chooser.unmet))


class _Chooser:
    def __init__(self, asked: Asked, scorer: Scorer) -> None:
        self._asked = asked
        self._scorer = scorer
        self._items = scorer.candidates
        self._chosen: dict[tuple[str, int], float] = {}
        self._passages: dict[str, list[Candidate]] = {}
        for item in self._items:
            self._passages.setdefault(item.hit.chunk.chunk_id, []).append(item)
        self._by_place = {
            (item.hit.chunk.doc_id, item.hit.chunk.ordinal): item.hit.chunk.chunk_id for item in self._items
        }
        self._chars = 0.0
        self.unmet: list[Aspect] = []

    def runs(self) -> list[Run]:
        """The answer; empty where nothing read can be one."""
        aspects = self._asked.aspects
        if len(aspects) > 1:
            top = float(max(self._scorer.of_aspect(aspect).max() for aspect in aspects[:_MOST_ASPECTS]))
            for aspect in aspects[:_MOST_ASPECTS]:
                is_met = self._meet(aspect, top)
                if not is_met or self._scorer.cover(aspect.focus).max() < _WEAK_COVER:
                    self.unmet.append(aspect)
            self._meet_sides(top)
            if len(self._grouped()) == 1:
                whole = self._scorer.whole
                self._fill(
                    [(float(whole[number]), number) for number in self._ranked(whole)[:_TRIED]], float(whole.max())
                )
            return self._grouped()
        whole = self._scorer.whole
        order = self._ranked(whole)
        lowest = _LEAST_PART * float(whole[order[0]])
        best = self._first_answer(aspects[0], [number for number in order[:_TRIED] if whole[number] >= lowest])
        if best is None:
            return []
        room = self._limit() * (1 if self._asked.form.explanation else _FIRST_PART)
        self._take(best, float(whole[best]), room)
        self._meet_sides(float(whole[best]))
        self._fill([(float(whole[number]), number) for number in order[:_TRIED]], float(whole[best]))
        return self._grouped()

    @staticmethod
    def _ranked(scores: Scores) -> list[int]:
        return sorted(np.flatnonzero(np.isfinite(scores)), key=lambda number: (-scores[number], number))

    def _first_answer(self, aspect: Aspect, ranked: Sequence[int]) -> int | None:
        """The first unit that can answer; one that holds a version goes before others, where one is asked for."""
        lenient = () if self._chosen else (_REQUIRED,)
        for kinds in (_REQUIRED | {VERSION}, *lenient):
            for number in ranked:
                if self._can_answer(aspect, number, kinds):
                    return number
            if not any(kind.name == VERSION for kind in aspect.kinds):
                return None
        return None

    def _can_answer(self, aspect: Aspect, number: int, required: frozenset[str]) -> bool:
        """Whether a unit, read with its neighbours, speaks of what is asked and holds the kinds of thing required."""
        item = self._items[number]
        if not self._scorer.subject.is_of(aspect, number):
            return False
        kinds = [kind for kind in aspect.kinds if kind.is_unit or kind.name in required]
        if not kinds:
            return True
        siblings = self._passages[item.hit.chunk.chunk_id]
        first = number - item.number
        near = [number]
        reach = range(item.number, item.number + _LED) if item.unit.leads else range(item.number - 2, item.number + 3)
        if item.unit.leads or item.unit.kind == "sentence":
            last = item.unit.block + item.unit.leads
            near += [
                first + other.number
                for other in siblings
                if other.number in reach and item.unit.block <= other.unit.block <= last
            ]
        return all(any(self._scorer.holds_kinds((kind,), other) for other in near) for kind in kinds)

    def _limit(self) -> float:
        if self._asked.form.items:
            return _LIST_CHARS if self._asked.form.explanation else _EXPLANATION_CHARS
        if self._asked.form.explanation:
            return _EXPLANATION_CHARS
        return _YES_NO_CHARS if self._asked.form.yes_or_no else _LOOKUP_CHARS

    def _take(self, number: int, value: float, room: float) -> None:
        """Choose a unit, with what must stand beside it."""
        item = self._items[number]
        if item.key in self._chosen:
            return
        self._add(item, value)
        siblings = self._passages[item.hit.chunk.chunk_id]
        room -= _length(item)
        if item.unit.row is not None:
            self._add_total(item, siblings, value)
        elif item.unit.leads:
            self._add_led(item, siblings, value, room)
        else:
            self._add_neighbours(item, siblings, value, room)

    def _meet_sides(self, top: float) -> None:
        """Where the answer speaks of one of several names set side by side, add what is said about the others."""
        if not self._chosen:
            return
        for sides in self._asked.sides:
            unmet = [side for side in sides if not self._speaks_of(side)]
            for side in unmet if len(unmet) < len(sides) else ():
                scores = np.where(self._names(side), self._scorer.whole + self._nearness(), -np.inf)
                for number in self._ranked(scores)[:_TRIED]:
                    if self._scorer.whole[number] < _SIDE_PART * top:
                        break
                    if any(self._scorer.subject.is_of(aspect, number) for aspect in self._asked.aspects):
                        self._take(number, float(self._scorer.whole[number]), _ASPECT_CHARS)
                        break

    def _names(self, side: frozenset[int]) -> NDArray[np.bool_]:
        """Which units hold all the terms of a name, or what a heading says of it."""
        return np.asarray((self._scorer.present[:, sorted(side)] >= _NAMED).all(axis=1), np.bool_)

    def _speaks_of(self, side: frozenset[int]) -> bool:
        named = self._names(side)
        return any(named[number] for number, item in enumerate(self._items) if item.key in self._chosen)

    def _nearness(self) -> Scores:
        """What is gained by standing in the table, or the document, of what was chosen."""
        chosen = [item for item in self._items if item.key in self._chosen]
        tables = {(item.hit.chunk.doc_id, item.unit.row.header.spans) for item in chosen if item.unit.row is not None}
        documents = {item.hit.chunk.doc_id for item in chosen}
        return np.array(
            [
                _SAME_DOCUMENT_BONUS * (item.hit.chunk.doc_id in documents)
                + _SAME_TABLE_BONUS
                * (item.unit.row is not None and (item.hit.chunk.doc_id, item.unit.row.header.spans) in tables)
                for item in self._items
            ],
            np.float64,
        )

    def _add_total(self, item: Candidate, siblings: Sequence[Candidate], value: float) -> None:
        """Add the row with the sum of a table, where a figure is asked for and no single row is named."""
        if not any(kind.name == NUMBER for kind in self._asked.kinds):
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
            below = self._passages.get(self._by_place.get((chunk.doc_id, chunk.ordinal + 1), ""), [])
            last = below[0].unit.block if below else 0
        for taken, following in enumerate(below):
            if following.unit.block > last or (taken and _length(following) > room):
                return
            self._add(following, value)
            room -= _length(following)

    def _add_neighbours(self, item: Candidate, siblings: Sequence[Candidate], value: float, room: float) -> None:
        """Add the sentences around a chosen one: first what it points back to, then, by turns, behind and before it."""
        first = last = item.number
        if _POINTS_BACK.match(item.unit.shown) and item.unit.follows:
            room = max(room, _POINTED_CHARS)
        is_behind = not (_POINTS_BACK.match(item.unit.shown) or self._asked.form.explanation)
        most = _MOST_SENTENCES + self._asked.form.explanation
        blocked = 0
        while last - first + 1 < most and blocked < 2:
            neighbour = self._neighbour(siblings, first, last, is_behind)
            is_behind = not is_behind
            if neighbour is None or _length(neighbour) > room:
                blocked += 1
                continue
            self._add(neighbour, value)
            room -= _length(neighbour)
            first, last = min(first, neighbour.number), max(last, neighbour.number)
        if siblings[last].unit.leads:
            self._add_led(siblings[last], siblings, value, room)
        elif item.unit.kind == "item" and self._asked.form.explanation:
            self._add_rest_of_list(item, siblings, value, room)

    def _add_rest_of_list(self, item: Candidate, siblings: Sequence[Candidate], value: float, room: float) -> None:
        """Add the other items of a short list, which only together tell what is alike and what differs."""
        others = [other for other in siblings if other.unit.block == item.unit.block and other.key not in self._chosen]
        if len(others) < _SHORT_LIST and sum(map(_length, others)) <= room:
            for other in others:
                self._add(other, value)

    @staticmethod
    def _neighbour(siblings: Sequence[Candidate], first: int, last: int, is_behind: bool) -> Candidate | None:
        """The sentence behind or before a run, in the same paragraph or list item."""
        if is_behind:
            following = siblings[last + 1] if last + 1 < len(siblings) else None
            return following if following is not None and following.unit.follows else None
        return siblings[first - 1] if first > 0 and siblings[first].unit.follows else None

    def _fill(self, ranked: Sequence[tuple[float, int]], top: float) -> None:
        """Take further good units while there is room; a table row only if it holds more of the question."""
        held = self._held()
        for value, number in ranked:
            if value < _FILL_PART * top or len(self._grouped()) >= _MOST_RUNS:
                return
            item = self._items[number]
            if item.hit.chunk.language != self._language() or self._says_again(item):
                continue
            if self._is_about_another(number, held):
                continue
            more = np.maximum(self._scorer.present[number], held)
            gain = float((more - held) @ self._asked.weights) / max(float(self._asked.weights.sum()), 1e-9)
            is_wanted = gain > _LEAST_GAIN or item.unit.row is None or self._asked.form.items
            if is_wanted and self._chars + _length(item) <= self._limit():
                self._take(number, value, self._limit() - self._chars)
                held = self._held()

    def _is_about_another(self, number: int, held: Scores) -> bool:
        """Whether a unit lacks a name or number of the question that the chosen ones hold: a neighbour in a list."""
        if not any(self._scorer.subject.is_of(aspect, number) for aspect in self._asked.aspects):
            return True
        if self._items[number].unit.kind not in {"item", "row"} or self._asked.form.items:
            return False
        numbered = (place for place, term in enumerate(self._asked.terms) if any(map(str.isdigit, term.text)))
        return any(self._scorer.present[number, place] < held[place] for place in numbered)

    def _language(self) -> Language:
        """Of what was chosen first; passages in the other language add nothing to it but length."""
        chunk_id, _ = next(iter(self._chosen))
        return self._passages[chunk_id][0].hit.chunk.language

    def _says_again(self, item: Candidate) -> bool:
        """Whether a chosen unit says the very same, as copies of a text in several documents do."""
        return any(
            other.unit.text.folded == item.unit.text.folded for other in self._items if other.key in self._chosen
        )

    def _held(self) -> Scores:
        """How much of each term the chosen units hold together."""
        rows = [number for number, item in enumerate(self._items) if item.key in self._chosen]
        return np.asarray(self._scorer.present[rows].max(axis=0), np.float64)

    def _add(self, item: Candidate, value: float) -> None:
        if item.key not in self._chosen:
            self._chosen[item.key] = value
            self._chars += _length(item)

    def _meet(self, aspect: Aspect, top: float) -> bool:
        """Take the best unit for one part of the question, unless a chosen one speaks of it; whether there is one."""
        cover = self._scorer.cover(aspect.focus)
        scores = self._scorer.of_aspect(aspect)
        eligible = scores >= _ASPECT_PART * top
        most = float(cover[eligible].max()) if eligible.any() else float(cover.max())
        least = 0.0 if aspect.is_only_kind else _MET_PART * most
        for number, item in enumerate(self._items):
            if item.key in self._chosen and cover[number] >= least and self._scorer.holds_kinds(aspect.kinds, number):
                return True
        if most < _ASPECT_FLOOR:
            return False
        covering = eligible & ((cover >= least) | self._scorer.tells_number(aspect))
        goes_on = bool(self._chosen) and not any(aspect.focus[name] for name in self._asked.names)
        if goes_on and self._take_best(aspect, np.where(covering & self._in_chosen_documents(), scores, -np.inf)):
            return True
        if self._chosen:
            scores = scores + _GOES_ON_BONUS * self._in_chosen_documents()
        return self._take_best(aspect, np.where(covering, scores, -np.inf))

    def _in_chosen_documents(self) -> NDArray[np.bool_]:
        documents = {item.hit.chunk.doc_id for item in self._items if item.key in self._chosen}
        return np.array([item.hit.chunk.doc_id in documents for item in self._items], np.bool_)

    def _take_best(self, aspect: Aspect, scores: Scores) -> bool:
        """Take the best unit for one part of the question; whether one of the first can be an answer to it."""
        best = self._first_answer(aspect, self._ranked(scores)[:_TRIED])
        if best is None:
            return False
        self._take(best, float(scores[best]), max(_ASPECT_CHARS, self._limit() / len(self._asked.aspects)))
        return True

    def _grouped(self) -> list[Run]:
        """Chosen units in reading order within each passage; passages in the order in which they were chosen."""
        by_passage: dict[str, list[int]] = {}
        for chunk_id, number in self._chosen:
            by_passage.setdefault(chunk_id, []).append(number)
        runs: list[Run] = []
        for chunk_id, numbers in by_passage.items():
            siblings = self._passages[chunk_id]
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
        return Run(tuple(candidates), max(self._chosen[item.key] for item in candidates))


def _goes_on(before: Candidate, item: Candidate) -> bool:
    """Whether two chosen units are one piece of an answer."""
    one, two = before.unit, item.unit
    if before.number + 1 != item.number or two.row is not None or one.kind == "code" or two.kind == "code":
        return False
    return two.follows or two.kind == "item"


def _length(item: Candidate) -> float:
    language: Language = item.hit.chunk.language
    return len(item.unit.shown) / (_CHINESE_PART if language == "zh" else 1)
