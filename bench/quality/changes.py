"""One change to a true text that makes it false: a digit, a unit, a qualifier, a word or a card's name."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench.quality.statements import Claim, Part, Slot, Statement, opposite
from kb.specs.catalog import Catalog
from kb.specs.fields import sparse_key
from kb.specs.schema import Figure, GpuSpec

_UNITS = {
    "GB": ("TB", "MB"),
    "G": ("T",),
    "GB/s": ("TB/s", "Gb/s", "GB"),
    "TB/s": ("GB/s", "Tb/s"),
    "W": ("kW",),
    "瓦": ("千瓦",),
    "TFLOPS": ("TOPS", "PFLOPS", "GFLOPS"),
    "PFLOPS": ("TFLOPS",),
    "TOPS": ("TFLOPS", "POPS"),
    "POPS": ("TOPS",),
    "MB": ("GB", "KB"),
    "bit": ("GB",),
    "nm": ("mm",),
    "纳米": ("毫米",),
    "MHz": ("GHz",),
    "mm²": ("nm",),
}
_WORDS = {
    "memory_type": ("HBM2", "HBM2e", "HBM3", "HBM3e", "GDDR6", "GDDR6X", "GDDR7"),
    "architecture": ("Ampere", "Hopper", "Ada Lovelace", "Blackwell", "Turing", "Volta", "CDNA 3.0", "RDNA 3.0"),
    "pcie": ("PCIe 3.0 x16", "PCIe 4.0 x16", "PCIe 5.0 x16", "PCIe 4.0 x8"),
}


@dataclass(frozen=True, slots=True)
class Mutation:
    """A text with one change that makes it false."""

    kind: str
    before: str
    after: str
    text: str


class Mutator:
    """Changes one slot of a statement, if that makes it false."""

    def __init__(self, catalog: Catalog, seed: int) -> None:
        self._catalog = catalog
        self._random = random.Random(seed)
        self._cards = [card for card in catalog.gpus.values() if card.tier == 1 and card.per == "card"]
        self.skipped = 0

    def mutate(self, statement: Statement) -> Mutation | None:
        """One change; `None` (and counted) if the chosen one leaves the statement true."""
        slots = [number for number, part in enumerate(statement.parts) if isinstance(part, Slot)]
        number = self._random.choice(slots)
        slot = statement.parts[number]
        assert isinstance(slot, Slot)
        after = self._changed(slot)
        if after is None or after == slot.text:
            self.skipped += 1
            return None
        parts: list[Part] = list(statement.parts)
        parts[number] = replace(slot, text=after)
        return Mutation(slot.kind, slot.text, after, replace(statement, parts=tuple(parts)).text)

    def _changed(self, slot: Slot) -> str | None:
        if slot.kind == "number":
            return self._digit(slot)
        if slot.kind == "unit":
            return self._random.choice(_UNITS.get(slot.text, (None,)))
        if slot.kind == "qualifier":
            return self._qualifier(slot)
        if slot.kind == "word":
            return self._word(slot)
        return self._card(slot)

    def _digit(self, slot: Slot) -> str | None:
        claim = slot.claims[0]
        changed = change_digit(slot.text, self._random)
        before, after = number_of(slot.text), number_of(changed)
        true = float(claim.figure.value or 0) * after / before
        return None if self._is_true(claim.gpu_id, claim.key, true) else changed

    def _qualifier(self, slot: Slot) -> str | None:
        claim = slot.claims[0]
        sibling = sparse_key(claim.key) or claim.key.removesuffix("_sparse")
        if sibling != claim.key and self._is_true(claim.gpu_id, sibling, float(claim.figure.value or 0)):
            return None
        return opposite(slot.text)

    def _word(self, slot: Slot) -> str | None:
        claim = slot.claims[0]
        other = self._random.choice(_WORDS[claim.key])
        held = [str(f.value).lower() for f in self._catalog.entry(claim.gpu_id, claim.key).figures]
        same = any(other.lower() == value or value.startswith(other.lower()) for value in held)
        return None if same else other

    def _card(self, slot: Slot) -> str | None:
        own = self._catalog.get(slot.claims[0].gpu_id)
        near = [card for card in self._cards if card.vendor_id == own.vendor_id and card.gpu_id != own.gpu_id]
        if not near:
            return None
        kin = [card for card in near if card.family == own.family]
        other = self._random.choice(kin if kin and self._random.random() < 0.4 else near)
        return None if all(self._holds_for(other, claim) is not False for claim in slot.claims) else other.name

    def _holds_for(self, other: GpuSpec, claim: Claim) -> bool | None:
        """Whether a claim is true of another card; `None` if nobody knows."""
        entry = other.entries[claim.key]
        if not entry.figures:
            return None if entry.state != "not_supported" else False
        if isinstance(claim.figure.value, str):
            return any(_words_agree(str(f.value), claim.figure.value) for f in entry.figures)
        return self._is_true(other.gpu_id, claim.key, float(claim.figure.value or 0))

    def _is_true(self, gpu_id: str, key: str, value: float) -> bool:
        """Whether a number is one of the card's for that field, or follows from its sparse or dense sibling."""
        spec = self._catalog.get(gpu_id)
        sibling = sparse_key(key)
        numbers = _numbers(spec.entries[key].figures)
        if sibling:
            numbers += [number / 2 for number in _numbers(spec.entries[sibling].figures)]
        elif key.endswith("_sparse"):
            numbers += [number * 2 for number in _numbers(spec.entries[key.removesuffix("_sparse")].figures)]
        return any(abs(value - number) <= max(1e-9, _slack(value, number)) for number in numbers)


