"""Units of found passages, each a candidate for the answer, and how much of a question's terms each holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.answer.extract.passage import Passage, Unit
from kb.answer.extract.terms import EMPTY, Term
from kb.types import Hit

Read = Sequence[tuple[Hit, Passage]]
"""Hits and their passages, read."""
Scores = NDArray[np.float64]

CONTEXT_PART: Final = 0.6
"""What a term counts that stands in a heading, a lead or the sentence before."""
HEADER_PART: Final = 0.9
"""The same for the name of a column, which belongs to every row, and for the line that says what a command does."""
_PASSAGE_PART: Final = 0.25
"""The same anywhere in the passage."""


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


def candidates_of(read: Read) -> list[Candidate]:
    """All units, in the order of the hits."""
    return [Candidate(hit, passage, unit, number) for hit, passage in read for number, unit in enumerate(passage.units)]


def presence(terms: Sequence[Term], read: Read) -> Scores:
    """How much of each term each unit holds, 0–1, by itself or by what leads to it; shape (units, terms)."""
    present = np.zeros((sum(len(passage.units) for _, passage in read), len(terms)), np.float64)
    first = 0
    for _, passage in read:
        end = first + len(passage.units)
        for column, term in enumerate(terms):
            if around := term.share_in(passage.text):
                shares = [_own_share(term, unit) for unit in passage.units]
                least = max(CONTEXT_PART * term.share_in(passage.headings), _PASSAGE_PART * around)
                present[first:end, column] = np.maximum(shares, least)
        first = end
    return present


def _own_share(term: Term, unit: Unit) -> float:
    own = term.share_in(unit.text)
    if own == 1 or unit.context is EMPTY:
        return own
    around = term.share_in(unit.context)
    if not around:
        return own
    return max(own, around * (CONTEXT_PART if unit.kind in {"sentence", "item"} else HEADER_PART))
