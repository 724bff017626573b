"""Changes true texts in one place and asks `/v1/verify` whether it notices.

usage: python -m bench.quality.mutations [--texts N] [--seed N] [--show] [--append]

True texts are of three kinds: the service's own answers, asked over HTTP; statements in styles of their own
(`statements.py`); and texts as different people write them (`wordings.yaml`). Each gets one change (`changes.py`): a
digit, a unit, a qualifier, a word or a card's name. One that leaves the text true (the other card has the same figure)
is not counted. Caught means that a fact is `contradicted`; an unchanged text with such a fact is a false alarm. Prints
a table and, as its last line, one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from bench.quality.changes import AnswerMutator, Mutation, Mutator
from bench.quality.statements import Writer
from bench.quality.wordings import WordingWriter
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver

RESULTS = Path(__file__).resolve().parents[1] / "results" / "mutations.jsonl"
Verify = Callable[[str], dict[str, Any]]
Ask = Callable[[str], dict[str, Any]]
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


def wording_pairs(catalog: Catalog, number: int, seed: int) -> tuple[list[tuple[str, Mutation | None]], int]:
    """Texts as different people write them, with a change each."""
    writer, mutator = WordingWriter(catalog, NameResolver(catalog), seed), Mutator(catalog, seed)
    changed = ((statement.text, mutator.mutate(statement)) for statement in writer.texts())
    pairs = list(islice((pair for pair in changed if pair[1] is not None), number))
    return pairs, mutator.skipped


def answer_pairs(catalog: Catalog, ask: Ask, number: int, seed: int) -> tuple[list[tuple[str, Mutation | None]], int]:
    """The service's answers with a change each."""
    mutator = AnswerMutator(catalog, seed)
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
    app = create_app(load_settings({}))
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50000)) as client:
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
            ("wordings", wording_pairs(catalog, args.texts // 2, args.seed)),
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
