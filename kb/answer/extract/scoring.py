"""How well each unit of the found passages answers a question or one part of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kb.answer.expected import Expected
from kb.answer.extract.aspects import Asked
from kb.answer.extract.passage import Passage, Unit
from kb.answer.extract.terms import Term, Text, coverage
from kb.retrieval.query import codes_in
from kb.types import Hit

_PASSAGE_WEIGHT: Final = 0.55
_PIECE_BONUS: Final = 0.06
_KIND_COST: Final = 0.12
_UNIT_KIND_COST: Final = 0.2
_MISSING_CODE_COST: Final = 0.35
_DISTANT_CODE_COST: Final = 0.08
_RIVAL_COST: Final = 0.15
_COMMAND_BONUS: Final = 0.06
_SHORT_COST: Final = 0.08
_SHORT: Final = 8


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit of a hit.

    Attributes:
        number: its place among the passage's units.
        order: over all passages.
        scope: heading path, title and caption, and what leads to it, to compare.
    """

    hit: Hit
    passage: Passage
    unit: Unit
    number: int
    order: int

    @property
    def key(self) -> tuple[str, int]:
        """Identity."""
        return self.hit.chunk.chunk_id, self.number


def candidates_of(hits: Sequence[tuple[Hit, Passage]]) -> list[Candidate]:
    """All units, in the order of the hits."""
    found: list[Candidate] = []
    for hit, passage in hits:
        for number, unit in enumerate(passage.units):
            found.append(Candidate(hit, passage, unit, number, len(found)))
    return found


def covered(terms: Iterable[Term], candidate: Candidate) -> float:
    """Part of the terms that the unit holds, by itself or by what leads to it."""
    unit, passage = candidate.unit, candidate.passage
    context = Text(unit.context.folded + "\n" + passage.headings.folded, unit.context.latin | passage.headings.latin)
    return coverage(terms, unit.text, context, passage.text)


def score(
    terms: Sequence[Term], kinds: Sequence[Expected], codes: Sequence[str], asked: Asked, item: Candidate
) -> float:
    """Higher is better; comparable between the units of one search."""
    value = covered(terms, item) + _PASSAGE_WEIGHT * item.hit.score
    if _in_piece(item):
        value += _PIECE_BONUS
    value -= _kind_cost(kinds, item) + _code_cost(codes, item)
    if asked.wants_command and (item.unit.kind == "code" or "`" in item.unit.shown):
        value += _COMMAND_BONUS
    if len(item.unit.shown) < _SHORT:
        value -= _SHORT_COST
    return value


def holds_kinds(kinds: Sequence[Expected], item: Candidate) -> bool:
    """Whether the unit holds every kind of thing that is wanted."""
    return not _kind_cost(kinds, item)


def _in_piece(item: Candidate) -> bool:
    piece, span = item.hit.piece, item.unit.span
    return span.start < piece.end and span.end > piece.start


def _kind_cost(kinds: Sequence[Expected], item: Candidate) -> float:
    cost = 0.0
    for kind in kinds:
        if not kind.held.search(_held_text(item.unit)):
            cost += _UNIT_KIND_COST if kind.is_unit else _KIND_COST
    return cost


def _held_text(unit: Unit) -> str:
    return f"{unit.context.folded}\n{unit.text.folded}" if unit.row is not None else unit.text.folded


def _code_cost(codes: Sequence[str], item: Candidate) -> float:
    if not codes:
        return 0.0
    near = item.unit.text.latin | item.unit.context.latin | item.passage.headings.latin
    cost = 0.0
    missing = 0
    for code in codes:
        if code in near:
            continue
        missing += 1
        cost += _DISTANT_CODE_COST if code in item.passage.text.latin else _MISSING_CODE_COST
    if missing == len(codes) and codes_in(item.unit.text.folded):
        cost += _RIVAL_COST * len(codes)
    return cost / len(codes)
