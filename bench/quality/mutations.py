"""Changes true texts in one place and asks `/v1/verify` whether it notices.

usage: python -m bench.quality.mutations [--texts N] [--seed N] [--show] [--append]

True texts are the service's own answers, asked over HTTP, and statements in styles of their own (`statements.py`).
Each gets one change: a digit, a unit, a qualifier, a word or a card's name. A change that leaves the text true (the
other card has the same figure) is not counted. Caught means that a fact is `contradicted`; an unchanged text with such
a fact is a false alarm. Prints a table and, as its last line, one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.quality.statements import Claim, Part, Slot, Statement, Writer, opposite
from kb.specs.catalog import Catalog
from kb.specs.fields import sparse_key
from kb.specs.names import NameResolver
from kb.specs.schema import Figure, GpuSpec

RESULTS = Path(__file__).resolve().parents[1] / "results" / "mutations.jsonl"
Verify = Callable[[str], dict[str, Any]]
Ask = Callable[[str], dict[str, Any]]

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


# ---------------------------------------------------------------- changes to statements


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


# ---------------------------------------------------------------- the service's own answers

_QUESTIONS = (
    "{card} 的{field}是多少？",
    "{card} {field}",
    "请问 {card} 的{field}有多少",
    "What is the {field} of the {card}?",
    "{card} {field}",
    "How much {field} does the {card} have?",
)
_COMPARING = (
    "对比 {card} 和 {other}",
    "{card} 和 {other} 的{field}谁高",
    "compare {card} and {other}",
    "{card} vs {other} {field}",
)
_ASKED = (
    "memory_gb",
    "memory_bandwidth_gb_s",
    "tdp_w",
    "fp16_tensor_tflops",
    "int8_tops",
    "fp8_tensor_tflops",
    "fp32_tflops",
)


def questions(catalog: Catalog, number: int, seed: int) -> Iterator[str]:
    """Questions about cards of the catalogue in both languages."""
    chance = random.Random(seed)
    cards = [card for card in catalog.gpus.values() if card.tier == 1]
    for _ in range(number):
        card, other = chance.sample(cards, 2)
        key = chance.choice(_ASKED)
        template = chance.choice(_QUESTIONS if chance.random() < 0.6 else _COMPARING)
        if chance.random() < 0.1:
            template = chance.choice(("介绍一下 {card}", "specs of the {card}"))
        zh = any("\u4e00" <= c <= "\u9fff" for c in template)
        yield template.format(card=card.name, other=other.name, field=catalog_label(key, zh=zh))


def catalog_label(key: str, *, zh: bool) -> str:
    """What people call a field."""
    names = {
        "memory_gb": ("显存", "memory"),
        "memory_bandwidth_gb_s": ("显存带宽", "memory bandwidth"),
        "tdp_w": ("功耗", "TDP"),
        "fp16_tensor_tflops": ("FP16 算力", "FP16 performance"),
        "int8_tops": ("INT8 算力", "INT8 performance"),
        "fp8_tensor_tflops": ("FP8 算力", "FP8 performance"),
        "fp32_tflops": ("FP32 算力", "FP32 performance"),
    }
    return names[key][0 if zh else 1]


class AnswerMutator:
    """Changes one figure of an answer, by the facts the service sends with it."""

    def __init__(self, catalog: Catalog, resolver: NameResolver, seed: int) -> None:
        self._catalog = catalog
        self._resolver = resolver
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


# ---------------------------------------------------------------- measuring


@dataclass(slots=True)
class Score:
    """What was measured."""

    texts: int = 0
    false_alarms: int = 0
    mutations: int = 0
    caught: int = 0
    numbers: int = 0
    typed: int = 0
    by_kind: Counter[tuple[str, bool]] = field(default_factory=Counter)
    misses: list[Mutation] = field(default_factory=list)
    alarms: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)


def measure(verify: Verify, pairs: Sequence[tuple[str, Mutation | None]]) -> Score:
    """Verify each text unchanged and changed."""
    score = Score()
    for text, mutation in pairs:
        checked = verify(text)
        wrong = [fact for fact in checked["facts"] if fact["verdict"] == "contradicted"]
        score.texts += 1
        score.numbers += checked["summary"]["numbers"]
        score.typed += checked["summary"]["typed"]
        if wrong:
            score.false_alarms += 1
            score.alarms.append((text, wrong))
        if mutation is None:
            continue
        caught = verify(mutation.text)["summary"]["contradicted"] > len(wrong)
        score.mutations += 1
        score.caught += caught
        score.by_kind[mutation.kind, caught] += 1
        if not caught:
            score.misses.append(mutation)
    return score


def statement_pairs(catalog: Catalog, number: int, seed: int) -> tuple[list[tuple[str, Mutation | None]], int]:
    """Statements with a change each, and how many changes were dropped because they stay true."""
    writer, mutator = Writer(catalog, seed), Mutator(catalog, seed)
    pairs: list[tuple[str, Mutation | None]] = []
    while len(pairs) < number:
        statement = writer.write()
        mutation = mutator.mutate(statement)
        if mutation is not None:
            pairs.append((statement.text, mutation))
    return pairs, mutator.skipped


def answer_pairs(catalog: Catalog, ask: Ask, number: int, seed: int) -> tuple[list[tuple[str, Mutation | None]], int]:
    """The service's answers with a change each."""
    mutator = AnswerMutator(catalog, NameResolver(catalog), seed)
    pairs: list[tuple[str, Mutation | None]] = []
    for question in questions(catalog, number * 3, seed):
        if len(pairs) == number:
            break
        answer = ask(question)
        mutation = mutator.mutate(answer)
        if mutation is not None:
            pairs.append((answer["answer"], mutation))
    return pairs, mutator.skipped


