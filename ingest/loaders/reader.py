"""Reads files in a process of its own, so that a hostile or damaged one costs no more than itself.

Parsers of other people's formats crash, loop and eat memory. Each file is read by a child process under limits of
processor time and memory; when it dies, the file gets a plain reason and the next one a new child.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from ingest.loaders.base import LoadLimits
from ingest.loaders.wire import document_from_json
from kb.errors import DocumentError
from kb.types import Document

_WALL_FACTOR = 10
"""Wall time per second of processor time that is waited for: the machine may be busy, the disk slow."""
_READ_BYTES = 1 << 20


@contextmanager
def open_reader(limits: LoadLimits | None = None) -> Iterator[Reader]:
    """A reader whose process ends with the block."""
    reader = Reader(limits or LoadLimits())
    try:
        yield reader
    finally:
        reader.close()


@dataclass(frozen=True, slots=True)
class _Child:
    process: subprocess.Popen[bytes]
    requests: IO[bytes]
    answers: IO[bytes]


class Reader:
    """Reads one file after the other. The process starts with the first, if it was not started before."""

    def __init__(self, limits: LoadLimits) -> None:
        self._limits = limits
        self._child: _Child | None = None

    def start(self) -> None:
        """Start the process ahead of the first file: it takes half a second, in which others can work."""
        self._started()

    def load(self, path: Path, doc_id: str, member: str = "") -> Document:
        """Read a file; `member` names one inside the archive `path`.

        Raises:
            DocumentError: it cannot be read, or not within the limits; the message is a plain reason.
        """
        child = self._started()
        request = {"path": str(path), "doc_id": doc_id, "member": member, "limits": asdict(self._limits)}
        try:
            child.requests.write(json.dumps(request).encode() + b"\n")
            line = self._line(child)
        except BrokenPipeError:
            line = b""
        except BaseException:  # an interrupted child has an answer under way that nobody will fetch
            self.close()
            raise
        if not line.endswith(b"\n"):
            raise DocumentError(self._last_words(child))
        answer: dict[str, Any] = json.loads(line)
        if answer.get("is_spent"):
            self.close()
        if "error" in answer:
            raise DocumentError(answer["error"], answer.get("hint", ""))
        return document_from_json(answer["document"])

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            child.process.kill()
            child.process.wait()
            child.requests.close()
            child.answers.close()

    def _started(self) -> _Child:
        if self._child is None:
            process = subprocess.Popen(
                [sys.executable, "-P", "-W", "ignore", "-m", "ingest.loaders.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                # Threads of numerical libraries reserve address space for nothing here.
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
            if process.stdin is None or process.stdout is None:
                raise DocumentError("Its reader cannot be started.")
            self._child = _Child(process, process.stdin, process.stdout)
        return self._child

    def _line(self, child: _Child) -> bytes:
        """The next line of output; cut short if the child ended or took too long."""
        deadline = time.monotonic() + self._limits.max_seconds * _WALL_FACTOR
        parts: list[bytes] = []
        with selectors.DefaultSelector() as selector:
            selector.register(child.answers, selectors.EVENT_READ)
            while not parts or not parts[-1].endswith(b"\n"):
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    break
                part = os.read(child.answers.fileno(), _READ_BYTES)
                if not part:
                    break
                parts.append(part)
        return b"".join(parts)

    def _last_words(self, child: _Child) -> str:
        """Why the child gave no answer; the next file gets a new one."""
        try:
            code = child.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            code = 0
        self.close()
        if code in {0, -signal.SIGXCPU}:
            return f"It takes more than {self._limits.max_step_seconds} seconds to read a part of it."
        if code == -signal.SIGKILL:
            return "Its reading was stopped by the system, most likely for lack of memory."
        return f"It makes its reader crash ({code})."
