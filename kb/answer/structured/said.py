"""Words with the facts and evidence behind them, and putting them together into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.answer.draft import DraftCell, DraftFact, Sentence, Support
from kb.answer.phrases import say
from kb.types import Language

_RATES = {"GB/s", "TB/s", "Gb/s", "MB/s"}
NUMBER = re.compile(r"(?<![A-Za-z\d.])\d+(?:,\d{3})*(?:\.\d+)?")
"""A number in running text, not one inside a code such as `A100` or `FP8`."""


@dataclass(frozen=True, slots=True)
class Said:
    """Words, the numbers in them, and what bears them out."""

    text: str
    facts: tuple[DraftFact, ...] = ()
    supports: tuple[Support, ...] = ()

    def __str__(self) -> str:
        return self.text

    def with_text(self, text: str) -> Said:
        """Other words for the same facts."""
        return Said(text, self.facts, self.supports)


Words = Said | str | int


def combine(text: str, parts: Iterable[Words]) -> Said:
    """Words made of `parts`, with all their facts and evidence, each once."""
    saids = [part for part in parts if isinstance(part, Said)]
    return Said(
        text,
        tuple(dict.fromkeys(fact for said in saids for fact in said.facts)),
        tuple(dict.fromkeys(support for said in saids for support in said.supports)),
    )


def phrase(key: str, language: Language, **words: Words) -> Said:
    """A phrase with its words filled in, keeping what bears them out."""
    return combine(say(key, language, **words), words.values())


def sentence(key: str, language: Language, **words: Words) -> Sentence:
    """A sentence from a phrase."""
    return as_sentence(phrase(key, language, **words))


def as_sentence(said: Said) -> Sentence:
    """Words as a sentence of an answer."""
    return Sentence(said.text, said.supports, said.facts)


def join(parts: Sequence[Said], separator: str) -> Said:
    """Words one after another."""
    return combine(separator.join(part.text for part in parts), parts)


def listed(parts: Sequence[Said], language: Language) -> Said:
    """Words as an enumeration."""
    return join(parts, say("join.list", language) if language == "zh" else ", ")


def listed_clauses(parts: Sequence[Said], language: Language) -> Said:
    """Clauses of one sentence: `a，b，c`; `a, b, and c`."""
    if language == "zh" or len(parts) < 2:
        return join(parts, "，")
    if len(parts) == 2:
        return join(parts, " and ")
    return join([join(parts[:-1], ", "), parts[-1]], ", and ")


def derived(value: float, unit: str = "", *, digits: int = 2, text: str = "") -> Said:
    """A calculated number with its unit."""
    shown = number_text(round(value, digits))
    # A quotient has a unit that figures are not read in (`TOPS/W`); its fact is the bare number.
    fact = DraftFact(
        None, None, float(shown), None if "/" in unit and unit not in _RATES else unit or None, None, "derived"
    )
    return Said(text or (f"{shown} {unit}".strip()), (fact,))


def counted(number: int) -> Said:
    """How many; counted from the catalogue."""
    return Said(str(number), (DraftFact(None, None, float(number), None, None, "derived"),))


def number_text(value: float) -> str:
    """A number as shown: no exponent, no trailing zeros."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.6f}".rstrip("0").rstrip(".")


def numbers_in(text: str) -> list[float]:
    """The numbers of a running text."""
    return [float(match.group().replace(",", "")) for match in NUMBER.finditer(text)]


def cell(said: Said, value: float | str | None, unit: str | None, qualifier: str | None = None) -> DraftCell:
    """A table cell that shows `said`."""
    return DraftCell(said.text, value, unit, qualifier, said.supports, said.facts)
