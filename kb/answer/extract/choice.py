"""Choosing the few units that together answer all that was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.answer.extract.aspects import Asked, Aspect
from kb.answer.extract.candidate import Candidate, Scores
from kb.answer.extract.kinds import NUMBER, VERSION
from kb.answer.extract.picked import Picked, Run, length
from kb.answer.extract.scoring import Scorer
from kb.types import Language, Span

_MET_PART: Final = 0.8
"""An aspect is met by a unit that holds this part of what the best unit for it holds."""
_ASPECT_FLOOR: Final = 0.2
WEAK_COVER: Final = 0.45
"""A part of the question of which no unit holds so much is searched for by itself."""
_OWN_COVER: Final = 0.75
"""The same for a part that is about a thing of its own, of units that name it."""
_ASPECT_PART: Final = 0.6
_FILL_PART: Final = 0.75
_FIRST_PART: Final = 0.8
"""Of the room, for the best unit and the sentences around it, where more may be needed than one place says."""
_LEAST_GAIN: Final = 0.04
_MOST_RUNS: Final = 3
_MOST_ASPECTS: Final = 6
_LEAST_PART: Final = 0.8
"""Of the best score: a unit below does not answer in the place of better ones that lack what is asked."""
_TRIED: Final = 12
_AS_MUCH: Final = 0.02
_LED: Final = 8
_REQUIRED: Final = frozenset({NUMBER})
"""Kinds of thing without which nothing is an answer, besides units that a question names."""
_NAMED: Final = 0.6
"""Least presence of a name's terms in what is said about it: it may stand in the heading."""
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


def _table_of(item: Candidate) -> tuple[str, tuple[Span, ...]]:
    """The table that a row stands in."""
    return item.hit.chunk.doc_id, item.unit.row.header.spans if item.unit.row is not None else ()


