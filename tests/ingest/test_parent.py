from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os
from ingest.parent import give_way
from kb.config import Settings
print(give_way(Settings(embedding_threads={threads})).embedding_threads)
print(os.nice(0), os.sched_getscheduler(0) == os.SCHED_BATCH if hasattr(os, "SCHED_BATCH") else True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no nice there")
@pytest.mark.parametrize(("setting", "most"), [(0, max(1, (os.cpu_count() or 1) // 2)), (3, 3)])
def test_a_build_beside_a_service_takes_what_is_left(setting, most):
    script = SCRIPT.replace("{threads}", str(setting))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    threads, priority = done.stdout.splitlines()
    assert max(1, setting) <= int(threads) <= most
    assert priority == f"{min(os.nice(0) + 10, 19)} True"


IGNORING = """
import os, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
from ingest.parent import stop_with_parent
stop_with_parent()
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are other ones there")
def test_a_build_of_a_service_in_the_background_can_be_interrupted():
    command = [sys.executable, "-c", IGNORING]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as build:
        assert build.stdout is not None
        assert build.stdout.read() == "interrupted\n"