def show(score: Score, title: str) -> None:
    """Print what went wrong."""
    for text, wrong in score.alarms:
        print(f"-- false alarm ({title})\n{text}")
        for fact in wrong:
            print(f"   {fact['text']} {fact['field']} {fact['gpu_ids']} {fact['expected']} {fact['reason']}")
    for miss in score.misses:
        print(f"-- missed ({title}) {miss.kind}: {miss.before} → {miss.after}\n{miss.text}")


def row(score: Score) -> dict[str, Any]:
    """A score as a line of results."""
    kinds = sorted({kind for kind, _ in score.by_kind})
    return {
        "texts": score.texts,
        "false_alarms": score.false_alarms,
        "mutations": score.mutations,
        "caught": score.caught,
        "caught_share": round(score.caught / max(1, score.mutations), 4),
        "typed_share": round(score.typed / max(1, score.numbers), 4),
        "by_kind": {k: f"{score.by_kind[k, True]}/{score.by_kind[k, True] + score.by_kind[k, False]}" for k in kinds},
    }


def main() -> None:
    """Measure and print."""
    from fastapi.testclient import TestClient

    from api.app import create_app
    from kb.config import load_settings

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print every miss and false alarm")
    parser.add_argument("--append", action="store_true", help="append the result to bench/results/mutations.jsonl")
    args = parser.parse_args()
    with TestClient(create_app(load_settings({}))) as client:
        while client.get("/readyz").status_code != 200:
            time.sleep(0.1)
        catalog = client.app.state.gpukb.knowledge.current().catalog  # type: ignore[attr-defined]

        def verify(text: str) -> dict[str, Any]:
            return client.post("/v1/verify", json={"text": text}).json()  # type: ignore[no-any-return]

        def ask(question: str) -> dict[str, Any]:
            return client.post("/v1/ask", json={"question": question}).json()  # type: ignore[no-any-return]

        result: dict[str, Any] = {"seed": args.seed}
        for title, (pairs, skipped) in (
            ("statements", statement_pairs(catalog, args.texts // 2, args.seed)),
            ("answers", answer_pairs(catalog, ask, args.texts - args.texts // 2, args.seed)),
        ):
            score = measure(verify, pairs)
            if args.show:
                show(score, title)
            result[title] = {**row(score), "left_true": skipped}
            print(f"{title:<12}{json.dumps(result[title])}")
    if args.append:
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
