"""Facts of a draft, put to the numbers that show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kb.answer.draft import DraftFact, Support
from kb.answer.gate import CheckedFact
from kb.answer.witness import DIGITS, FIGURES, agrees, same
from kb.quantity import NumberToken
from kb.text import fold
from kb.types import FactKind


def own_fact(token: NumberToken, unplaced: list[DraftFact], facts: Sequence[DraftFact]) -> DraftFact | None:
    """The fact of which a number is the text: the first that is not yet placed, else one that is written again."""
    for place, fact in enumerate(unplaced):
        if _is_shown(token, fact):
            # A text's number stands for the whole of it: "PCIe 4.0 x16".
            return _placed(unplaced.pop(place), token)
    again = next((fact for fact in facts if _is_shown(token, fact)), None)
    return None if again is None else _placed(again, token)


def _placed(fact: DraftFact, token: NumberToken) -> DraftFact:
    kind: FactKind = "figure" if fact.field else "derived"
    if token.kind not in FIGURES or isinstance(fact.value, str):
        kind = "word" if fact.field else _kind_of(token)
    return replace(fact, kind=kind, text=token.text, start=token.start, end=token.end)


def placed_word(fact: DraftFact, text: str) -> DraftFact:
    """A named value without a number in it (`Hopper`), where it stands."""
    start = text.find(str(fact.value))
    if start < 0:
        return replace(fact, kind="word")
    return replace(fact, kind="word", text=str(fact.value), start=start, end=start + len(str(fact.value)))


def plain_fact(token: NumberToken, support: Support | None, kind: FactKind | None = None) -> DraftFact:
    """A number that quotes or the question bear out, or that claims nothing."""
    quantity = token.quantity if token.kind in FIGURES else None
    return DraftFact(
        gpu_id=None,
        field=None,
        value=token.text if quantity is None else quantity.value,
        unit=(quantity.unit or None) if quantity else None,
        qualifier=(", ".join(quantity.qualifiers) or None) if quantity else None,
        verdict="supported",
        support=support,
        kind=kind or _kind_of(token),
        text=token.text,
        start=token.start,
        end=token.end,
    )


def _kind_of(token: NumberToken) -> FactKind:
    if token.kind == "quantity":
        return "figure"
    return "number" if token.kind == "plain" else token.kind


def _is_shown(token: NumberToken, fact: DraftFact) -> bool:
    """Whether a number is the text of a fact's value, in whatever unit it is written."""
    if token.quantity is None:
        # The word behind a year belongs to the language.
        return fold(token.text).removesuffix("年").rstrip() in fold(str(fact.value))
    if isinstance(fact.value, str):
        return any(agrees(token.quantity, float(n.replace(",", ""))) for n in DIGITS.findall(fact.value))
    return same(token.quantity, float(fact.value), fact.unit or "")


def typed(fact: DraftFact, checked: Sequence[CheckedFact], offset: int) -> DraftFact:
    """A quoted number with the card and field that the fact gate found it to be about."""
    if fact.start is None or fact.gpu_id is not None:
        return fact
    start = fact.start + offset
    read = next((c for c in checked if c.start == start and c.verdict == "supported" and c.gpu_ids), None)
    if read is None:
        return fact
    return replace(fact, gpu_id=read.gpu_ids[0], field=read.field, qualifier=read.qualifier, kind=read.kind)
