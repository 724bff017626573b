"""How well each unit of the found passages answers a question or one part of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.answer.expected import Expected
from kb.answer.extract.aspects import Asked, Aspect, Weights
from kb.answer.extract.kinds import NUMBER
from kb.answer.extract.passage import Passage, Unit
from kb.answer.extract.terms import RARE, Text
from kb.retrieval.query import codes_in
from kb.types import Hit

Scores = NDArray[np.float64]

_CONTEXT_PART: Final = 0.6
"""What a term counts that stands in a heading, a lead or the sentence before."""
_HEADER_PART: Final = 0.9
"""The same for the name of a column, which belongs to every row, and for the line that says what a command does."""
_PASSAGE_PART: Final = 0.25
_SAME: Final = 0.8
_LEAST_CROSSING: Final = 0.65
"""Of a question's weight: what its words that can be found in the other language count at least, there."""

_PASSAGE_WEIGHT: Final = 0.55
_OWN_LANGUAGE_BONUS: Final = 0.55
_PIECE_BONUS: Final = 0.1
_TITLE_BONUS: Final = 0.25
_KIND_COST: Final = 0.12
_UNIT_KIND_COST: Final = 0.2
_MISSING_CODE_COST: Final = 0.35
_DISTANT_CODE_COST: Final = 0.08
_RIVAL_COST: Final = 0.15
_NAME_COST: Final = 0.15
_COMMAND_BONUS: Final = 0.06
_SHORT_COST: Final = 0.08
_SHORT: Final = 8
_LEAD_BONUS: Final = 0.05
"""A line that introduces something comes with what it introduces."""
_DENIAL_BONUS: Final = 0.04
_DEFINITION_BONUS: Final = 0.08
_OPENING: Final = 24
_TOTAL_BONUS: Final = 0.08
_EXTRA_LABEL_COST: Final = 0.1

