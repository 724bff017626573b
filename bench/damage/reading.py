"""Reads damaged files of every format and counts what becomes of them.

`python -m bench.damage.reading [CASES] [--files FOLDER] [--seed N] [--minutes N]`; the last line is one of JSON, also
appended to bench/results. No file may crash a reader, keep it longer than ten seconds a part, take more memory than
the limit, be read with blocks outside its text, or be refused without a reason.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bench.damage.damaging import damaged_copy
from bench.damage.whole_files import made_files, real_files
from ingest.loaders.base import LoadLimits
from ingest.loaders.reader import Reader, open_reader
from kb.errors import DocumentError
from kb.types import Document
from kb.version import gpukb_version

RESULTS = Path(__file__).parents[1] / "results" / "damage.jsonl"
_STEP_S = 10
_BAD_REASONS = ("crash", "takes more than", "stopped by")


@dataclass
class Outcome:
    """What became of damaged files.

    Attributes:
        read, refused: how many, by the ending of their names.
        faults: crashes, hangs, endless hunger, blocks outside the text, empty reasons.
        slowest_s: wall time of the slowest file, and which it was.
        peak_mib: largest memory that any reading process held.
    """

    cases: int = 0
    files: int = 0
    read: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    slowest: str = ""
    peak_mib: int = 0
    seconds: float = 0.0


def run(
    files: Mapping[str, bytes], folder: Path, cases: int, *, seed: int = 1, minutes: float = float("inf")
) -> Outcome:
    """Damage files in turn and read them.

    Args:
        files: whole ones, by name.
        folder: to write the damaged ones into.
        cases: how many to read.
        seed: of the damage.
        minutes: stop after this time, however many there were.
    """
    outcome = Outcome(files=len(files))
    read: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    names = sorted(files)
    started = time.perf_counter()
    with open_reader(LoadLimits(max_step_seconds=_STEP_S)) as reader:
        for case in range(cases):
            if time.perf_counter() - started > minutes * 60:
                break
            name = names[case % len(names)]
            suffix = name.rsplit(".", 1)[-1].lower()
            path = folder / f"case.{suffix}"
            path.write_bytes(damaged_copy(files[name], random.Random(f"{seed}/{case}")))
            began = time.perf_counter()
            is_read, fault = _read(reader, path)
            took = time.perf_counter() - began
            (read if is_read else refused)[suffix] += 1
            if fault:
                outcome.faults.append(f"seed {seed}, case {case}, {name}: {fault}")
            if took > outcome.slowest_s:
                outcome.slowest_s, outcome.slowest = round(took, 2), name
            outcome.cases += 1
    outcome.read, outcome.refused = dict(sorted(read.items())), dict(sorted(refused.items()))
    outcome.peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    outcome.seconds = round(time.perf_counter() - started, 1)
    return outcome


def _read(reader: Reader, path: Path) -> tuple[bool, str]:
    """Whether a file was read, and what is wrong about that."""
    try:
        document = reader.load(path, path.name)
    except DocumentError as error:
        is_bad = not error.message.strip() or any(sign in error.message for sign in _BAD_REASONS)
        return False, error.message or "no reason" if is_bad else ""
    return True, _misplaced(document)


def _misplaced(document: Document) -> str:
    position = 0
    for block in document.blocks:
        if not position <= block.start < block.end <= len(document.text):
            return f"block {block} of a text of {len(document.text)} characters"
        position = block.end
    return ""


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=20_000)
    parser.add_argument("--files", type=Path, help="damage the files below this folder too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    asked = parser.parse_args()
    files = made_files() | (real_files(asked.files) if asked.files else {})
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(files, Path(folder), asked.cases, seed=asked.seed, minutes=asked.minutes)
    line = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "gpukb": gpukb_version(), "seed": asked.seed}
    line |= asdict(outcome)
    print(f"{outcome.cases} damaged files: {sum(outcome.read.values())} read, {len(outcome.faults)} faults")
    print(json.dumps(line, ensure_ascii=False))
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
