"""A question, read for extraction: its terms, its parts, and what would answer each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.answer.expected import Expected
from kb.answer.extract.clauses import asking_clauses, conjuncts
from kb.answer.extract.counted import counted_in, counted_phrase
from kb.answer.extract.designation import Designation, designations_in
from kb.answer.extract.form import Form
from kb.answer.extract.glossary import is_vendor
from kb.answer.extract.kinds import kinds_of
from kb.answer.extract.sides import sides_of
from kb.answer.extract.terms import RARE, Term, TermWeights, Text
from kb.retrieval.query import codes_in
from kb.text import fold, language_of, stem, words
from kb.types import Language

Weights = NDArray[np.float64]

_MOST_PARTS: Final = 12
_LEAST_OWNERS: Final = 2
_SHARED_PART: Final = 0.4
"""What a word of another part of the question weighs for this part."""

_NUMBER: Final = re.compile(
    r"\b0x[0-9a-f]+\b|\d+(?:[.,]\d+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|hundred|thousand)\b"
)
_NEXT_THING: Final = re.compile(
    r"呢\s*[？?]?\s*$|^\s*(?:and|what about|how about) (?!\w+ (?:is|are|does|do|did|was)\b)", re.IGNORECASE
)
_CHANGED: Final = "added support"
_LEANS: Final = re.compile(r"\s*(?:at|of|for|on|with|under)\b", re.IGNORECASE)
"""Starts a part that says of what or when, and not what: `… and at 192K`."""
_NUMBERED: Final = re.compile(r"(?<!\w)[\w.+-]*\d[\w.+-]*")
_NAME_ZH: Final = re.compile(r"[A-Za-z][\w.+-]+")
_ACRONYM: Final = re.compile(r"\b[A-Z][A-Z0-9-]*[A-Z0-9]\b")
_NAME_EN: Final = re.compile(
    r"(?<!^)(?<![.!?] )\b[A-Z][\w.+-]+|\b\w+[A-Z][\w.+-]*|\b[a-z]{3,}\d[\w.+-]*|\b[a-z]\w*_\w+"
)
"""Capitalised words, and identifiers: `inception_onnx`, `histogram256`."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing a question asks.

    Attributes:
        text: its words.
        focus: weight of each of the question's terms that stands in these words, 0 for the others.
        weights: the same, with the others at a part of their weight.
        kinds: of answer that it wants.
        codes: card and part numbers in its words.
        is_only_kind: its words only say what kind of thing is wanted: "and from which version?".
        counted: finds a number of the things that it asks how many there are of; None if it does not ask that.
        counted_terms: the question's terms for those things.
        own: what an answer to it must name: names of documents in its words that stand in no other part, where several
            parts have such, and the thing that it is about, where it says nothing else.
    """

    text: str
    focus: Weights
    weights: Weights
    kinds: tuple[Expected, ...]
    codes: tuple[str, ...]
    is_only_kind: bool
    counted: re.Pattern[str] | None = None
    counted_terms: frozenset[int] = frozenset()
    own: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, taken apart.

    Attributes:
        text: all of it.
        language: of its words.
        terms: all its terms.
        weights: of the terms.
        names: which terms are names: latin words in a Chinese question, capitalised ones in an English one.
        acronyms: names that no other words stand for: latin words in a Chinese question, words in capitals.
        aspects: at least one.
        kinds: of answer, where there is one aspect.
        codes: card and part numbers.
        numbers: figures it states itself, number words as well.
        form: of the answer.
        designations: things it tells apart by a number.
        sides: groups of names it sets side by side, each name as the terms that are its own.
    """

    text: str
    language: Language
    terms: tuple[Term, ...]
    weights: Weights
    names: frozenset[int]
    acronyms: frozenset[int]
    aspects: tuple[Aspect, ...]
    kinds: tuple[Expected, ...]
    codes: tuple[str, ...]
    numbers: frozenset[str]
    form: Form
    designations: tuple[Designation, ...] = ()
    sides: tuple[tuple[frozenset[int], ...], ...] = ()

    @classmethod
    def read(cls, question: str, weighing: TermWeights, is_title: Callable[[str], bool] = lambda _: False) -> Asked:
        """Take a question apart.

        Args:
            question: its words.
            weighing: weighs them.
            is_title: whether a term is part of the name of few documents.
        """
        form = Form.of(question)
        terms = weighing.terms(question)
        weights = np.array([term.weight for term in terms], np.float64)
        parts = islice(_parts(question, form), _MOST_PARTS)
        aspects = tuple(_aspect(part, kinds, terms, weights) for part, kinds in parts)
        aspects = _completed(tuple(aspect for aspect in aspects if aspect.focus.any()), terms, weights)
        if not aspects:
            aspects = (_aspect(question, _kinds(question, form), terms, weights),)
        names = _names(question, terms)
        return cls(
            question,
            language_of(question),
            terms,
            weights,
            names,
            _acronyms(question, terms),
            _with_own_names(aspects, terms, weights, is_title),
            aspects[0].kinds if len(aspects) == 1 else (),
            codes_in(question),
            frozenset(_NUMBER.findall(fold(question))),
            form,
            designations_in(question),
            sides_of(question, terms),
        )

    @property
    def translated(self) -> str:
        """Its names, and what its other words are called in the other language."""
        names = [self.terms[number].text for number in sorted(self.names)]
        variants = [term.variants.latin if self.language == "zh" else term.variants.chinese for term in self.terms]
        return " ".join(dict.fromkeys((*names, *(word for words in variants for word in words))))

    @property
    def changed(self) -> str:
        """A search for what a release changed about the things it names."""
        return " ".join((*(term.text for term in self.terms if not term.is_chinese), _CHANGED))

    def standalone(self, aspect: Aspect) -> str:
        """A part of the question that can be searched alone: with the names that stand in the other parts."""
        own = fold(aspect.text)
        others = frozenset[int]().union(*(other.own for other in self.aspects)) - aspect.own
        names = [self.terms[number].text for number in sorted(self.names - others)]
        if aspect.own:  # it is about a thing of its own, not about those of the other parts
            names = [name for name in names if not any(map(str.isdigit, name))]
        return " ".join((*(name for name in names if name not in own), aspect.text))


