"""A build as a child process: its lines as they come, its last words, and its end in any case."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

import anyio
from anyio.abc import ByteReceiveStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream

from api.schemas.jobs import JobOut
from api.tasks import task_group
from kb.config import Settings, settings_environ

_MAX_LINE_BYTES: Final = 256 * 1024 * 1024
_LAST_LINES: Final = 20
_GRACE_S: Final = 10.0


class BuildProcess:
    """A running `gpukb index build`."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._last: deque[str] = deque(maxlen=_LAST_LINES)

    async def run(self, take: Callable[[str], Awaitable[None]]) -> int:
        """Give each line of output to `take` until the build ends; its exit code, negative for a signal."""
        if self._process.stdout is None or self._process.stderr is None:
            raise RuntimeError("the build has no output")
        async with task_group() as tasks:
            tasks.start_soon(_read, self._process.stderr, self._keep)
            await _read(self._process.stdout, take)
        return await self._process.wait()

    async def _keep(self, line: str) -> None:
        self._last.append(line)

    @property
    def last_words(self) -> str:
        """The error that it ended with, in one line; empty if it said nothing."""
        errors = [line for line in self._last if line.startswith("error: ")]
        return (errors or list(self._last) or [""])[-1].removeprefix("error: ").strip()

    def interrupt(self) -> None:
        """Ask it to end; what was embedded is kept."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    async def end(self) -> None:
        """Ask it to end, then make it."""
        self.interrupt()
        with anyio.move_on_after(_GRACE_S):
            await self._process.wait()
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()


@asynccontextmanager
async def build_process(settings: Settings, job: JobOut, *, wait: bool) -> AsyncIterator[BuildProcess]:
    """The build that a job asks for; it has ended when the block is left.

    It holds a pipe from this process as its standard input, so it notices when this process is killed.

    Args:
        settings: of the build.
        job: what to build.
        wait: let it wait for another build instead of failing.
    """
    command = [sys.executable, "-P", "-m", "kb.cli", "index", "build", "--json", "--stop-on-eof"]
    command += ["--full"] if job.mode == "full" else []
    command += ["--dry-run"] if job.dry_run else []
    command += ["--wait"] if wait else []
    command += [f"--path={path}" for path in job.paths]
    process = await anyio.open_process(
        command,
        stdin=subprocess.PIPE,
        env=settings_environ(settings),
        start_new_session=True,  # an interrupt at the terminal is the server's to pass on
    )
    build = BuildProcess(process)
    try:
        yield build
    finally:
        with anyio.CancelScope(shield=True):
            if process.returncode is None:
                await build.end()
            await process.aclose()


async def _read(stream: ByteReceiveStream, take: Callable[[str], Awaitable[None]]) -> None:
    lines = BufferedByteReceiveStream(stream)
    with suppress(anyio.IncompleteRead, anyio.EndOfStream):
        while True:
            line = await lines.receive_until(b"\n", _MAX_LINE_BYTES)
            await take(line.decode("utf-8", "replace"))
