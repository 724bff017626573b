"""Times `/v1/ask` for one client, question by question, each beside the embedding model alone.

usage: python -m bench.latency.ask http://127.0.0.1:8000 [--rounds 3]

The model runs in this process right after each answer, with nothing else at work, so that both times are taken in the
same second of the same machine; the excess is the median over questions of what an answer took more. Questions that
need no document are left out. Prints a table and, as its last line, one JSON object.
"""

from __future__ import annotations

import argparse
import http.client
import json
import platform
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from bench.quality.answers import read_pairs
from kb.config import load_settings
from kb.embeddings.base import Embedder
from kb.embeddings.registry import embedder_of
from kb.types import STAGES

_EVERY = 4


@dataclass(frozen=True, slots=True)
class Timed:
    """One question, in milliseconds.

    Attributes:
        stages: as the service measured them; `total` among them.
        seen: from the first byte sent to the last received.
        embedder: the model alone.
    """

    stages: Mapping[str, float | None]
    seen: float
    embedder: float


def timed(url: str, questions: Sequence[str], embedder: Embedder, rounds: int) -> Iterator[Timed]:
    """Every question that documents answer, in every round; one round before them warms both sides up."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "127.0.0.1", address.port or 80, timeout=60)
    for round_number in range(rounds + 1):
        for question in questions:
            stages, seen = _asked(connection, question)
            started = time.perf_counter()
            embedder.embed_queries([question])
            alone = _ms_since(started)
            if round_number and stages["embed"] is not None:
                yield Timed(stages, seen, alone)


def _asked(connection: http.client.HTTPConnection, question: str) -> tuple[Mapping[str, float | None], float]:
    body = json.dumps({"question": question, "mode": "extract"})
    started = time.perf_counter()
    connection.request("POST", "/v1/ask", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer = response.read()
    seen = _ms_since(started)
    if response.status != 200:
        raise SystemExit(f"error: the service said {response.status}: {answer.decode(errors='replace')[:300]}")
    stages: Mapping[str, float | None] = json.loads(answer)["timings_ms"]
    return stages, seen


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1e3


def summary(rows: Sequence[Timed]) -> dict[str, Any]:
    """Medians over all rows, in milliseconds."""
    stages = {
        stage: round(statistics.median(times), 2)
        for stage in STAGES
        if (times := [ms for row in rows if (ms := row.stages.get(stage)) is not None])
    }
    totals = [row.stages["total"] or 0.0 for row in rows]
    return {
        "bench": "latency_ask",
        "questions": len(rows),
        "stages_ms": stages,
        "embedder_alone_ms": round(statistics.median(row.embedder for row in rows), 2),
        "excess_ms": round(statistics.median(t - row.embedder for t, row in zip(totals, rows, strict=True)), 2),
        "seen_by_client_ms": round(statistics.median(row.seen for row in rows), 2),
        "excess_seen_ms": round(statistics.median(row.seen - row.embedder for row in rows), 2),
        "machine": platform.machine(),
    }


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    questions = [pair["question"] for pair in read_pairs()[::_EVERY]]
    found = summary(list(timed(options.url, questions, embedder_of(load_settings()), options.rounds)))
    for stage, ms in found["stages_ms"].items():
        print(f"{stage:12} {ms:8.2f} ms")
    for name in ("embedder_alone_ms", "excess_ms", "seen_by_client_ms", "excess_seen_ms"):
        print(f"{name.removesuffix('_ms').replace('_', ' '):18} {found[name]:8.2f} ms")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
