"""Thousands of requests made up from the OpenAPI document, against a whole service of its own.

`python -m bench.robustness.schema [CASES] [--seed N]`; the last line is one of JSON, also appended to bench/results.
The service has keys, a small corpus, the real models and a chat model that says one thing; nothing of it is shared with
another service. No response may be a 5xx or differ from the document, and the log may hold no unforeseen error.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

import schemathesis

from bench.robustness.exploring import Exploration, config_of, explore
from kb.config import Settings, default_cache_dir, settings_environ
from kb.keys import KeyStore, new_key
from kb.version import gpukb_version

ROOT: Final = Path(__file__).parents[2]
RESULTS: Final = ROOT / "bench" / "results" / "schema.jsonl"
_READY_S: Final = 300.0
_EXAMPLES: Final = 50
_FIRST: Final = ("examples", "coverage", "fuzzing", "stateful")
_NEXT: Final = ("fuzzing",)
_CORPUS: Final = {
    "fans.md": "# Fans\n\nThe fan limit of the Kestrel K7 is 2870 rpm.\n",
    "柜.md": "# 星隼 K100\n\n星隼 K100 的柜号是 C-17，功耗为 233 W。\n",
    "table.csv": "card,power\nKestrel K7,120 W\n",
}


@dataclass(frozen=True, slots=True)
class World:
    """A service of its own."""

    url: str
    key: str
    log: Path


def fake_chat() -> Any:
    """The chat model of the tests, which says what it is told to say."""
    path = ROOT / "tests" / "e2e" / "fake_chat_server.py"
    spec = importlib.util.spec_from_file_location("fake_chat_server", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def world(folder: Path) -> Iterator[World]:
    """A service with a corpus, keys and models, once it is ready."""
    chat = fake_chat()
    (folder / "corpus").mkdir()
    for name, text in _CORPUS.items():
        (folder / "corpus" / name).write_text(text, encoding="utf-8")
    key = new_key("schema", scopes=("admin",))
    KeyStore(folder / "data").add(key)
    with chat.FakeChatServer("The Kestrel K7 stops at 2870 rpm [1].").running() as model:
        settings = Settings(
            corpus_dir=folder / "corpus",
            data_dir=folder / "data",
            cache_dir=Path(os.environ.get("TEST_CACHE_DIR") or default_cache_dir()),
            port=0,
            llm_base_url=model.url,
            llm_model=chat.MODEL,
        )
        log = folder / "log.txt"
        with log.open("w") as output:
            # -P: what is served is this checkout, whatever folder this runs in.
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "kb.cli", "serve"],
                env=settings_environ(settings),
                stdout=output,
                stderr=output,
            )
        try:
            yield World(_ready(log, process), key.text, log)
        finally:
            process.terminate()
            process.wait(30)


def _ready(log: Path, process: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + _READY_S
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"Serving on (\S+);", log.read_text(encoding="utf-8"))
        if found:
            with contextlib.suppress(urllib.error.URLError), urllib.request.urlopen(f"{found[1]}/readyz"):
                return found[1]
        time.sleep(0.2)
    raise TimeoutError(log.read_text(encoding="utf-8")[-2000:])


def run(service: World, cases: int, seed: int) -> Exploration:
    """Send requests of one seed after another until there are enough."""
    found = Exploration()
    headers = {"Authorization": f"Bearer {service.key}"}
    for number in count(seed):
        phases = _FIRST if number == seed else _NEXT
        config = config_of(headers, examples=_EXAMPLES, phases=phases, seed=number)
        schema = schemathesis.openapi.from_url(f"{service.url}/openapi.json", config=config, headers=headers)
        explore(schema, found)
        print(f"seed {number}: {found.cases} cases, {len(found.failures)} failures", flush=True)
        if found.cases >= cases or found.errors:
            return found
    raise AssertionError("there is always another seed")


def main() -> None:
    """Run and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="?", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, world(Path(folder)) as service:
        found = run(service, args.cases, args.seed)
        log = service.log.read_text(encoding="utf-8")
    for name, how in found.failures.items():
        print(f"\n{name}\n{how}")
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "gpukb": gpukb_version(),
        "seed": args.seed,
        "cases": found.cases,
        "operations": len(found.operations),
        "statuses": {str(status): number for status, number in sorted(found.statuses.items())},
        "failures": sorted(found.failures),
        "errors": found.errors,
        "unforeseen": log.count("request failed"),
        "keys_in_log": log.count(service.key.rsplit("_", 1)[1]),
        "seconds": round(time.monotonic() - started),
    }
    line = json.dumps(result, ensure_ascii=False)
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    print(line)


if __name__ == "__main__":
    main()
