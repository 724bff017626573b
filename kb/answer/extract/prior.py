"""What speaks for a unit whatever words it holds: where it stands, and its form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.answer.extract.aspects import Asked
from kb.answer.extract.candidate import Candidate
from kb.answer.extract.definition import Definition
from kb.answer.extract.passage import Unit
from kb.answer.extract.screens import is_box, is_printed

_PASSAGE_WEIGHT: Final = 0.55
OWN_LANGUAGE_BONUS: Final = 0.55
_PIECE_BONUS: Final = 0.1
_COMMAND_BONUS: Final = 0.06
_SHORT_COST: Final = 0.08
_SHORT: Final = 8
_LEAD_BONUS: Final = 0.05
"""A line that introduces something comes with what it introduces."""
_DENIAL_BONUS: Final = 0.04
_BOUND_BONUS: Final = 0.08
"""A limit such as `>= 1.23` answers whether 1.20 will do."""
_EXAMPLE_COST: Final = 0.1
_SINCE_BONUS: Final = 0.2
"""A row that says in which versions something is true answers since when it is, and what stands under a release."""
_HISTORY_BONUS: Final = 0.02
"""For each release that a table knows: a longer history tells better since when something is so."""
_MOST_RELEASES: Final = 15
_SCREEN_COST: Final = 0.25
"""What a program printed is seldom what is asked for."""
_DEFINITION_BONUS: Final = 0.08
_DEFINING_BONUS: Final = 0.3
"""Who asks what a thing is wants to read just that first."""
_OPENING: Final = 24
_TOTAL_BONUS: Final = 0.08
_LABEL_BONUS: Final = 0.1
"""A row whose label says nothing but words of the question is about just that."""
_EXTRA_LABEL_COST: Final = 0.1
_MOST_EXTRA: Final = 3

_EXAMPLE: Final = re.compile(r"\W*(?:for )?(?:example|e\.g\.)\W|例如|示例[:：]|例[:：]")
_DENIES: Final = re.compile(r"不|无|没有|未|\b(?:not|no|nothing|never|cannot|without|neither|nor|only)\b|n't\b")
_BOUND: Final = re.compile(
    r"(?:[<>≥≤]=?|至少|at least)\s*v?\d|\d\S*\s*(?:以上|及以上|or (?:newer|later|above))",
)


class Prior:
    """Rates units for one question, before their words are compared with it."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._names = [asked.terms[number].text for number in sorted(asked.names)]
        self._codes = [term.text for term in asked.terms if term.text[-1:].isdigit()]
        words = {word for term in asked.terms for word in (term.text, *term.joined, *term.parts)}
        self._words = sorted(words, key=len, reverse=True)
        self._definition = Definition.asked_by(asked.text)

    def of(self, item: Candidate) -> float:
        """Higher is better."""
        since = _SINCE_BONUS * bool(self._asked.form.since and item.passage.release and item.unit.row is None)
        return self._of_place(item) + self._of_form(item.unit) + self._of_row(item.unit) + since

    def _of_place(self, item: Candidate) -> float:
        unit, piece = item.unit, item.hit.piece
        value = _PASSAGE_WEIGHT * item.hit.score
        is_command = self._asked.form.literal and (unit.kind == "code" or self._is_setting(unit))  # in every language
        if item.hit.chunk.language == self._asked.language or is_command:
            value += OWN_LANGUAGE_BONUS
        if unit.span.start < piece.end and unit.span.end > piece.start:
            value += _PIECE_BONUS
        if unit.leads:
            value += _LEAD_BONUS
        if self._definition is not None and self._definition.is_given_by(item):
            value += _DEFINING_BONUS
        return value

    def _is_setting(self, unit: Unit) -> bool:
        """Whether a table row is about a name that the question gives, such as a parameter's."""
        return unit.row is not None and any(name in unit.label.latin for name in self._names)

    def _of_form(self, unit: Unit) -> float:
        form, text = self._asked.form, unit.text.folded
        value = 0.0
        if len(unit.shown) < _SHORT:
            value -= _SHORT_COST
        if not form.output and _EXAMPLE.match(text):
            value -= _EXAMPLE_COST
        if form.command and (unit.kind == "code" or "`" in unit.shown):
            value += _COMMAND_BONUS
        if form.yes_or_no:
            value += _DENIAL_BONUS * bool(_DENIES.search(text))
            value += _BOUND_BONUS * bool(self._asked.numbers and _BOUND.search(text))
        if unit.kind == "code" and (is_printed if form.command else is_box)(unit.shown):
            value -= 0 if form.output else _SCREEN_COST
        if form.explanation and unit.row is None and any(name in text[:_OPENING] for name in self._names):
            value += _DEFINITION_BONUS
        return value

    def _of_row(self, unit: Unit) -> float:
        """A row about another variant of what is asked (`RTX 5090 D` for `RTX 5090`) counts less, a sum more."""
        if unit.row is None:
            return 0.0
        value = _TOTAL_BONUS if unit.is_total else 0.0
        if self._asked.form.since and unit.row.versions:
            value += _SINCE_BONUS + _HISTORY_BONUS * min(unit.row.header.releases, _MOST_RELEASES)
        named = unit.label.latin
        if named and len(unit.label.folded) > 1 and all(_is_made_of(word, self._words) for word in named):
            value += _LABEL_BONUS
        if any(code in named for code in self._codes):
            extra = [word for word in named if not _is_made_of(word, self._words)]
            value -= _EXTRA_LABEL_COST * min(len(extra), _MOST_EXTRA)
        return value


def _is_made_of(word: str, parts: Sequence[str]) -> bool:
    """Whether a word is one of the parts, or some of them written together; longer parts come first."""
    for part in parts:
        word = word.replace(part, "", 1) if len(part) > 1 or word == part else word
    return not word
