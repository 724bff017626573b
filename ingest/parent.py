"""A build that another process started ends with it, however that process ends."""

from __future__ import annotations

import os
import signal
import sys
import threading

_GRACE_S = 10.0
_KILLED = 137


def stop_with_parent() -> None:
    """Interrupt this process once standard input, a pipe that its parent holds, comes to its end."""
    threading.Thread(target=_watch, name="parent-watch", daemon=True).start()


def _watch() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    # What does not stop for the signal must not hold the lock for ever.
    threading.Event().wait(_GRACE_S)
    os._exit(_KILLED)
