"""How often a question is refused whose passage is missing, and how often one whose passage is there.

    python -m bench.quality.refusal [--every N]

The threshold is learned from each corpus itself, as a build does. `near`: passages of the same article remain.
`of another corpus`: the questions belong to other articles. Prints a table in per cent and one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence

from bench.quality.public_sets import Query, Workbench, passages, queries, table
from kb.answer.calibration import calibration_of
from kb.answer.refusal import Calibration, decide
from kb.answer.signals import read_signals
from kb.index.generation import Generation

_NEAR = ("ref_xquad_zh_near", "ref_xquad_en_near")
_OFF_TOPIC = (("cmrc_trial", "ref_xquad_zh_near"), ("xquad_zh", "cmrc_trial"))


def refused(bench: Workbench, generation: Generation, asked: Sequence[Query], calibration: Calibration) -> float:
    """Part of the questions that is refused, per cent."""
    count = 0
    for query in asked:
        result = bench.retriever.search(generation, query.text, top_k=8)
        count += decide(read_signals(query.text, result, generation), calibration).refuse
    return count / max(1, len(asked)) * 100


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="only every n-th question")
    arguments = parser.parse_args()
    bench = Workbench()
    results: dict[str, dict[str, float | None]] = {}
    for name in (*_NEAR, "cmrc_trial, half"):
        texts, asked = _half_of_cmrc() if "half" in name else (passages(name), queries(name))
        generation = bench.generation(name.replace(", ", "-"), texts)
        calibration = calibration_of(generation, bench.retriever)
        asked = asked[:: arguments.every]
        present = [query for query in asked if query.gold & texts.keys()]
        absent = [query for query in asked if not query.gold & texts.keys()]
        results[name] = {
            "absent_refused": round(refused(bench, generation, absent, calibration), 2),
            "present_refused": round(refused(bench, generation, present, calibration), 2),
            "threshold": round(calibration.threshold, 2),
        }
    for name, corpus in _OFF_TOPIC:
        generation = bench.generation(corpus, passages(corpus))
        calibration = calibration_of(generation, bench.retriever)
        asked = [query for query in queries(name) if query.text.strip()][:: 4 * arguments.every]
        results[f"{name} of another corpus: {corpus}"] = {
            "absent_refused": round(refused(bench, generation, asked, calibration), 2),
            "present_refused": None,
            "threshold": round(calibration.threshold, 2),
        }
    columns = ["absent_refused", "present_refused", "threshold"]
    print(table(["set", *columns], [[name, *(row[column] for column in columns)] for name, row in results.items()]))
    print(json.dumps({"bench": "refusal", "every": arguments.every, "sets": results}))


def _half_of_cmrc() -> tuple[dict[str, str], list[Query]]:
    chance = random.Random(1)
    texts = {name: text for name, text in passages("cmrc_trial").items() if chance.random() < 0.5}
    return texts, [query for query in queries("cmrc_trial") if query.text.strip()]


if __name__ == "__main__":
    main()