class _Chooser:
    def __init__(self, asked: Asked, scorer: Scorer) -> None:
        self._asked = asked
        self._scorer = scorer
        self._items = scorer.candidates
        self._picked = Picked(
            self._items,
            explains=asked.form.explanation,
            wants_figure=any(kind.name == NUMBER for kind in asked.kinds),
        )
        self.unmet: list[Aspect] = []

    def runs(self) -> list[Run]:
        """The answer; empty where nothing read can be one."""
        aspects = self._asked.aspects
        if len(aspects) > 1:
            top = float(max(self._scorer.of_aspect(aspect).max() for aspect in aspects[:_MOST_ASPECTS]))
            for aspect in aspects[:_MOST_ASPECTS]:
                is_met = self._meet(aspect, top)
                cover = self._scorer.cover(aspect.focus)
                is_named = not aspect.own or cover[self._names(aspect.own)].max(initial=0.0) >= _OWN_COVER
                is_weak = cover.max() < WEAK_COVER or not self._speaks_of(aspect.own) or not is_named
                if not is_met or is_weak:
                    self.unmet.append(aspect)
            self._meet_sides(top)
            if len(self._picked.runs()) == 1:
                whole = self._scorer.whole
                self._fill(
                    [(float(whole[number]), number) for number in self._ranked(whole)[:_TRIED]], float(whole.max())
                )
            return self._picked.runs()
        whole = self._scorer.whole
        order = self._ranked(whole)
        lowest = _LEAST_PART * float(whole[order[0]])
        best = self._first_answer(aspects[0], [number for number in order[:_TRIED] if whole[number] >= lowest])
        if best is None:
            return []
        room = self._limit() * (1 if self._asked.form.explanation else _FIRST_PART)
        self._picked.take(best, float(whole[best]), room)
        self._meet_sides(float(whole[best]))
        self._fill([(float(whole[number]), number) for number in order[:_TRIED]], float(whole[best]))
        return self._picked.runs()

    @staticmethod
    def _ranked(scores: Scores) -> list[int]:
        return sorted(np.flatnonzero(np.isfinite(scores)), key=lambda number: (-scores[number], number))

    def _first_answer(self, aspect: Aspect, ranked: Sequence[int]) -> int | None:
        """The first unit that can answer; one that holds a version goes before others, where one is asked for."""
        lenient = () if self._picked.chosen else (_REQUIRED,)
        ranked = self._before_silence(aspect, ranked)
        for kinds in (_REQUIRED | {VERSION}, *lenient):
            for number in ranked:
                if self._can_answer(aspect, number, kinds):
                    return number
            if not any(kind.name == VERSION for kind in aspect.kinds):
                return None
        return None

    def _before_silence(self, aspect: Aspect, ranked: Sequence[int]) -> Sequence[int]:
        """Those before a row whose cell for what is asked is empty, and those behind it that hold as much."""
        if self._asked.form.since or self._asked.form.yes_or_no or self._asked.form.items:
            return ranked
        cover = self._scorer.cover(aspect.focus)
        for place, number in enumerate(ranked):
            if self._scorer.cells.is_silent(aspect, number) and self._scorer.subject.is_of(aspect, number):
                behind = [other for other in ranked[place + 1 :] if cover[other] >= cover[number] - _AS_MUCH]
                return [*ranked[:place], *self._before_silence(aspect, behind)]
        return ranked

    def _can_answer(self, aspect: Aspect, number: int, required: frozenset[str]) -> bool:
        """Whether a unit, read with its neighbours, speaks of what is asked and holds the kinds of thing required."""
        item = self._items[number]
        if not self._scorer.subject.is_of(aspect, number):
            return False
        kinds = [kind for kind in aspect.kinds if kind.is_unit or kind.name in required]
        if not kinds:
            return True
        siblings = self._picked.passages[item.hit.chunk.chunk_id]
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

    def _meet_sides(self, top: float) -> None:
        """Where the answer speaks of one of several names set side by side, add what is said about the others."""
        if not self._picked.chosen:
            return
        for sides in self._asked.sides:
            unmet = [side for side in sides if not self._speaks_of(side)]
            for side in unmet if len(unmet) < len(sides) else ():
                scores = np.where(self._names(side), self._scorer.whole + self._nearness(), -np.inf)
                for number in self._ranked(scores)[:_TRIED]:
                    if self._scorer.whole[number] < _SIDE_PART * top:
                        break
                    if any(self._scorer.subject.is_of(aspect, number) for aspect in self._asked.aspects):
                        self._picked.take(number, float(self._scorer.whole[number]), _ASPECT_CHARS)
                        break

    def _names(self, side: frozenset[int]) -> NDArray[np.bool_]:
        """Which units hold all the terms of a name, themselves or in their heading; all units for no name."""
        return np.asarray((self._scorer.present[:, sorted(side)] >= _NAMED).all(axis=1), np.bool_)

    def _speaks_of(self, side: frozenset[int]) -> bool:
        named = self._names(side)
        return bool(named[self._picked.numbers()].any())

    def _nearness(self) -> Scores:
        """What is gained by standing in the table, or the document, of what was chosen."""
        chosen = [self._items[number] for number in self._picked.numbers()]
        tables = {_table_of(item) for item in chosen if item.unit.row is not None}
        documents = {item.hit.chunk.doc_id for item in chosen}
        return np.array(
            [
                _SAME_DOCUMENT_BONUS * (item.hit.chunk.doc_id in documents)
                + _SAME_TABLE_BONUS * (item.unit.row is not None and _table_of(item) in tables)
                for item in self._items
            ],
            np.float64,
        )

    def _fill(self, ranked: Sequence[tuple[float, int]], top: float) -> None:
        """Take further good units while there is room; a table row only if it holds more of the question."""
        held = self._held()
        for value, number in ranked:
            if value < _FILL_PART * top or len(self._picked.runs()) >= _MOST_RUNS:
                return
            item = self._items[number]
            if item.hit.chunk.language != self._language() or self._says_again(item):
                continue
            if self._is_about_another(number, held):
                continue
            more = np.maximum(self._scorer.present[number], held)
            gain = float((more - held) @ self._asked.weights) / max(float(self._asked.weights.sum()), 1e-9)
            is_wanted = gain > _LEAST_GAIN or item.unit.row is None or self._asked.form.items
            if is_wanted and self._picked.chars + length(item) <= self._limit():
                self._picked.take(number, value, self._limit() - self._picked.chars)
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
        chunk_id, _ = next(iter(self._picked.chosen))
        return self._picked.passages[chunk_id][0].hit.chunk.language

    def _says_again(self, item: Candidate) -> bool:
        """Whether a chosen unit says the very same, as copies of a text in several documents do."""
        chosen = (self._items[number].unit for number in self._picked.numbers())
        return any(unit.text.folded == item.unit.text.folded for unit in chosen)

    def _held(self) -> Scores:
        """How much of each term the chosen units hold together."""
        return np.asarray(self._scorer.present[self._picked.numbers()].max(axis=0), np.float64)

    def _meet(self, aspect: Aspect, top: float) -> bool:
        """Take the best unit for one part of the question, unless a chosen one speaks of it; whether there is one."""
        cover = self._scorer.cover(aspect.focus)
        scores = self._scorer.of_aspect(aspect)
        eligible = scores >= _ASPECT_PART * top
        answering = self._holding(aspect, eligible)
        most = float(cover[answering].max()) if answering.any() else float(cover.max())
        least = 0.0 if aspect.is_only_kind else _MET_PART * most
        chosen = self._picked.numbers()
        named = self._names(aspect.own)
        if any(
            named[number] and cover[number] >= least and self._scorer.holds_kinds(aspect.kinds, number)
            for number in chosen
        ):
            return True
        if most < _ASPECT_FLOOR:
            return False
        covering = eligible & ((cover >= least) | self._scorer.tells_number(aspect))
        covering = covering & named if (covering & named).any() else covering
        beside = eligible & self._beside(aspect)
        if beside.any() and self._take_best(aspect, np.where(beside, scores, -np.inf)):
            return True
        goes_on = bool(self._picked.chosen) and not any(aspect.focus[name] for name in self._asked.names)
        if goes_on and self._take_best(aspect, np.where(covering & self._picked.in_documents(), scores, -np.inf)):
            return True
        if self._picked.chosen:
            scores = scores + np.maximum(_GOES_ON_BONUS * self._picked.in_documents(), self._nearness())
        return self._take_best(aspect, np.where(covering, scores, -np.inf))

    def _beside(self, aspect: Aspect) -> NDArray[np.bool_]:
        """Rows of a table that a chosen one stands in, labelled with what the part names: `at 64K and at 192K`."""
        chosen = [self._items[number] for number in self._picked.numbers()]
        tables = {_table_of(item) for item in chosen if item.unit.row is not None}
        numbered = [
            term for place, term in enumerate(self._asked.terms) if aspect.focus[place] and term.text[:1].isdigit()
        ]
        return np.array(
            [
                bool(tables)
                and item.unit.row is not None
                and _table_of(item) in tables
                and any(term.text in item.unit.label.latin for term in numbered)
                for item in self._items
            ],
            np.bool_,
        )

    def _holding(self, aspect: Aspect, eligible: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Those of some units that hold what is asked for, where one of them says enough; else all of them."""
        if not any(kind.is_unit for kind in aspect.kinds):
            return eligible
        holding = eligible & self._scorer.holding(aspect.kinds)
        return holding if (self._scorer.cover(aspect.focus)[holding] >= WEAK_COVER).any() else eligible

    def _take_best(self, aspect: Aspect, scores: Scores) -> bool:
        """Take the best unit for one part of the question; whether one of the first can be an answer to it."""
        best = self._first_answer(aspect, self._ranked(scores)[:_TRIED])
        if best is None:
            return False
        self._picked.take(best, float(scores[best]), max(_ASPECT_CHARS, self._limit() / len(self._asked.aspects)))
        return True
