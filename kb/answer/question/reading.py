"""A question half read: the words found in it, before it is decided what they ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kb.answer.question.clauses import Clause
from kb.answer.question.fields_asked import FieldReading
from kb.answer.question.figures import Stated
from kb.answer.question.model import Chip, Condition, Workload
from kb.answer.question.scanner import Hit
from kb.specs.names import Mention


@dataclass(slots=True)
class Reading:
    """What every rule works on.

    Attributes:
        asked_text: the text with instructions to the service blanked.
        folded: folded in place, with names and figures blanked.
        unexplained: words of substance that no entry of the vocabulary accounts for.
        reference: a card that only bounds others; it is no longer among `cards`.
    """

    text: str
    asked_text: str
    folded: str
    clauses: list[Clause]
    cards: tuple[Mention, ...]
    excluded: tuple[Mention, ...]
    unknown: tuple[Mention, ...]
    stated: list[Stated]
    asked: FieldReading
    unexplained: tuple[str, ...]
    injected: bool
    chips: tuple[Chip, ...] = ()
    reference: Mention | None = None
    workload: Workload | None = None
    conditions: list[Condition] = field(default_factory=list)
    years: list[Condition] = field(default_factory=list)

    def has(self, *kinds: str) -> bool:
        """Whether any clause holds a word of those kinds."""
        return any(clause.has(*kinds) for clause in self.clauses)

    @property
    def asks_yes_no(self) -> bool:
        """Whether any clause wants a yes or a no."""
        return any(clause.asks_yes_no for clause in self.clauses)

    def hits(self, kind: str) -> list[Hit]:
        """All words of that kind."""
        return [hit for clause in self.clauses for hit in clause.of_kind(kind)]


def unexplained_weight(words: Sequence[str]) -> float:
    """How much of the question no rule accounts for, in words (two Chinese characters count as one)."""
    return sum(1.0 if word.isascii() else len(word) / 2 for word in words)