def _words_agree(one: str, other: str) -> bool:
    return (
        one.lower() == other.lower() or one.lower().startswith(other.lower()) or other.lower().startswith(one.lower())
    )


def _slack(value: float, number: float) -> float:
    """What rounding to the coarser one of two numbers may leave."""
    decimals = min(len(f"{v:.10g}".partition(".")[2]) for v in (value, number))
    return 0.5 * 10.0**-decimals if decimals or abs(value - number) < 0.5 else 1e-9


def _numbers(figures: Sequence[Figure]) -> list[float]:
    return [bound for figure in figures for bound in (figure.low, figure.high) if bound is not None]


def number_of(text: str) -> float:
    """The value of a written number."""
    return float(text.translate(str.maketrans("０１２３４５６７８９", "0123456789")).replace(",", ""))


def change_digit(text: str, chance: random.Random) -> str:
    """The number with one digit changed; it does not begin with 0 unless it did."""
    places = [i for i, c in enumerate(text) if c.isdigit()]
    place = chance.choice(places)
    first = place == places[0] and len(places) > 1 and text[place] != "0"
    zero = ord("０") if text[place] >= "０" else ord("0")
    digits = [chr(zero + d) for d in range(1 if first else 0, 10) if chr(zero + d) != text[place]]
    return text[:place] + chance.choice(digits) + text[place + 1 :]


class AnswerMutator:
    """Changes one figure of an answer, by the facts the service sends with it."""

    def __init__(self, catalog: Catalog, seed: int) -> None:
        self._catalog = catalog
        self._random = random.Random(seed)
        self.skipped = 0

    def mutate(self, answer: dict[str, Any]) -> Mutation | None:
        """One change; `None` (and counted) if the answer has no figure of a card or stays true."""
        text: str = answer["answer"]
        facts = [
            f for f in answer["facts"] if f["gpu_id"] and f["field"] and isinstance(f["value"], float) and f["unit"]
        ]
        self._random.shuffle(facts)
        kind = self._random.choice(("digit", "unit", "card"))
        for fact in facts:
            shown = re.escape(f"{fact['value']:.10g}")
            places = list(re.finditer(rf"(?<![\d.,]){shown}(?= {re.escape(fact['unit'])}(?![a-zA-Z/]))", text))
            if not places:
                continue
            found = self._change(kind, text, self._random.choice(places), fact)
            if found is not None:
                return found
        self.skipped += 1
        return None

    def _change(self, kind: str, text: str, place: re.Match[str], fact: dict[str, Any]) -> Mutation | None:
        if kind == "card":
            return self._other_card(text, fact)
        if kind == "unit":
            other = self._random.choice(_UNITS.get(fact["unit"], (None,)))
            if other is None:
                return None
            end = place.end() + 1 + len(fact["unit"])
            return Mutation("unit", fact["unit"], other, f"{text[: place.end()]} {other}{text[end:]}")
        after = change_digit(place.group(), self._random)
        kin = self._catalog.families.get(self._catalog.get(fact["gpu_id"]).family, (fact["gpu_id"],))
        known = [n for gpu_id in kin for n in _numbers(self._catalog.entry(gpu_id, fact["field"]).figures)]
        if any(abs(float(after) - number) <= _slack(float(after), number) for number in known):
            return None
        return Mutation("number", place.group(), after, text[: place.start()] + after + text[place.end() :])

    def _other_card(self, text: str, fact: dict[str, Any]) -> Mutation | None:
        """Every mention of a card's name replaced by another card's, of which the figure is false."""
        own = self._catalog.get(fact["gpu_id"])
        names = [name for name in (own.name, own.name_zh) if name in text]
        cards = [
            c
            for c in self._catalog.gpus.values()
            if c.tier == 1 and c.vendor_id == own.vendor_id and c.name not in text
        ]
        if not names or not cards or text.count(names[0]) != 1:
            return None
        other = self._random.choice(cards)
        entry = other.entries[fact["field"]]
        known = _numbers(entry.figures)
        if not known or any(abs(fact["value"] - number) <= _slack(fact["value"], number) for number in known):
            return None
        return Mutation("card", names[0], other.name, text.replace(names[0], other.name))
