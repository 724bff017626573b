"""The service over a folder that cannot be written: it answers, and says plainly what it cannot do."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from kb.config import Settings, settings_environ

_START_S = 180.0
_SCRIPT = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "${@:2}"'
"""Makes a folder read only for one process and its children; permissions would not stop root."""


def _in_its_own_mounts(folder: Path, *command: str) -> list[str]:
    return ["unshare", "--map-root-user", "--mount", "bash", "-c", _SCRIPT, "bash", str(folder), *command]


@pytest.fixture
def address(shipped_settings: Settings) -> Iterator[str]:
    folder = shipped_settings.data_dir
    if not shutil.which("unshare") or subprocess.run(_in_its_own_mounts(folder, "true"), check=False).returncode:
        pytest.skip("needs a machine that lets a process mount folders of its own")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = (sys.executable, "-P", "-m", "kb.cli", "serve", "--port", str(port))
    process = subprocess.Popen(
        _in_its_own_mounts(folder, *serve), env=settings_environ(shipped_settings), stderr=subprocess.DEVNULL
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait_until_ready(client: httpx.Client) -> None:
    deadline = time.monotonic() + _START_S
    while True:
        try:
            if client.get("/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < deadline, "the service does not get ready"
        time.sleep(0.2)


def test_it_answers_and_says_what_it_cannot_do(address: str) -> None:
    with httpx.Client(base_url=address, timeout=60) as client:
        _wait_until_ready(client)
        answer = client.post("/v1/ask", json={"question": "What is the memory bandwidth of the T4?"}).json()
        assert "320 GB/s" in answer["answer"]
        rating = {"answer_id": answer["id"], "rating": "up"}
        for path, body in (("/v1/index/jobs", {}), ("/v1/index/rollback", {}), ("/v1/feedback", rating)):
            refused = client.post(path, json=body)
            assert (refused.status_code, refused.json()["code"]) == (507, "storage_unavailable"), path
            assert "read only" in refused.json()["detail"], path
        assert client.get("/readyz").json()["status"] == "ready"
