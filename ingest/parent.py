"""A build that another process started ends with it, however that process ends, and gives way to it."""

from __future__ import annotations

import os
import signal
import sys
import threading

_GRACE_S = 10.0
_KILLED = 137
_NICENESS = 19


def stop_with_parent() -> None:
    """Interrupt this process once standard input, a pipe that its parent holds, comes to its end.

    The parent answers questions meanwhile, so this process only takes what processor time is left.
    """
    os.nice(_NICENESS)
    threading.Thread(target=_watch, name="parent-watch", daemon=True).start()


def _watch() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    # What does not stop for the signal must not hold the lock for ever.
    threading.Event().wait(_GRACE_S)
    os._exit(_KILLED)
