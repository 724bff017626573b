"""What a piece of text claims, before it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kb.answer.gate.fields import FieldChoice
from kb.answer.gate.subjects import NOBODY, Cards
from kb.quantity import Quantity
from kb.types import Span


@dataclass(frozen=True, slots=True)
class FigureClaim:
    """A number that says something of a card.

    Attributes:
        span: in the piece.
        quantity: the number; in a table its unit may come from the header.
        qualifiers: what stands with it: `dense`, `per_direction`, `usable`…
        fallback: further readings, tried if the first does not hold (a qualifier that may reach this far).
        cards_count: how many cards it may be the sum of.
        is_sum: the text says it is one.
        denied: the text says that it is wrong.
        contrasted: it only sets it aside ("rather than"), right or wrong.
        is_loose: whether the words around it speak of a load or a machine, so that it may be no figure of the card at
            all; asked only where the catalogue says otherwise, for it is slow.
        up_to: "up to" is written before it, which in data sheets means that it is the figure.
    """

    span: Span
    quantity: Quantity
    choice: FieldChoice
    cards: Cards = NOBODY
    qualifiers: frozenset[str] = frozenset()
    fallback: tuple[FieldChoice, ...] = ()
    cards_count: int = 1
    is_sum: bool = False
    denied: bool = False
    contrasted: bool = False
    is_loose: Callable[[], bool] = bool
    up_to: bool = False


@dataclass(frozen=True, slots=True)
class WordClaim:
    """A word that says something of a card: HBM2e, Hopper, PCIe 5.0, a release date.

    Attributes:
        is_loose: it may be no property of the card: in a sentence about wrong or planned ones, or about something else.
        value: as compared, for example `hbm2e`, `hopper`, `5.0 x16`, `2022-03`.
    """

    span: Span
    field: str
    value: str
    cards: Cards = NOBODY
    denied: bool = False
    is_loose: bool = False
    qualifiers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DerivedClaim:
    """A number that is said to follow from figures.

    Attributes:
        kind: a `ratio` (1.6 times), an `increase` (0.6 times more), `percent` (64 % more), `difference` (1311 GB/s
            more) or `per_watt`.
        pair: the two sides; `None` where they are not named.
        keys: the fields compared; empty where none is named.
        is_explicit: the text names both sides and the field.
        is_of_column: it stands in a table, in a column or row of its kind.
    """

    span: Span
    kind: str
    quantity: Quantity
    pair: tuple[Cards, Cards] | None
    keys: tuple[str, ...]
    is_explicit: bool = False
    is_of_column: bool = False
