"""Asks the corpus's own questions in one process: how many are answered right, and how long each stage takes.

usage: python -m bench.quality.answers [--data-dir FOLDER] [--show]

Prints a table and, as its last line, one JSON object. The embedding model is timed alone on the same questions, because
a question answered from documents can not be faster than that.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.config import load_settings
from kb.engine import KnowledgeBase
from kb.factory import open_knowledge_base
from kb.types import STAGES, Answer

EVAL = Path(__file__).resolve().parents[2] / "corpus" / "eval"
_WARM_UP = 40


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its reply."""

    pair: dict[str, Any]
    answer: Answer

    @property
    def is_right(self) -> bool:
        """Whether every group of words is in the answer, and the document is cited."""
        text = _folded(self.answer.text)
        holds = all(any(_folded(word) in text for word in group) for group in self.pair["must_contain"])
        return holds and any(source.doc_id.endswith(self.pair["doc"]) for source in self.answer.sources)


def _folded(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3})", "", re.sub(r"\s+", "", text)).lower()


def read_pairs() -> list[dict[str, Any]]:
    """All questions of the corpus."""
    files = sorted(EVAL.glob("docs_*.jsonl"))
    return [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]


def _median_ms(run: Callable[[str], object], questions: Sequence[str]) -> float:
    times = []
    for question in questions:
        started = time.perf_counter()
        run(question)
        times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times)


def measure(kb: KnowledgeBase, pairs: Sequence[dict[str, Any]]) -> tuple[list[Asked], dict[str, float]]:
    """Ask everything once, warm; medians in milliseconds by stage over the questions that documents answered."""
    for pair in pairs[:_WARM_UP]:
        kb.ask(pair["question"])
    asked = [Asked(pair, kb.ask(pair["question"])) for pair in pairs]
    read = [item.answer for item in asked if item.answer.timings_ms["embed"] is not None]
    medians = {
        stage: round(statistics.median(times), 2)
        for stage in STAGES
        if (times := [answer.timings_ms[stage] or 0.0 for answer in read]) and any(times)
    }
    questions = [pair["question"] for pair in pairs[:: max(1, len(pairs) // 200)]]
    medians["embedder_alone"] = round(_median_ms(lambda text: kb.embedder.embed_queries([text]), questions), 2)
    return asked, medians


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--show", action="store_true", help="print every question that is not answered right")
    args = parser.parse_args()
    kb = open_knowledge_base(load_settings({"data_dir": args.data_dir}))
    asked, medians = measure(kb, read_pairs())
    lengths = sorted(len(item.answer.text) for item in asked)
    right = sum(item.is_right for item in asked)
    if args.show:
        for item in asked:
            if not item.is_right:
                print(item.pair["id"], item.pair["question"], "→", item.answer.text[:200].replace("\n", " "))
    print(f"right and cited    {right} of {len(asked)}")
    print(f"characters         median {lengths[len(lengths) // 2]}, longest {lengths[-1]}")
    for stage, ms in medians.items():
        print(f"{stage:<19}{ms:8.2f} ms, median")
    result = {
        "right": right,
        "questions": len(asked),
        "median_chars": lengths[len(lengths) // 2],
        "p50_ms": medians,
        "p50_over_embedder_ms": round(medians["total"] - medians["embedder_alone"], 2),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "generation": kb.generation.name,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
