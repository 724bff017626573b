"""Fit the weights of the refusal signals (`kb.answer.refusal`), and show how well they carry over.

    python -m bench.quality.fit_refusal

Every half of a set is a corpus: the questions whose passage is in it are answerable, the others are not. Weights are
fitted on all sets but one and judged on that one; then on all, which gives what `kb/answer/refusal.py` holds.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bench.quality.public_sets import Workbench, passages, queries, table
from kb.answer.signals import read_signals

_SIGNALS = ("top", "margin", "lead", "dense", "words", "bigrams", "agreement")
_HALVES = (("xquad_zh", 5), ("xquad_zh", 7), ("xquad_en", 5), ("xquad_en", 7), ("cmrc_trial", 1))

Examples = tuple[NDArray[np.float64], NDArray[np.bool_]]


def examples(bench: Workbench, name: str, seed: int) -> Examples:
    """Signals of every question on a random half of a set, and whether its passage is in that half."""
    chance = random.Random(seed)
    texts = {file: text for file, text in passages(name).items() if chance.random() < 0.5}
    generation = bench.generation(f"{name}-half-{seed}", texts)
    asked = [query for query in queries(name) if query.text.strip()]
    rows = []
    for query in asked:
        result = bench.retriever.search(generation, query.text, top_k=8)
        signals = read_signals(query.text, result, generation)
        rows.append([float(getattr(signals, signal)) for signal in _SIGNALS])
    return np.array(rows), np.array([bool(query.gold & texts.keys()) for query in asked])


def fit(sets: list[Examples], steps: int = 4000, rate: float = 0.8, decay: float = 0.01) -> NDArray[np.float64]:
    """Weights by signal, and the bias last: logistic regression on standardised signals."""
    signals, held = np.concatenate([rows for rows, _ in sets]), np.concatenate([labels for _, labels in sets])
    mean, spread = signals.mean(axis=0), signals.std(axis=0) + 1e-9
    rows = np.c_[(signals - mean) / spread, np.ones(len(signals))]
    weights = np.zeros(rows.shape[1])
    for _ in range(steps):
        chances = 1 / (1 + np.exp(-rows @ weights))
        weights -= rate * (rows.T @ (chances - held) / len(held) + decay * np.r_[weights[:-1], 0])
    raw = weights[:-1] / spread
    return np.r_[raw, weights[-1] - (raw * mean).sum()]


def judged(weights: NDArray[np.float64], rows: NDArray[np.float64], held: NDArray[np.bool_]) -> Mapping[str, float]:
    """Area under the curve, and what is refused of the absent where 5 % of the present are; the threshold for it."""
    strength = rows @ weights[:-1] + weights[-1]
    order = strength.argsort(kind="stable")
    ranks = np.empty(len(strength))
    ranks[order] = np.arange(len(strength))
    present = int(held.sum())
    area = (ranks[held].sum() - present * (present - 1) / 2) / (present * (len(held) - present))
    threshold = float(np.quantile(strength[held], 0.05))
    return {
        "auroc": round(float(area) * 100, 2),
        "absent_refused_at_5": round(float((strength[~held] < threshold).mean()) * 100, 2),
        "threshold": round(threshold, 2),
    }


def main() -> None:
    """Run and print."""
    bench = Workbench()
    sets = {f"{name} half {seed}": examples(bench, name, seed) for name, seed in _HALVES}
    results = {
        left_out: judged(
            fit([rows for name, rows in sets.items() if not name.startswith(left_out[:8])]), *sets[left_out]
        )
        for left_out in sets
    }
    columns = ["auroc", "absent_refused_at_5", "threshold"]
    print(
        table(["judged on, fitted on the others", *columns], [[name, *row.values()] for name, row in results.items()])
    )
    weights = fit(list(sets.values()))
    learned = {name: round(float(value), 2) for name, value in zip((*_SIGNALS, "bias"), weights, strict=True)}
    print(json.dumps({"bench": "fit_refusal", "sets": results, "weights": learned}))


if __name__ == "__main__":
    main()
