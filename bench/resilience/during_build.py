"""What a build costs those who ask meanwhile: the same questions with and without one, in turn.

`python -m bench.resilience.during_build [--rounds 4] [--seconds 30] [--data FOLDER]`; the last line is one of JSON,
also appended to bench/results. A real service on two cores, over HTTP, one client, questions that documents answer; the
build embeds everything anew and so never ends by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
import numpy as np

from bench.scale.documents import write_documents
from kb.config import ENV_PREFIX, default_cache_dir, default_corpus_dir
from kb.version import gpukb_version

RESULTS = Path(__file__).parents[1] / "results" / "during_build.jsonl"
_EVERY = 5
_CORES = 2
_READY_S = 120.0


@dataclass
class Outcome:
    """Milliseconds that a client waits.

    Attributes:
        p50_ms, p95_ms: without a build, and with one.
        cost_p95: how much longer the slowest twentieth takes with a build, 0.25 for a quarter.
        rounds_cost_p95: the same for each round by itself.
    """

    asked: int = 0
    p50_ms: tuple[float, float] = (0.0, 0.0)
    p95_ms: tuple[float, float] = (0.0, 0.0)
    cost_p95: float = 0.0
    rounds_cost_p95: list[float] = field(default_factory=list)
    embedded_meanwhile: int = 0


@contextmanager
def service(corpus: Path, data: Path, cache: Path) -> Iterator[httpx.Client]:
    """A real `gpukb serve`, once it is ready."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(ENV_PREFIX)}
    environ |= {"GPUKB_CORPUS_DIR": str(corpus), "GPUKB_DATA_DIR": str(data), "GPUKB_CACHE_DIR": str(cache)}
    command = [sys.executable, "-P", "-m", "kb.cli", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            address = next(word for line in process.stderr for word in line.split() if word.startswith("http://"))
            with httpx.Client(base_url=address.rstrip("/.;"), timeout=60) as client:
                deadline = time.monotonic() + _READY_S
                while client.get("/readyz").status_code != 200:
                    if time.monotonic() > deadline:
                        raise RuntimeError("the service does not get ready")
                    time.sleep(0.2)
                yield client
        finally:
            process.terminate()
            process.stderr.read()


def questions() -> list[str]:
    """Some of those that come with the shipped corpus, of both languages."""
    files = sorted((default_corpus_dir() / "eval").glob("docs_*.jsonl"))
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    return [json.loads(line)["question"] for line in lines[::_EVERY]]


def run(client: httpx.Client, *, rounds: int, seconds: float, seed: int = 1) -> Outcome:
    """Ask with and without a build in turn."""
    texts = questions()
    chance = random.Random(seed)
    quiet: list[float] = []
    busy: list[float] = []
    outcome = Outcome()
    _asked(client, texts, seconds / 3, chance)
    for _ in range(rounds):
        without = _asked(client, texts, seconds, chance)
        job = client.post("/v1/index/jobs", json={"mode": "full"}).raise_for_status().json()["id"]
        while _stage(client, job)[0] != "embed":
            time.sleep(0.2)
        before = _stage(client, job)[1]
        during = _asked(client, texts, seconds, chance)
        outcome.embedded_meanwhile += _stage(client, job)[1] - before
        client.delete(f"/v1/index/jobs/{job}").raise_for_status()
        while client.get(f"/v1/index/jobs/{job}").json()["state"] in {"queued", "running"}:
            time.sleep(0.2)
        quiet += without
        busy += during
        outcome.rounds_cost_p95.append(round(_p(95, during) / _p(95, without) - 1, 3))
    outcome.asked = len(quiet) + len(busy)
    outcome.p50_ms = (round(_p(50, quiet), 1), round(_p(50, busy), 1))
    outcome.p95_ms = (round(_p(95, quiet), 1), round(_p(95, busy), 1))
    outcome.cost_p95 = round(_p(95, busy) / _p(95, quiet) - 1, 3)
    return outcome


def _asked(client: httpx.Client, texts: Sequence[str], seconds: float, chance: random.Random) -> list[float]:
    """How long each answer took, over a stretch of time."""
    took = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        question = chance.choice(texts)
        began = time.perf_counter()
        reply = client.post("/v1/ask", json={"question": question}).raise_for_status().json()
        took.append((time.perf_counter() - began) * 1e3)
        if not reply["answer"]:
            raise RuntimeError(f"no answer to {question!r}")
    return took


def _stage(client: httpx.Client, job_id: str) -> tuple[str, int]:
    job = client.get(f"/v1/index/jobs/{job_id}").json()
    if job["state"] not in {"queued", "running"}:
        raise RuntimeError(f"the build has ended: {job}")
    stages = job["stages"]
    return (stages[-1]["name"], stages[-1]["done"]) if stages else ("", 0)


def _p(share: float, values: Sequence[float]) -> float:
    return float(np.percentile(values, share))


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--data", type=Path, help="an index of the shipped corpus to begin with")
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:_CORES])
    with tempfile.TemporaryDirectory() as folder:
        corpus, data = Path(folder) / "corpus", Path(folder) / "data"
        shutil.copytree(default_corpus_dir(), corpus)
        write_documents(corpus / "many", 300)  # enough to embed for as long as it takes
        if asked.data:
            shutil.copytree(asked.data, data)
        with service(corpus, data, default_cache_dir()) as client:
            outcome = run(client, rounds=asked.rounds, seconds=asked.seconds)
    line = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "gpukb": gpukb_version(), **asdict(outcome)}
    print(f"p95 {outcome.p95_ms[0]} ms without a build, {outcome.p95_ms[1]} ms with one: {outcome.cost_p95:+.1%}")
    print(json.dumps(line))
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