def _parts(question: str, form: Form) -> Iterator[tuple[str, tuple[Expected, ...]]]:
    """What is asked, part by part, with the kinds of answer; an explanation is asked for clause by clause."""
    before: tuple[Expected, ...] = ()
    for clause in asking_clauses(question):
        kinds = before = _kinds_after(before, clause, form)
        parts = [clause] if form.explanation else conjuncts(clause)
        for part in parts:
            yield part, tuple(kind for kind in kinds if not _is_asked_elsewhere(kind, part, parts))


def _is_asked_elsewhere(kind: Expected, part: str, parts: Sequence[str]) -> bool:
    """Whether a unit is asked for in another part of a clause: not the length in `die area and length`."""
    return (
        kind.is_unit
        and kind.asked.search(fold(part)) is None
        and any(kind.asked.search(fold(other)) for other in parts if other is not part)
    )


def _kinds_after(before: tuple[Expected, ...], clause: str, form: Form) -> tuple[Expected, ...]:
    """The kinds of answer to a clause; one that only names the next thing (`…呢`, `and L2?`) asks the same of it."""
    kinds = _kinds(clause, form)
    units = tuple(kind for kind in before if kind.is_unit)
    if units and not any(kind.is_unit for kind in kinds) and _NEXT_THING.search(clause):
        return (*units, *kinds)
    return kinds


def _kinds(clause: str, form: Form) -> tuple[Expected, ...]:
    return () if form.instruction else kinds_of(clause)


def _aspect(part: str, kinds: tuple[Expected, ...], terms: tuple[Term, ...], weights: Weights) -> Aspect:
    text = Text.of(part)
    own = np.array([term.share_in(text) == 1 for term in terms], np.bool_)
    focus = np.where(own, weights, 0)
    wanted = [term.text for term, is_own in zip(terms, own, strict=True) if is_own]
    is_only_kind = bool(kinds) and all(any(kind.asked.search(word) for kind in kinds) for word in wanted)
    shared = np.where(own, weights, weights * _SHARED_PART)
    phrase = Text.of(counted_phrase(part))
    things = frozenset(number for number, term in enumerate(terms) if phrase.folded and term.share_in(phrase) == 1)
    return Aspect(part, focus, shared, kinds, codes_in(part), is_only_kind, counted_in(part), things)


