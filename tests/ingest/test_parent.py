from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os
from ingest.parent import give_way
from kb.config import Settings
for threads in (0, 3):
    print(give_way(Settings(embedding_threads=threads)).embedding_threads)
print(os.nice(0), os.sched_getscheduler(0) == os.SCHED_BATCH if hasattr(os, "SCHED_BATCH") else True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no nice there")
def test_a_build_beside_a_service_takes_what_is_left():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    fewer, asked, priority = done.stdout.splitlines()
    assert 1 <= int(fewer) <= max(1, (os.cpu_count() or 1) // 2)
    assert asked == "3"
    assert priority == f"{min(os.nice(0) + 10, 19)} True"
