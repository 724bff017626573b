"""What a large corpus costs to index, and to index again after one of its documents changed.

`python -m bench.scale.rebuild [--documents 10000] [--rounds 5] [--embedded 200] [--into FOLDER]`; the last line is one
of JSON, also appended to bench/results. Vectors of the large corpus are made up, as embedding them all takes an hour on
two cores and a change costs the same whatever they are; the models are the real ones from then on. How fast a whole
build embeds is measured on a smaller corpus, with real vectors.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import numpy as np

from bench.scale.documents import document_name, document_text, write_documents
from ingest.opening import Models, build_from_settings, open_models
from kb.config import Settings, settings_environ
from kb.embeddings.base import Embedder
from kb.index.root import IndexRoot
from kb.types import BuildEvent, Vectors
from kb.version import gpukb_version

RESULTS = Path(__file__).parents[1] / "results" / "scale.jsonl"
_CHANGED = 42


@dataclass
class Outcome:
    """Times in seconds; `cpu_s` is processor time of all processes together.

    Attributes:
        first_cpu_s: a first build without embedding, by stage.
        rebuild_cpu_s, rebuild_s: after one document changed, the whole command: interpreter, models, embedding.
        rebuild_stages_s: wall time of its stages, medians.
        is_identical: the rebuilt index and one built at once have the same bytes.
        embed_share: of a whole build's processor time, what the models take.
    """

    documents: int
    chunks: int = 0
    pieces: int = 0
    first_cpu_s: dict[str, float] = field(default_factory=dict)
    first_peak_mib: int = 0
    rebuild_cpu_s: list[float] = field(default_factory=list)
    rebuild_s: list[float] = field(default_factory=list)
    rebuild_stages_s: dict[str, float] = field(default_factory=dict)
    rebuild_peak_mib: int = 0
    is_identical: bool = False
    embedded_documents: int = 0
    embed_cpu_s_per_document: float = 0.0
    embed_share: float = 0.0


class MadeVectors:
    """A model's name on vectors that are made of checksums: they cost nothing and mean nothing."""

    device = "cpu"
    truncated_inputs = 0

    def __init__(self, model: Embedder) -> None:
        self.info = model.info
        self.count_tokens = model.count_tokens
        self.embed_queries = model.embed_queries

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector for each text."""
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) for text in texts]
        rows = [np.random.default_rng(seed).standard_normal(self.info.dim, dtype=np.float32) for seed in seeds]
        return np.stack([row / np.linalg.norm(row) for row in rows])


class Stages:
    """Processor time by stage, of this process and of those that ended meanwhile."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage = "open"
        self._since = _cpu_s()

    def __call__(self, event: BuildEvent) -> None:
        """Told of a build's progress."""
        if event.stage != self._stage:
            self.end(event.stage)

    def end(self, following: str = "") -> None:
        """The stage that runs is over."""
        now = _cpu_s()
        self.seconds[self._stage] = round(self.seconds.get(self._stage, 0.0) + now - self._since, 2)
        self._stage, self._since = following, now


def run(folder: Path, documents: int, *, rounds: int, embedded: int, cache_dir: Path | None = None) -> Outcome:
    """Build, change one document and build again, in an empty folder."""
    outcome = Outcome(documents)
    settings = Settings(
        corpus_dir=folder / "corpus",
        data_dir=folder / "data",
        catalog="none",
        embedding_threads=1,
        **({"cache_dir": cache_dir} if cache_dir else {}),
    )
    write_documents(settings.corpus_dir, documents)
    models = open_models(settings)
    made = Models(MadeVectors(models.embedder), MadeVectors(models.cross_embedder) if models.cross_embedder else None)
    stages = Stages()
    report = build_from_settings(settings, models=made, on_event=stages)
    stages.end()
    outcome.first_cpu_s, outcome.chunks, outcome.pieces = stages.seconds, report.chunks, report.pieces
    outcome.first_peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    _rebuild(settings, rounds, outcome)
    outcome.is_identical = _is_identical(settings, made, folder / "at-once")
    if embedded:
        _embed(settings, models, embedded, folder, outcome)
    return outcome


def _rebuild(settings: Settings, rounds: int, outcome: Outcome) -> None:
    stages: list[dict[str, float]] = []
    for edition in range(1, rounds + 1):
        path = settings.corpus_dir / document_name(_CHANGED)
        path.write_text(document_text(_CHANGED, edition=edition), encoding="utf-8")
        cpu, began = _children_cpu_s(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-P", "-m", "kb.cli", "index", "build", "--json"],
            env={**settings_environ(settings), "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        outcome.rebuild_s.append(round(time.perf_counter() - began, 2))
        outcome.rebuild_cpu_s.append(round(_children_cpu_s() - cpu, 2))
        report = json.loads(done.stdout.splitlines()[-1])["report"]
        if len(report["changes"]["updated"]) != 1:
            raise RuntimeError(f"one document changed, the build says {report['changes']}")
        stages.append(report["stage_ms"])
    outcome.rebuild_stages_s = {
        name: round(median(one.get(name, 0.0) for one in stages) / 1e3, 2) for name in stages[-1]
    }
    outcome.rebuild_peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


def _is_identical(settings: Settings, models: Models, folder: Path) -> bool:
    """Whether an index that is built at once, of the same vectors, has the same bytes."""
    shutil.copytree(settings.data_dir / "embeddings", folder / "embeddings")
    build_from_settings(settings.model_copy(update={"data_dir": folder}), models=models)
    files = [IndexRoot(path).open_current().manifest.files for path in (settings.data_dir, folder)]
    return files[0] == files[1]


def _embed(settings: Settings, models: Models, documents: int, folder: Path, outcome: Outcome) -> None:
    """How much of a build's processor time goes into the models, were the large corpus embedded too."""
    small = settings.model_copy(update={"corpus_dir": folder / "few", "data_dir": folder / "few-data"})
    write_documents(small.corpus_dir, documents)
    stages = Stages()
    build_from_settings(small, models=models, on_event=stages)
    stages.end()
    outcome.embedded_documents = documents
    outcome.embed_cpu_s_per_document = round(stages.seconds["embed"] / documents, 4)
    models_s = outcome.embed_cpu_s_per_document * outcome.documents
    outcome.embed_share = round(models_s / (models_s + sum(outcome.first_cpu_s.values())), 4)


def _cpu_s() -> float:
    return time.process_time() + _children_cpu_s()


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--embedded", type=int, default=200, help="documents of the corpus that is really embedded")
    parser.add_argument("--into", type=Path, help="an empty folder to work in and keep")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(asked.into or Path(folder), asked.documents, rounds=asked.rounds, embedded=asked.embedded)
    line = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "gpukb": gpukb_version(), **asdict(outcome)}
    print(f"{outcome.documents} documents: one changed takes {median(outcome.rebuild_s)} s, {outcome.rebuild_stages_s}")
    print(json.dumps(line))
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return 0 if outcome.is_identical else 1


if __name__ == "__main__":
    sys.exit(main())
