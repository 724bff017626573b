"""Builds that are killed at random moments, run out of disk or may not write, while clients of two processes ask.

`python -m bench.resilience.kills [KILLS] [SEED]`; the last line is one of JSON, also appended to bench/results.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from bench.resilience.world import DOCUMENTS, HashEmbedder, editions_in, write_edition
from kb.index.root import ASIDE_PREFIX, IndexRoot
from kb.version import gpukb_version

Harm = Literal["kill -9", "full disk", "read-only folder"]
STAGES = ("start", "scan", "parse", "chunk", "embed", "write", "verify", "swap", "end")
RESULTS = Path(__file__).parents[1] / "results" / "resilience.jsonl"
_ASIDE = (ASIDE_PREFIX, ".CURRENT.", ".PREVIOUS.")
# How long a stage may go on before the kill; the others take milliseconds.
_MOST_S = {"start": 1.0, "parse": 0.6, "write": 0.1, "verify": 0.1}
_PYTHON = (sys.executable, "-P", "-m")
_DISK_BYTES = (200, 1_000, 4_000, 9_000, 16_000, 25_000, 60_000)
# To root nothing is forbidden, so the command that follows sees the folder, which comes first, mounted read only.
_MOUNT = 'data=$0; mount --bind "$data" "$data" && mount -o remount,ro,bind "$data" && exec "$@"'
_READ_ONLY = ("unshare", "--mount", "sh", "-c", _MOUNT)
_ROOT = Path(__file__).parents[2]


@dataclass
class Outcome:
    """What many killed builds did.

    Attributes:
        killed: builds that were killed, by the last stage they had told of.
        completed: builds that were through before the kill came.
        answers: that clients got meanwhile.
        faults: failed or mixed answers, restarts that did not load, generations that got lost, leftovers that stayed.
    """

    kills: int = 0
    killed: dict[str, int] = field(default_factory=dict)
    completed: int = 0
    answers: int = 0
    generations_served: int = 0
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0


def run(folder: Path, kills: int, *, seed: int = 1, clients: int = 20, harm: Harm = "kill -9") -> Outcome:
    """Harm builds and look at what is left.

    Args:
        folder: an empty one to work in.
        kills: how many builds to harm.
        seed: of the moments.
        clients: how many ask meanwhile, in two processes.
        harm: what happens to the builds; the disk is full from a random point of a random stage on.
    """
    chance = random.Random(seed)
    corpus, data = folder / "corpus", folder / "data"
    root = IndexRoot(data)
    started = time.perf_counter()
    outcome = Outcome()
    killed: Counter[str] = Counter()
    write_edition(corpus, 0, chance)
    _started(corpus, data).communicate()
    asking = [_asking(data, clients // 2), _asking(data, clients - clients // 2)]
    edition = 0
    while outcome.kills < kills:
        edition += 1
        write_edition(corpus, edition, chance)
        before = root.current_name()
        stage = STAGES[outcome.kills % len(STAGES)]
        if harm == "kill -9":
            stage = _killed(corpus, data, chance, stage)
        elif harm == "full disk":
            stage = _starved(corpus, data, chance, stage)
        else:
            stage = _refused(corpus, data)
        if stage == "completed":
            outcome.completed += 1
        else:
            killed[stage] += 1
        outcome.kills += 1
        _look(root, before, edition, outcome.faults)
    edition += 1
    write_edition(corpus, edition, chance)
    process = _started(corpus, data)
    _, said = process.communicate()
    if process.returncode:
        outcome.faults.append(f"the build after all of them fails: {said}")
    left = [path.name for path in data.iterdir() if path.name.startswith(_ASIDE)]
    left += root.generations()[:-3]
    if left:
        outcome.faults.append(f"leftovers stay: {left}")
    for process in asking:
        told, _ = process.communicate()
        found = json.loads(told.splitlines()[-1])
        outcome.answers += found["answers"]
        outcome.generations_served += len(found["generations"])
        outcome.faults += found["faults"]
    outcome.killed = dict(sorted(killed.items()))
    outcome.seconds = round(time.perf_counter() - started, 1)
    return outcome


def _killed(corpus: Path, data: Path, chance: random.Random, stage: str) -> str:
    """Kill a build, with all that it started, a random moment after it begins a stage; the stage it had got to."""
    process = _started(corpus, data)
    seen = ["start"]
    reached = threading.Event()
    if stage == "start":
        reached.set()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            seen.append(json.loads(line)["stage"])
            if seen[-1] == stage:
                reached.set()
        reached.set()

    reader = threading.Thread(target=read)
    reader.start()
    reached.wait()
    time.sleep(chance.random() * _MOST_S.get(stage, 0.03))
    is_done = process.poll() is not None
    if not is_done:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    reader.join()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    return "completed" if is_done else seen[-1]


def _starved(corpus: Path, data: Path, chance: random.Random, stage: str) -> str:
    """Let a build run where no file may pass a random size from the beginning of a stage on."""
    return _end_of(
        _started(corpus, data, str(chance.choice(_DISK_BYTES)), "scan" if stage in {"start", "end"} else stage)
    )


def _refused(corpus: Path, data: Path) -> str:
    """Let a build run that may not write into the data folder."""
    if os.geteuid():
        data.chmod(0o555)
    try:
        return _end_of(_started(corpus, data, before=() if os.geteuid() else (*_READ_ONLY, str(data))))
    finally:
        data.chmod(0o755)


def may_forbid() -> bool:
    """Whether a folder can be made read only here."""
    return bool(os.geteuid()) or subprocess.run(["unshare", "--mount", "true"], check=False).returncode == 0


def _end_of(process: subprocess.Popen[str]) -> str:
    """The stage in which a build ended, with one plain line."""
    told, said = process.communicate()
    if process.returncode == 0:
        return "completed"
    if not said.startswith("error: Cannot write") or len(said.splitlines()) > 1:
        return f"no plain reason: {said}"
    return str(json.loads(told.splitlines()[-1])["stage"]) if told else "start"


def _started(corpus: Path, data: Path, *more: str, before: Sequence[str] = ()) -> subprocess.Popen[str]:
    command = [*before, *_PYTHON, "bench.resilience.build_once", str(corpus), str(data), *more]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=_environ()
    )


def _asking(data: Path, threads: int) -> subprocess.Popen[str]:
    command = [*_PYTHON, "bench.resilience.clients", str(data), str(threads)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True, env=_environ()
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def _environ() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"}


def _look(root: IndexRoot, before: str | None, edition: int, faults: list[str]) -> None:
    """What a service that starts now would find."""
    try:
        with root.open_current(HashEmbedder.info) as generation:
            texts = (generation.documents.get(doc_id).text for doc_id in generation.documents.ids())
            editions = editions_in("\n".join(texts))
            name = generation.name
            documents = len(generation.documents)
    except Exception as error:  # whatever a start would show
        faults.append(f"a restart does not load after edition {edition}: {type(error).__name__}: {error}")
        return
    if len(editions) != 1 or documents != DOCUMENTS - 3:
        faults.append(f"{name} holds {documents} documents of editions {sorted(editions)}")
    if name != before and editions != {edition}:
        faults.append(f"{name} was published with edition {sorted(editions)} instead of {edition}")
    if before not in root.generations():
        faults.append(f"{before}, which was served, is lost")


def main() -> int:
    """Run as a program."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    is_clean = True
    shares: tuple[tuple[Harm, int], ...] = (("kill -9", 1), ("full disk", 4), ("read-only folder", 20))
    for what, share in shares:
        with tempfile.TemporaryDirectory() as folder:
            outcome = run(Path(folder), max(1, kills // share), seed=seed, harm=what)
        line = {
            "what": what, "date": datetime.now(UTC).strftime("%Y-%m-%d"), "gpukb": gpukb_version(), "seed": seed,
            **asdict(outcome),
        }  # fmt: skip
        print(f"{what}: {outcome.kills} builds, {outcome.completed} completed, {len(outcome.faults)} faults")
        print(json.dumps(line, ensure_ascii=False))
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        is_clean = is_clean and not outcome.faults
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