_DENIES: Final = re.compile(r"不|无|没有|未|\b(?:not|no|nothing|never|cannot|without|neither|nor|only)\b|n't\b")
_CODE_LIKE: Final = re.compile(r"[a-z]+-?\d[\w.]*")
_DATE: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?:\s*年(?:\s*\d+\s*月)?|-\d\d(?:-\d\d)?)?(?!\d)|\d+\s*月(?:\d+日)?")
_PART: Final = re.compile(r"\b(?:half|thirds?|quarters?|twice|double[ds]?|halves)\b|分之|一半|翻倍|成多")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit of a hit.

    Attributes:
        number: its place among the passage's units.
    """

    hit: Hit
    passage: Passage
    unit: Unit
    number: int

    @property
    def key(self) -> tuple[str, int]:
        """Identity."""
        return self.hit.chunk.chunk_id, self.number


class Scorer:
    """Rates all units of the hits of one search.

    Attributes:
        candidates: in the order of the hits.
        present: how much of each term each unit holds, by itself or by what leads to it; shape (units, terms).
    """

    def __init__(self, asked: Asked, read: Sequence[tuple[Hit, Passage]]) -> None:
        self._asked = asked
        self.candidates = [
            Candidate(hit, passage, unit, number) for hit, passage in read for number, unit in enumerate(passage.units)
        ]
        self._is_other = np.array([item.hit.chunk.language != asked.language for item in self.candidates], np.bool_)
        self._crosses = np.array([term.crosses for term in asked.terms], np.bool_)
        self.present = self._presence(read)
        self._titles = self._title_terms(read)
        self._prior = np.array([self._prior_of(item) for item in self.candidates], np.float64)
        self._prior += self._name_scores()
        self._kind_costs: dict[str, Scores] = {}
        self._stand: dict[tuple[str, str], bool] = {}

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
        whole = float(self.cover(self._asked.weights)[int(self.whole().argmax())])
        covers = [float(self.cover(aspect.focus).max()) for aspect in self._asked.aspects]
        return max(whole, sum(covers) / len(covers)) if len(covers) > 1 else whole

    def whole(self) -> Scores:
        """Scores for the whole question; higher is better, comparable within one search."""
        asked = self._asked
        return self._scores(asked.weights, asked.kinds, asked.codes)

    def of_aspect(self, aspect: Aspect) -> Scores:
        """Scores for one part of the question."""
        return self._scores(aspect.weights, aspect.kinds, aspect.codes or self._asked.codes)

    def holds_kinds(self, kinds: Sequence[Expected], number: int) -> bool:
        """Whether a unit holds every kind of thing that is wanted."""
        return all(self._kind_cost(kind)[number] == 0 for kind in kinds)

    def speaks_of_it(self, number: int) -> bool:
        """Whether a unit itself holds any word of the question, not only what stands around it."""
        return bool((self.present[number] > _SAME).any())

    def absent_names(self) -> tuple[str, ...]:
        """Acronyms and foreign names of the question that stand in none of the documents read."""
        passages = {item.passage.chunk.doc_id: item.passage for item in self.candidates}.values()
        terms = [self._asked.terms[number] for number in sorted(self._asked.acronyms)]
        return tuple(
            term.text
            for term in terms
            if term.weight >= RARE
            and not any(term.stands_in(passage.text) or self._stands_in(passage, term.text) for passage in passages)
        )

    def lacks_names(self, aspect: Aspect, number: int) -> bool:
        """Whether a unit's passage names none of the codes asked about, or lacks a rare name."""
        is_only = len(self._asked.aspects) == 1
        codes = aspect.codes or (self._asked.codes if is_only or len(self._asked.codes) == 1 else ())
        passage = self.candidates[number].passage
        if codes and not any(_holds_code(passage.text, code) for code in codes):
            return True
        if (codes and self._names_others(number, codes)) or self._lacks_property(aspect, number):
            return True
        names = [name for name in self._asked.names if is_only or aspect.focus[name]] or list(self._asked.names)
        rare = [name for name in names if self._asked.weights[name] >= RARE]
        return bool(rare) and not any(
            self.present[number, name] or self._stands_in(passage, self._asked.terms[name].text) for name in rare
        )

    def _lacks_property(self, aspect: Aspect, number: int) -> bool:
        """Whether a table row about the right thing has nothing of what is asked about it, in no cell and no column."""
        unit, headings = self.candidates[number].unit, self.candidates[number].passage.headings
        if unit.row is None or not self._asked.codes:
            return False
        asked: list[int] = []
        for place, term in enumerate(self._asked.terms):
            if term.share_in(unit.label):
                if place not in self._asked.names and not any(char.isdigit() for char in term.text):
                    return False
            elif aspect.focus[place] and not term.share_in(headings):
                asked.append(place)
        return bool(asked) and bool((self.present[number, asked] < _HEADER_PART * _SAME).all())

    def _stands_in(self, passage: Passage, name: str) -> bool:
        """Whether a name stands anywhere in a passage's document."""
        key = (passage.chunk.doc_id, name)
        if key not in self._stand:
            self._stand[key] = re.search(rf"(?<![a-z0-9]){re.escape(name)}", passage.source.lower()) is not None
        return self._stand[key]

    def _names_others(self, number: int, codes: Sequence[str]) -> bool:
        """Whether a unit speaks of other cards or parts than those asked about."""
        unit, headings = self.candidates[number].unit, self.candidates[number].passage.headings
        if any(_holds_code(text, code) for code in codes for text in (unit.text, unit.context, headings)):
            return False
        if _codes_of(unit.row.label if unit.row is not None else unit.shown):
            return True
        siblings = self.candidates[number].passage.units if unit.kind in {"item", "row"} else ()
        labels = [other.text if other.row is None else other.label for other in siblings if other.block == unit.block]
        return any(_holds_code(label, code) for label in labels for code in codes)

    def _scores(self, weights: Weights, kinds: Sequence[Expected], codes: Sequence[str]) -> Scores:
        scores = self.cover(weights) + self._prior
        for kind in kinds:
            scores -= self._kind_cost(kind)
        if codes:
            scores -= np.array([_code_cost(codes, item) for item in self.candidates])
        return scores

    # ------------------------------------------------------------ parts

    def _presence(self, read: Sequence[tuple[Hit, Passage]]) -> Scores:
        present = np.zeros((len(self.candidates), len(self._asked.terms)), np.float64)
        first = 0
        for _, passage in read:
            rows = present[first : first + len(passage.units)]
            first += len(passage.units)
            for column, term in enumerate(self._asked.terms):
                around = term.share_in(passage.text)
                if not around:
                    continue
                least = max(_CONTEXT_PART * term.share_in(passage.headings), _PASSAGE_PART * around)
                for row, unit in enumerate(passage.units):
                    own = term.share_in(unit.text)
                    if own < 1:
                        part = _CONTEXT_PART if unit.kind in {"sentence", "item"} else _HEADER_PART
                        own = max(own, part * term.share_in(unit.context), least)
                    rows[row, column] = own
        return present

    def _title_terms(self, read: Sequence[tuple[Hit, Passage]]) -> list[int]:
        """Terms that are a subject: they stand in the titles of some of the documents found, not of all."""
        titles = {passage.chunk.doc_id: passage.title_text for _, passage in read}
        return [
            number
            for number, term in enumerate(self._asked.terms)
            if 0 < sum(term.share_in(title) > 0 for title in titles.values()) < max(2, len(titles))
        ]

    def _prior_of(self, item: Candidate) -> float:
        unit, piece = item.unit, item.hit.piece
        value = _PASSAGE_WEIGHT * item.hit.score
        if item.hit.chunk.language == self._asked.language:
            value += _OWN_LANGUAGE_BONUS
        if unit.span.start < piece.end and unit.span.end > piece.start:
            value += _PIECE_BONUS
        if self._asked.form.command and (unit.kind == "code" or "`" in unit.shown):
            value += _COMMAND_BONUS
        if len(unit.shown) < _SHORT:
            value -= _SHORT_COST
        if unit.leads:
            value += _LEAD_BONUS
        if self._asked.form.yes_or_no and _DENIES.search(unit.text.folded):
            value += _DENIAL_BONUS
        if unit.row is not None:
            value -= self._label_cost(unit.label.latin)
            if unit.is_total:
                value += _TOTAL_BONUS
        elif self._asked.form.explanation and self._opens_with_name(unit):
            value += _DEFINITION_BONUS
        return value

    def _opens_with_name(self, unit: Unit) -> bool:
        """Whether a sentence defines a name of the question: it begins with it."""
        opening = unit.text.folded[:_OPENING]
        return any(self._asked.terms[number].text in opening for number in self._asked.names)

    def _label_cost(self, named: frozenset[str]) -> float:
        """A row about another variant of what is asked: `RTX 5090 D` for `RTX 5090`."""
        if not any(term.text in named for term in self._asked.terms if term.text[-1:].isdigit()):
            return 0.0
        asked = sorted({word for term in self._asked.terms for word in (term.text, *term.joined, *term.parts)}, key=len)
        extra = [word for word in named if not _is_made_of(word, asked)]
        return _EXTRA_LABEL_COST * min(len(extra), 3)

    def _name_scores(self) -> Scores:
        """What is gained by holding the terms that are a title, and lost by lacking names."""
        weights = self._asked.weights
        total = weights.sum()
        scores = np.zeros(len(self.candidates), np.float64)
        if not total:
            return scores
        near = np.minimum(self.present / _CONTEXT_PART, 1)
        if self._titles:
            part = weights[self._titles]
            scores += _TITLE_BONUS * (near[:, self._titles] @ part) / max(part.sum(), total / 3)
        if names := sorted(self._asked.names):
            part = weights[names]
            scores -= _NAME_COST * (1 - near[:, names] @ part / part.sum())
        return scores

    def _kind_cost(self, kind: Expected) -> Scores:
        if kind.name not in self._kind_costs:
            cost = _UNIT_KIND_COST if kind.is_unit else _KIND_COST
            self._kind_costs[kind.name] = np.array(
                [0.0 if self._holds(kind, item.unit) else cost for item in self.candidates], np.float64
            )
        return self._kind_costs[kind.name]

    def _holds(self, kind: Expected, unit: Unit) -> bool:
        text = f"{unit.context.folded}\n{unit.text.folded}" if unit.row is not None else unit.text.folded
        if kind.name == NUMBER:
            text = _DATE.sub(" ", _CODE_LIKE.sub(" ", unit.text.folded))
            if not any(number not in self._asked.numbers for number in _NUMBER.findall(text)):
                text = _NUMBER.sub(" ", text)
                if self._asked.form.amount:
                    return _PART.search(text) is not None
        return kind.held.search(text) is not None


def _code_cost(codes: Sequence[str], item: Candidate) -> float:
    unit, passage = item.unit, item.passage
    cost = 0.0
    missing = 0
    for code in codes:
        if any(_holds_code(text, code) for text in (unit.text, unit.context, passage.headings)):
            continue
        missing += 1
        cost += _DISTANT_CODE_COST if _holds_code(passage.text, code) else _MISSING_CODE_COST
    if missing == len(codes) and _codes_of(unit.text.folded):
        cost += _RIVAL_COST * len(codes)
    return cost / len(codes)


def _is_made_of(word: str, parts: Sequence[str]) -> bool:
    """Whether a word is one of the parts, or some of them written together; `parts` stand in order of length."""
    for part in reversed(parts):
        word = word.replace(part, "", 1) if len(part) > 1 or word == part else word
    return not word


def _holds_code(text: Text, code: str) -> bool:
    """Whether a text names a code; `H100s` is the plural of `H100`."""
    return code in text.latin or (code.endswith("s") and code[:-1] in text.latin)


@lru_cache(maxsize=8192)
def _codes_of(text: str) -> tuple[str, ...]:
    return codes_in(text)
