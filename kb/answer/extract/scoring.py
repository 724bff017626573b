"""How well each unit of the found passages answers a question or one part of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.answer.expected import Expected
from kb.answer.extract.aspects import Asked, Aspect, Weights
from kb.answer.extract.candidate import CONTEXT_PART, Candidate, Read, Scores, candidates_of, presence
from kb.answer.extract.cells import Cells
from kb.answer.extract.kinds import VERSION, holds
from kb.answer.extract.prior import OWN_LANGUAGE_BONUS, Prior
from kb.answer.extract.subject import Subject, code_cost
from kb.types import Language

_LEAST_CROSSING: Final = 0.65
"""Of a question's weight: what its words that can be found in the other language count at least, there."""
_LITTLE: Final = 0.45
_MORE: Final = 0.15
"""Of the question's weight, held in the other language and not in the question's own."""
_TITLE_BONUS: Final = 0.25
_KIND_COST: Final = 0.12
_UNIT_KIND_COST: Final = 0.2
_NAME_COST: Final = 0.15
_COUNTED_BONUS: Final = 0.15
_POINTED_BONUS: Final = 0.3
"""A row answers that has the thing for its label and a column for what is asked of it."""
_DESIGNATION_BONUS: Final = 0.12
_RIVAL_COST: Final = 0.3
"""A unit about `NVLink 1` does not answer a question about `NVLink 4`."""


