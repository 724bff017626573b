"""The process that reads files for `ingest.loaders.reader`: one request a line in, one answer a line out.

It lowers its own limits first, so that whatever a file does to a parser ends here: the kernel stops it when a file
takes too much processor time, and an allocation beyond the limit fails.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

from ingest.loaders.archive import read_member
from ingest.loaders.base import LoadLimits
from ingest.loaders.registry import load, load_bytes
from ingest.loaders.wire import document_to_json
from kb.errors import DocumentError


def main() -> None:
    """Answer requests until the other side closes the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the build decides when to stop
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not look like an answer
    for line in sys.stdin:
        request = json.loads(line)
        limits = LoadLimits(**request["limits"])
        try:
            answer = json.dumps(_answer(request, limits), ensure_ascii=False)
        except MemoryError:
            mib = limits.max_memory_bytes // 1024 // 1024
            reason = f"It needs more than {mib} MiB of memory to be read."
            answer = json.dumps({"error": reason, "is_spent": True})
        answers.write(answer + "\n")
        answers.flush()


def _answer(request: dict[str, Any], limits: LoadLimits) -> dict[str, Any]:
    clock = _Clock(limits)
    try:
        path, doc_id, member = Path(request["path"]), request["doc_id"], request["member"]
        if member:
            document = load_bytes(read_member(path, member, limits), doc_id, limits, clock.extend)
        else:
            document = load(path, doc_id, limits, clock.extend)
        return {"document": document_to_json(document)}
    except DocumentError as error:
        return {"error": error.message, "hint": error.hint}


class _Clock:
    """Processor time that a file may take from now on: so much for each step, so much in all."""

    def __init__(self, limits: LoadLimits) -> None:
        self._step = limits.max_step_seconds
        self._end = _used_seconds() + limits.max_seconds
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        memory = limits.max_memory_bytes if hard == resource.RLIM_INFINITY else min(limits.max_memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (memory, hard))
        self.extend()

    def extend(self) -> None:
        """A step is done: the next one has its own time."""
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        soft = int(min(_used_seconds() + self._step, self._end)) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _used_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
