"""What the gate finds in a text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kb.specs.schema import SpecSource
from kb.types import FactKind

CheckVerdict = Literal["supported", "contradicted", "untyped", "unknown"]


@dataclass(frozen=True, slots=True)
class CheckedFact:
    """One number or named value of a text, what it claims and what is to be said of it.

    Attributes:
        text: as written, at [start, end) of the text.
        kind: `figure` states a field of a card in numbers and `word` in words; `derived` follows from figures (a ratio,
            a difference); `count` counts things; `number` is none of these and could not be typed; all others are no
            figures: part of a card's name, a number format, a date, a list number…
        gpu_ids: the cards it is about: those it is right for, or, where it is wrong, those it could be meant for.
        field: the catalogue's field; `None` where it was not found out.
        value, value_high: in `unit`; `value_high` only for a range.
        qualifier: what the text says with it: `dense`, `per_direction`…
        verdict: `supported`: the catalogue bears it out, or nothing is claimed (a list number, a known card's name);
            `contradicted`: the catalogue says otherwise; `unknown`: the card or the figure is not known;
            `untyped`: what it says, or of which card, was not found out.
        expected: what would be right, as the catalogue writes it.
        reason: why, in the reader's language; also what is to be known of a supported figure (sources that differ).
        source: where the catalogue has its figure from.
    """

    text: str
    start: int
    end: int
    kind: FactKind
    verdict: CheckVerdict
    gpu_ids: tuple[str, ...] = ()
    field: str | None = None
    value: float | str | None = None
    value_high: float | None = None
    unit: str | None = None
    qualifier: str | None = None
    expected: str | None = None
    reason: str | None = None
    source: SpecSource | None = None

    def moved(self, by: int) -> CheckedFact:
        """The same so many characters further on."""
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """How a text fared.

    Attributes:
        numbers: number tokens in the text; named values without a digit (`Hopper`) are not among them.
        typed: those of which the gate knows what they are.
        figures: facts that claim something of a card: figures, words, and what is derived from figures.
    """

    numbers: int
    typed: int
    figures: int
    supported: int
    contradicted: int
    untyped: int
    unknown: int

    @property
    def typed_share(self) -> float:
        """The share of number tokens that are typed; 1 for a text without numbers."""
        return self.typed / self.numbers if self.numbers else 1.0


@dataclass(frozen=True, slots=True)
class CheckedText:
    """Every fact of a text, in order."""

    facts: tuple[CheckedFact, ...]

    @property
    def summary(self) -> CheckSummary:
        """The facts, counted."""
        verdicts = [fact.verdict for fact in self.facts]
        numbers = [f for f in self.facts if f.kind != "word" or any(c.isdigit() for c in f.text)]
        return CheckSummary(
            numbers=len(numbers),
            typed=sum(fact.verdict != "untyped" for fact in numbers),
            figures=sum(fact.kind in ("figure", "word", "derived") for fact in self.facts),
            supported=verdicts.count("supported"),
            contradicted=verdicts.count("contradicted"),
            untyped=verdicts.count("untyped"),
            unknown=verdicts.count("unknown"),
        )
