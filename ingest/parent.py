"""A build that another process started ends with it, however that process ends, and gives way to it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path

from kb.config import Settings

_GRACE_S = 10.0
_KILLED = 137
# A tenth of a core that is asked for all the time: the lowest priority would not get through beside a busy service.
_NICENESS = 10
_AUTOGROUP = Path("/proc/self/autogroup")
_MOST_THREADS = 4


def stop_with_parent() -> None:
    """Interrupt this process once standard input, a pipe that its parent holds, comes to its end."""
    # A service that a script put into the background ignores interrupts, and so would what it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_watch, name="parent-watch", daemon=True).start()


def give_way(settings: Settings) -> Settings:
    """Take little more processor time than the parent, which answers questions, leaves; half the cores at most."""
    os.nice(_NICENESS)
    with contextlib.suppress(OSError):  # Linux may weigh sessions before processes, and this one has its own
        _AUTOGROUP.write_text(str(_NICENESS), encoding="ascii")
    if hasattr(os, "SCHED_BATCH"):  # never interrupts another process
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    # Passages are embedded in as many threads as there are cores: they would crowd the parent's out of its caches.
    threads = settings.embedding_threads or max(1, min(os.cpu_count() or 1, _MOST_THREADS) // 2)
    return settings.model_copy(update={"embedding_threads": threads})


def _watch() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    # What does not stop for the signal must not hold the lock for ever.
    threading.Event().wait(_GRACE_S)
    os._exit(_KILLED)