class Scorer:
    """Rates all units of the hits of one search.

    Attributes:
        candidates: in the order of the hits.
        present: how much of each term each unit holds, by itself or by what leads to it; shape (units, terms).
        subject: tells whether units speak of the very thing that is asked about.
        cells: tells which rows hold the very cell that is asked for.
    """

    def __init__(self, asked: Asked, read: Read) -> None:
        self._asked = asked
        self.candidates = candidates_of(read)
        self.present = presence(asked.terms, read)
        self.subject = Subject(asked, self.candidates, self.present)
        self.cells = Cells(asked, self.candidates, self.present)
        self._is_other = np.array([_is_in_other(item, asked.language) for item in self.candidates], np.bool_)
        self._crosses = np.array([term.crosses for term in asked.terms], np.bool_)
        prior = Prior(asked)
        self._prior = np.array([prior.of(item) for item in self.candidates], np.float64)
        self._prior += self._name_scores(self._title_terms(read))
        self._prior += self._designation_scores()
        self._prior -= OWN_LANGUAGE_BONUS * self._is_weak_own()
        self._kind_costs: dict[str, Scores] = {}
        self._pointed: dict[str, Scores] = {}

    def cover(self, weights: Weights) -> Scores:
        """Of each unit: the part of the terms that it holds, by weight."""
        total = float(weights.sum())
        if not total:
            return np.zeros(len(self.candidates), np.float64)
        crossing = max(float(weights[self._crosses].sum()), _LEAST_CROSSING * total)
        return np.asarray(self.present @ weights / np.where(self._is_other, crossing, total), np.float64)

    @property
    def best_cover(self) -> float:
        """How much of the question the best unit holds, or the best unit for each of its parts; 0–1."""
        if not self.candidates:
            return 0.0
        whole = float(self.cover(self._asked.weights)[int(self.whole.argmax())])
        covers = [float(self.cover(aspect.focus).max()) for aspect in self._asked.aspects]
        return max(whole, sum(covers) / len(covers)) if len(covers) > 1 else whole

    @cached_property
    def whole(self) -> Scores:
        """Scores for the whole question; higher is better, comparable within one search. Read only."""
        asked = self._asked
        scores = self._scores(asked.weights, asked.kinds, asked.codes)
        if len(asked.aspects) > 1:
            return scores
        return scores + self._pointed_bonus(asked.aspects[0]) + _COUNTED_BONUS * self.tells_number(asked.aspects[0])

    def of_aspect(self, aspect: Aspect) -> Scores:
        """Scores for one part of the question."""
        scores = self._scores(aspect.weights, aspect.kinds, aspect.codes or self._asked.codes)
        return scores + self._pointed_bonus(aspect) + _COUNTED_BONUS * self.tells_number(aspect)

    def _pointed_bonus(self, aspect: Aspect) -> Scores:
        if aspect.text not in self._pointed:
            self._pointed[aspect.text] = _POINTED_BONUS * self.cells.pointed_at(aspect)
        return self._pointed[aspect.text]

    def holds_kinds(self, kinds: Sequence[Expected], number: int) -> bool:
        """Whether a unit holds every kind of thing that is wanted."""
        return all(self._kind_cost(kind)[number] == 0 for kind in kinds)

    def holding(self, kinds: Sequence[Expected]) -> NDArray[np.bool_]:
        """Which units hold every kind of thing that is wanted."""
        return np.asarray(np.all([self._kind_cost(kind) == 0 for kind in kinds], axis=0), np.bool_)

    def _scores(self, weights: Weights, kinds: Sequence[Expected], codes: Sequence[str]) -> Scores:
        scores = self.cover(weights) + self._prior
        for kind in kinds:
            scores -= self._kind_cost(kind)
        if codes:
            scores -= np.array([code_cost(codes, item) for item in self.candidates])
        return scores

    def _is_weak_own(self) -> NDArray[np.bool_]:
        """Units in the question's own language, where the best of them says little and one in the other more."""
        own = np.array([item.hit.chunk.language == self._asked.language for item in self.candidates], np.bool_)
        if own.all() or not own.any():
            return np.zeros(len(own), np.bool_)
        cover = self.cover(self._asked.weights)
        best = float(cover[own].max())
        return own & (best < _LITTLE and float(cover[~own].max()) > best + _MORE)

    def _title_terms(self, read: Read) -> list[int]:
        """Terms that are a subject: they stand in the titles of some of the documents found, not of all."""
        titles = {passage.chunk.doc_id: passage.title_text for _, passage in read}
        return [
            number
            for number, term in enumerate(self._asked.terms)
            if 0 < sum(term.share_in(title) > 0 for title in titles.values()) < max(2, len(titles))
        ]

    def _name_scores(self, titles: list[int]) -> Scores:
        """What is gained by holding the terms that are a title, and lost by lacking names."""
        weights = self._asked.weights
        total = weights.sum()
        scores = np.zeros(len(self.candidates), np.float64)
        if not total:
            return scores
        near = np.minimum(self.present / CONTEXT_PART, 1)
        if titles:
            part = weights[titles]
            scores += _TITLE_BONUS * (near[:, titles] @ part) / max(part.sum(), total / 3)
        if names := sorted(self._asked.names):
            part = weights[names]
            scores -= _NAME_COST * (1 - near[:, names] @ part / part.sum())
        return scores

    def tells_number(self, aspect: Aspect) -> NDArray[np.bool_]:
        """Which units tell the number of the things that a part of the question asks how many there are of."""
        counted = aspect.counted
        if counted is None:
            return np.zeros(len(self.candidates), np.bool_)
        return np.array([counted.search(item.unit.text.folded) is not None for item in self.candidates], np.bool_)

    def _designation_scores(self) -> Scores:
        """What is gained by naming the very things that the question tells apart by numbers, and lost by others."""
        scores = np.zeros(len(self.candidates), np.float64)
        for thing in self._asked.designations:
            for number, standing in enumerate(self.subject.standings(thing)):
                scores[number] += {"named": _DESIGNATION_BONUS, "rival": -_RIVAL_COST, "silent": 0.0}[standing]
        return scores

    def _kind_cost(self, kind: Expected) -> Scores:
        if kind.name not in self._kind_costs:
            cost = _UNIT_KIND_COST if kind.is_unit else _KIND_COST
            lacking = [not self._holds(kind, item) for item in self.candidates]
            self._kind_costs[kind.name] = np.array(lacking, np.float64) * cost
        return self._kind_costs[kind.name]

    def _holds(self, kind: Expected, item: Candidate) -> bool:
        """Whether a unit holds a kind of thing; under a release it holds a version, where one is asked for."""
        if kind.name == VERSION and self._asked.form.since and item.passage.release:
            return True
        return holds(kind, item.unit, self._asked.numbers, self._asked.form)


def _is_in_other(item: Candidate, language: Language) -> bool:
    """Whether a unit's own words are in another language: a row in English in a Chinese document, too."""
    return item.hit.chunk.language != language or (language == "zh" and item.unit.text.folded.isascii())
