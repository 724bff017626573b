"""Whether units speak of the very thing that is asked about: its codes, its names, the property asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from kb.answer.extract.aspects import Asked, Aspect
from kb.answer.extract.candidate import HEADER_PART, Candidate, Scores
from kb.answer.extract.designation import Designation, Standing
from kb.answer.extract.passage import Passage
from kb.answer.extract.terms import RARE, Term, Text, coverage
from kb.retrieval.query import codes_in

_SAME: Final = 0.8
_LEAST_NAMES: Final = 0.4
"""Of the weight of the rare names asked about, the part that an answer's document must hold."""
_LEAST_COUNTED: Final = 0.6
"""Of the weight of the words for what is counted, the part that a row which counts some of them must hold."""
_LEAST_HEADED: Final = 0.6
"""Of the question's weight, the part that a heading must hold for what stands under it to answer without its words."""
_NEARBY: Final = 0.4
"""Presence of a word in a row, the names of its columns or a heading, more than somewhere in the passage."""
_MISSING_CODE_COST: Final = 0.35
_DISTANT_CODE_COST: Final = 0.08
_RIVAL_COST: Final = 0.15


class Subject:
    """Checks the candidates of one search.

    Args:
        asked: the question.
        candidates: all units.
        present: how much of each term each of them holds.
    """

    def __init__(self, asked: Asked, candidates: Sequence[Candidate], present: Scores) -> None:
        self._asked = asked
        self._candidates = candidates
        self._present = present
        self._stand: dict[tuple[str, str], bool] = {}
        self._standings: dict[Designation, list[Standing]] = {}
        self._headed: dict[str, bool] = {}

    def is_of(self, aspect: Aspect, number: int) -> bool:
        """Whether a unit speaks of what a part of the question is about."""
        codes = self._codes(aspect)
        return (
            (bool((self._present[number] > _SAME).any()) or self._is_headed(number))
            and not (codes and self._is_of_others(number, codes))
            and not self._lacks_names(aspect, number)
            and not self._lacks_property(number)
            and not self._is_of_another_kind(aspect, number)
            and not self._is_rival(number)
            and not self.is_other_change(number)
        )

    def _is_headed(self, number: int) -> bool:
        """Whether a unit stands under a heading that says most of the question, as in a list of frequent questions."""
        heading = self._candidates[number].passage.heading
        if heading not in self._headed:
            self._headed[heading] = coverage(self._asked.terms, Text.of(heading)) >= _LEAST_HEADED
        return self._headed[heading]

    def is_other_change(self, number: int) -> bool:
        """Whether a unit tells what a release changed, and lacks a number of the thing whose release is asked for."""
        item = self._candidates[number]
        if not self._asked.form.since or not item.passage.release or item.unit.row is not None:
            return False
        told = f"{item.passage.release} {item.unit.text.folded}"
        return any(figure not in told for figure in self._asked.numbers if any(map(str.isdigit, figure)))

    def tells_release(self) -> bool:
        """Whether some unit tells what a release changed about the thing whose release is asked for."""
        return any(
            item.passage.release and not self.is_other_change(number) for number, item in enumerate(self._candidates)
        )

    def standings(self, thing: Designation) -> list[Standing]:
        """What each unit says to something that the question tells apart by a number."""
        if thing not in self._standings:
            self._standings[thing] = [thing.standing(item.unit, item.passage) for item in self._candidates]
        return self._standings[thing]

    def _is_rival(self, number: int) -> bool:
        """Whether a table row is about the same with another number."""
        if self._candidates[number].unit.row is None:
            return False
        return any(self.standings(thing)[number] == "rival" for thing in self._asked.designations)

    def absent_names(self) -> tuple[str, ...]:
        """Acronyms and foreign names of the question that stand in none of the documents read."""
        passages = {item.passage.chunk.doc_id: item.passage for item in self._candidates}.values()
        terms = [self._asked.terms[number] for number in sorted(self._asked.acronyms)]
        return tuple(
            term.text
            for term in terms
            if term.weight >= RARE
            and not any(term.stands_in(passage.text) or self._stands_in(passage, term.text) for passage in passages)
        )

    def _codes(self, aspect: Aspect) -> tuple[str, ...]:
        """The codes a part is about: its own; those of the whole question where there is one part or one code."""
        everywhere = len(self._asked.aspects) == 1 or len(self._asked.codes) == 1
        return aspect.codes or (self._asked.codes if everywhere else ())

    def _is_of_others(self, number: int, codes: Sequence[str]) -> bool:
        """Whether a unit speaks of other cards or parts than those asked about."""
        unit, passage = self._candidates[number].unit, self._candidates[number].passage
        if not any(holds_code(passage.text, code) for code in codes):
            return True
        if any(holds_code(text, code) for code in codes for text in (unit.text, unit.context, passage.headings)):
            return False
        if _codes_of(unit.row.label if unit.row is not None else unit.shown):
            return True
        siblings = passage.units if unit.kind in {"item", "row"} else ()
        labels = [other.text if other.row is None else other.label for other in siblings if other.block == unit.block]
        return any(holds_code(label, code) for label in labels for code in codes)

    def _lacks_names(self, aspect: Aspect, number: int) -> bool:
        """Whether few of the rare names asked about stand in a unit's document."""
        asked = self._asked
        is_only = len(asked.aspects) == 1
        names = [name for name in asked.names if is_only or aspect.focus[name]] or list(asked.names)
        rare = [name for name in names if asked.weights[name] >= RARE]
        passage = self._candidates[number].passage
        held = sum(
            asked.weights[name]
            for name in rare
            if _is_named(asked.terms[name], passage.text) or self._stands_in(passage, asked.terms[name].text)
        )
        return bool(rare) and held < _LEAST_NAMES * sum(asked.weights[name] for name in rare)

    def _lacks_property(self, number: int) -> bool:
        """Whether a table row about the right thing holds nothing of what is asked about it, in no cell or column."""
        unit = self._candidates[number].unit
        if unit.row is None or not self._asked.codes:
            return False
        for place, term in enumerate(self._asked.terms):
            if not term.share_in(unit.label):
                if self._present[number, place] >= HEADER_PART * _SAME:
                    return False
            elif place not in self._asked.names and not any(char.isdigit() for char in term.text):
                return False  # the label itself is the property: a table with a card in each column
        return True

    def _is_of_another_kind(self, aspect: Aspect, number: int) -> bool:
        """Whether a table row counts other things of the same sort: `cores` where `tensor cores` are asked for."""
        if not aspect.counted_terms or self._candidates[number].unit.row is None:
            return False
        weights = {place: self._asked.weights[place] for place in aspect.counted_terms}
        told = float(sum(weight for place, weight in weights.items() if self._present[number, place] > _NEARBY))
        return 0 < told < _LEAST_COUNTED * float(sum(weights.values()))

    def _stands_in(self, passage: Passage, name: str) -> bool:
        """Whether a name stands anywhere in a passage's document."""
        key = (passage.chunk.doc_id, name)
        if key not in self._stand:
            self._stand[key] = re.search(rf"(?<![a-z0-9]){re.escape(name)}", passage.source.lower()) is not None
        return self._stand[key]


def _is_named(term: Term, text: Text) -> bool:
    """Whether a text holds a name, or a word of it: a number alone is no part of a name."""
    return term.stands_in(text) or any(part in text.latin for part in term.parts if not part.isdigit())


def code_cost(codes: Sequence[str], item: Candidate) -> float:
    """What a unit loses for each code asked about that it does not name, most where it names others."""
    unit, passage = item.unit, item.passage
    cost = 0.0
    missing = 0
    for code in codes:
        if any(holds_code(text, code) for text in (unit.text, unit.context, passage.headings)):
            continue
        missing += 1
        cost += _DISTANT_CODE_COST if holds_code(passage.text, code) else _MISSING_CODE_COST
    if missing == len(codes) and _codes_of(unit.text.folded):
        cost += _RIVAL_COST * len(codes)
    return cost / len(codes)


def holds_code(text: Text, code: str) -> bool:
    """Whether a text names a code; `H100s` is the plural of `H100`."""
    return code in text.latin or (code.endswith("s") and code[:-1] in text.latin)


@lru_cache(maxsize=8192)
def _codes_of(text: str) -> tuple[str, ...]:
    return codes_in(text)
