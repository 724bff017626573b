"""What stands around: around a piece of text (`Ambient`) and around a figure in it (`Nearby`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kb.answer.gate.fields import COUNTED
from kb.answer.gate.lexicon import fold_in_place, words_in
from kb.answer.gate.subjects import Cards
from kb.answer.question.scanner import Hit

FRAGMENT = 24
"""Characters of a sentence that says little more than its figure: `250 W though…`."""


@dataclass(slots=True)
class Ambient:
    """What stands around a piece: what its cells' header and row label say, and what was spoken of before.

    Attributes:
        cards: spoken of before, or named by heading, row or column.
        corner: words of the table's first cell, which says what all rows are of.
        members: each card that the sentence before names.
        words: of the header and the row's label, nearest first.
        keys: fields that the sentence before was about.
        words_text: header and label, folded, a line each.
        is_cell: the piece is a table cell.
        follows: it is a further sentence of a paragraph.
        is_far: `cards` is only what the whole text is about; the paragraph names nobody.
        is_first: it is the first cell of its row.
    """

    cards: Cards
    words: list[list[Hit]] = field(default_factory=list)
    keys: tuple[str, ...] = ()
    words_text: str = ""
    is_cell: bool = False
    follows: bool = False
    is_far: bool = False
    is_first: bool = False
    members: tuple[Cards, ...] = ()
    corner: list[Hit] = field(default_factory=list)

    @property
    def all_words(self) -> list[Hit]:
        """The words of header and label together."""
        return [hit for pool in self.words for hit in pool]


@dataclass(frozen=True, slots=True)
class Nearby:
    """Words around a figure, nearest first.

    Attributes:
        before, after: in its clause, not beyond the neighbouring figures; behind it also those in a bracket.
        earlier, later: elsewhere before it; and behind it, before the next figure.
        rest: behind the next figure.
        modifiers: dense, tensor, measured… near it, else in header and label.
        far_modifiers: the last ones before, in other clauses.
    """

    before: Sequence[Hit]
    after: Sequence[Hit]
    earlier: Sequence[Hit]
    later: Sequence[Hit]
    rest: Sequence[Hit]
    modifiers: frozenset[str]
    far_modifiers: frozenset[str]

    @property
    def close(self) -> tuple[Hit, ...]:
        """Before and after together."""
        return (*self.before, *self.after)


def is_counted(hit: Hit) -> bool:
    """Whether a word names something that is counted: cores, SMs, transistors."""
    return hit.is_a("field") and hit.value("field") in COUNTED


def modifiers_in(hits: Iterable[Hit]) -> frozenset[str]:
    """Dense, sparse, tensor, vector, measured and the like among words."""
    hits = list(hits)
    found = {hit.value("modifier") for hit in hits if hit.is_a("modifier")}
    if any(hit.value("qualifier") == "measured" for hit in hits):
        found.add("measured")
    return frozenset(found)


def folded_words(text: str) -> list[Hit]:
    """The lexicon's words in a header, a label or a lead-in."""
    return words_in(fold_in_place(text))