def _completed(aspects: tuple[Aspect, ...], terms: Sequence[Term], weights: Weights) -> tuple[Aspect, ...]:
    """Parts that only name a thing, told what is asked of it by the part beside them: `width of A10 and of B20`."""
    numbered = np.array([any(map(str.isdigit, term.text)) for term in terms], np.bool_)
    bare = [bool(numbered[aspect.focus > 0].all()) for aspect in aspects]
    leaning = [flag or _LEANS.match(aspect.text) is not None for flag, aspect in zip(bare, aspects, strict=True)]
    found: list[Aspect] = []
    for number, aspect in enumerate(aspects):
        places = (*range(number - 1, -1, -1), number + 1)
        whole = next((aspects[place] for place in places if place < len(aspects) and not leaning[place]), None)
        if leaning[number] and whole is not None and numbered[whole.focus > 0].any():
            focus = np.maximum(aspect.focus, np.where(numbered, 0, whole.focus))
            shared = np.where(focus > 0, weights, np.where(numbered, 0, weights * _SHARED_PART))
            aspect = replace(
                aspect,
                text=f"{aspect.text} {_NUMBERED.sub(' ', whole.text)}",
                focus=focus,
                weights=shared,
                kinds=aspect.kinds or whole.kinds,
                own=frozenset(map(int, np.flatnonzero(aspect.focus))) if bare[number] else frozenset(),
            )
        found.append(aspect)
    return tuple(found)


def _with_own_names(
    aspects: tuple[Aspect, ...], terms: Sequence[Term], weights: Weights, is_title: Callable[[str], bool]
) -> tuple[Aspect, ...]:
    """Parts of a question about different documents, each told which of their names stand in it alone.

    A part that is such a name and nothing else (`… for X versus Y`) is asked the same as the part before it.
    """
    if len(aspects) == 1:
        return aspects
    names = [
        number
        for number, term in enumerate(terms)
        if not term.is_chinese and term.weight >= RARE and any(map(is_title, (term.text, *term.joined)))
    ]
    told = {number: [place for place, aspect in enumerate(aspects) if aspect.focus[number]] for number in names}
    own = [frozenset(number for number, places in told.items() if places == [place]) for place in range(len(aspects))]
    if sum(map(bool, own)) < _LEAST_OWNERS:
        return aspects
    found: list[Aspect] = []
    for aspect, mine in zip(aspects, own, strict=True):
        if found and mine and mine == frozenset(np.flatnonzero(aspect.focus)):
            aspect = _asked_the_same(aspect, found[-1], weights)
        found.append(replace(aspect, own=aspect.own | mine))
    return tuple(found)


def _asked_the_same(aspect: Aspect, before: Aspect, weights: Weights) -> Aspect:
    """A part that only names something, with the words of the part before it but for that one's names."""
    shared = np.where(before.focus > 0, before.focus, 0)
    shared[sorted(before.own)] = 0
    focus = np.maximum(aspect.focus, shared)
    text = f"{aspect.text} {before.text}"
    return replace(aspect, text=text, focus=focus, weights=np.where(focus > 0, weights, weights * _SHARED_PART))


def _names(question: str, terms: tuple[Term, ...]) -> frozenset[int]:
    pattern = _NAME_ZH if language_of(question) == "zh" else _NAME_EN
    named = {stem(word) for match in pattern.findall(question) for word in words(match)}
    return frozenset(
        number
        for number, term in enumerate(terms)
        if is_vendor(term.text) or (not term.is_chinese and term.text in named)
    )


def _acronyms(question: str, terms: tuple[Term, ...]) -> frozenset[int]:
    pattern = _NAME_ZH if language_of(question) == "zh" else _ACRONYM
    named = {stem(word) for match in pattern.findall(question) for word in words(match)}
    return frozenset(number for number, term in enumerate(terms) if not term.is_chinese and term.text in named)
