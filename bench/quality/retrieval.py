"""How well search finds the passage: in one language, across languages, and with both languages in one corpus.

    python -m bench.quality.retrieval [--mode hybrid|dense|sparse] [--every N]

Prints a table in per cent and, as its last line, one JSON object.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from bench.quality.public_sets import Query, Workbench, passages, queries, table
from kb.index.generation import Generation
from kb.types import SearchMode

# Questions of a set, and the set whose passages they are asked of.
_SETS = (
    ("xquad_zh", "xquad_zh"),
    ("xquad_en", "xquad_en"),
    ("cmrc_trial", "cmrc_trial"),
    ("xquad_zh2en", "xquad_en"),
    ("xquad_en2zh", "xquad_zh"),
)
_MIXED = ("xquad_zh", "xquad_en")


@dataclass(slots=True)
class Scores:
    """Sums over questions."""

    questions: int = 0
    recall: dict[int, int] = field(default_factory=lambda: dict.fromkeys((1, 5, 10), 0))
    mrr: float = 0.0
    ndcg: float = 0.0
    twins: int = 0
    search_ms: list[float] = field(default_factory=list)

    def add(self, ranked: Sequence[str], gold: frozenset[str], twins: frozenset[str], search_ms: float) -> None:
        """Count one question; `ranked` are documents, best first, each once."""
        ranks = [rank for rank, name in enumerate(ranked[:10], start=1) if name in gold]
        best = sum(1 / math.log2(place + 1) for place in range(1, min(10, len(gold)) + 1))
        self.questions += 1
        for depth in self.recall:
            self.recall[depth] += any(rank <= depth for rank in ranks)
        self.mrr += 1 / ranks[0] if ranks else 0
        self.ndcg += sum(1 / math.log2(rank + 1) for rank in ranks) / best
        self.twins += bool(twins & set(ranked[:10]))
        self.search_ms.append(search_ms)

    def figures(self) -> dict[str, float]:
        """Means in per cent, and the median time of a search beyond embedding."""
        means = {f"r{depth}": found / self.questions * 100 for depth, found in self.recall.items()}
        means |= {"mrr10": self.mrr / self.questions * 100, "ndcg10": self.ndcg / self.questions * 100}
        means |= {"twin_r10": self.twins / self.questions * 100, "search_ms": median(self.search_ms)}
        return {name: round(value, 2) for name, value in means.items()}


def measure(bench: Workbench, generation: Generation, asked: Sequence[Query], mode: SearchMode) -> dict[str, float]:
    """Search every question."""
    scores = Scores()
    for query in asked:
        started = time.perf_counter()
        result = bench.retriever.search(generation, query.text, top_k=20, mode=mode)
        elapsed = (time.perf_counter() - started) * 1e3 - result.timings_ms.get("embed", 0.0)
        ranked = list(dict.fromkeys(hit.chunk.doc_id for hit in result.hits))
        twins = frozenset(_twin(name) for name in query.gold)
        scores.add(ranked, query.gold, twins, elapsed)
    return scores.figures()


def _twin(name: str) -> str:
    return name.replace("xquad_zh", "\0").replace("xquad_en", "xquad_zh").replace("\0", "xquad_en")


def _gold_of(asked: Sequence[Query], name: str, corpus: str) -> list[Query]:
    """Questions with the file names of the corpus they are asked of."""
    return [
        Query(query.text, frozenset(file.replace(name, corpus) for file in query.gold), query.answers)
        for query in asked
        if query.gold
    ]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=["hybrid", "dense", "sparse"], default="hybrid")
    parser.add_argument("--every", type=int, default=1, help="only every n-th question")
    arguments = parser.parse_args()
    bench = Workbench()
    results: dict[str, dict[str, float]] = {}
    for name, corpus in _SETS:
        generation = bench.generation(corpus, passages(corpus))
        asked = _gold_of(queries(name), name, corpus)[:: arguments.every]
        results[name] = measure(bench, generation, asked, arguments.mode)
    both = bench.generation("mixed", passages("xquad_zh") | passages("xquad_en"))
    for name in _MIXED:
        results[f"{name} of both"] = measure(bench, both, queries(name)[:: arguments.every], arguments.mode)
    columns = list(next(iter(results.values())))
    print(table(["set", *columns], [[name, *figures.values()] for name, figures in results.items()]))
    print(json.dumps({"bench": "retrieval", "mode": arguments.mode, "every": arguments.every, "sets": results}))


if __name__ == "__main__":
    main()
