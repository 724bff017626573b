"""`gpukb serve` as a process of its own: what it refuses, and a first start from nothing to an answer."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.auth.machine import is_loopback
from api.cli import address_of, listen, require_private_address
from kb.config import Settings
from kb.errors import ConfigError, KbError
from kb.keys import KeyStore, new_key

QUESTION = "星隼K9 的显存带宽是多少？"


@pytest.mark.parametrize(
    ("host", "own"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("10.0.0.1", False), ("x", False)],
)
def test_only_this_machine_is_loopback(host: str, own: bool) -> None:
    assert is_loopback(host) is own


def test_with_a_key_others_may_reach_the_service(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, host="0.0.0.0")
    with pytest.raises(ConfigError, match=r"no keys are set up\. Make one with `gpukb keys new NAME`"):
        require_private_address(settings)
    store = KeyStore(tmp_path)
    store.add(new_key("a"))
    require_private_address(settings)
    store.revoke("a")
    with pytest.raises(ConfigError, match="no key is valid any more"):
        require_private_address(settings)
    require_private_address(settings.model_copy(update={"insecure": True}))


def test_an_address_that_is_not_ours() -> None:
    with pytest.raises(ConfigError, match="is no address of this machine"):
        listen("203.0.113.1", 0)


def test_any_free_port_is_shown_as_it_is() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert re.fullmatch(r"http://127\.0\.0\.1:[1-9]\d+", address_of(listener))


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(KbError) as refused:
            listen("127.0.0.1", port)
    assert str(refused.value) == (
        f"Port {port} on 127.0.0.1 is in use. Stop the other program or choose another with --port."
    )


class Served:
    """A `gpukb serve` process with folders of its own."""

    def __init__(self, folder: Path, *args: str) -> None:
        self.log = folder / "log.txt"
        self.log.touch()
        keep = {name: value for name, value in os.environ.items() if not name.startswith("GPUKB_")}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "kb.cli", "serve", "--port", "0", "--data-dir", str(folder / "data"), *args],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={**keep, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
            )

    @property
    def output(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait_for(self, pattern: str, timeout_s: float = 120.0) -> re.Match[str]:
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if found := re.search(pattern, self.output):
                return found
            assert self.process.poll() is None, self.output
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} did not come:\n{self.output}")

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


def get(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--host", "0.0.0.0"], 2, "error: 0.0.0.0 can be reached by others, and no keys are set up."),
        (["--log-level", "loud"], 2, "error: --log-level 'loud' is not possible: it must be one of debug, info"),
        (["--corpus-dir", "missing"], 1, "missing"),
        (["--corpus-dir", "empty"], 1, "empty"),
    ],
)
def test_what_cannot_work_ends_in_a_line_and_a_code(tmp_path: Path, args: list[str], code: int, message: str) -> None:
    (tmp_path / "empty").mkdir()
    served = Served(tmp_path, *args)
    assert served.process.wait(60) == code
    assert message in served.output
    assert "Traceback" not in served.output
    assert served.output.splitlines()[-1].startswith("error: ")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    folder = tmp_path_factory.mktemp("service")
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "k9.md").write_text(
        "---\ntitle: 星隼K9 手册\n---\n\n# 星隼K9\n\n星隼K9 的显存带宽为 777 GB/s，功耗为 180 W。\n\n"
        "## 维护\n\n星隼K9 每 21 天清洗一次。\n",
        encoding="utf-8",
    )
    (corpus / "wiki.txt").write_text("The falcon K9 is stored in cabinet C-17.\n", encoding="utf-8")
    served = Served(folder, "--corpus-dir", str(corpus), "--catalog", "none")
    try:
        address = served.wait_for(r"page +(http://127\.0\.0\.1:\d+)/").group(1)
        yield served, address
    finally:
        served.stop()


def test_a_first_start_builds_serves_and_says_what_to_try(service: tuple[Served, str]) -> None:
    served, address = service
    assert "There is no index" in served.output
    assert "is ready" in served.output
    assert f"curl -s {address}/v1/ask" in served.output
    assert get(f"{address}/readyz")["status"] == "ready"


def test_a_question_is_answered_with_its_place(service: tuple[Served, str]) -> None:
    _, address = service
    answer = get(f"{address}/v1/ask", {"question": QUESTION})
    assert answer["status"] == "answered"
    assert "777 GB/s" in answer["answer"]
    citation = answer["citations"][0]
    text = get(f"{address}/v1/documents/{citation['doc_id']}")["text"]
    assert text[citation["doc_start"] : citation["doc_end"]] == citation["quote"]


def test_passages_are_found(service: tuple[Served, str]) -> None:
    _, address = service
    found = get(f"{address}/v1/search", {"query": "C-17 cabinet", "top_k": 2})
    assert found["data"][0]["doc_id"] == "wiki.txt"
    assert found["timings_ms"]["embed"] > 0


def test_a_stream_of_the_real_engine(service: tuple[Served, str]) -> None:
    _, address = service
    request = urllib.request.Request(
        f"{address}/v1/ask",
        json.dumps({"question": QUESTION, "stream": True}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        names = re.findall(r"^event: (\w+)$", response.read().decode(), re.MULTILINE)
    assert names[0] == "start"
    assert names[-1] == "done"
    assert names.index("sources") < names.index("delta")


def test_the_port_of_a_running_service_is_taken(service: tuple[Served, str], tmp_path: Path) -> None:
    _, address = service
    port = address.rsplit(":", 1)[1]
    second = Served(tmp_path, "--port", port)
    assert second.process.wait(60) == 1
    assert second.output.startswith(f"error: Port {port} on 127.0.0.1 is in use.")


def test_a_running_service_asks_for_a_key_as_soon_as_there_is_one(service: tuple[Served, str]) -> None:
    served, address = service
    data_dir = served.log.parent / "data"

    def status(key: str = "") -> int:
        request = urllib.request.Request(
            f"{address}/v1/info", headers={"Authorization": f"Bearer {key}"} if key else {}
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code

    assert status() == 200
    command = [sys.executable, "-m", "kb.cli", "keys", "new", "a", "--data-dir", str(data_dir)]
    key = subprocess.run(command, capture_output=True, text=True, check=True, cwd=data_dir).stdout.strip()
    assert (status(), status(key)) == (401, 200)
    KeyStore(data_dir).revoke("a")
    assert (status(), status(key)) == (401, 401)
    (data_dir / "keys.json").unlink()
    assert status() == 200
    assert key not in served.output


def test_it_ends_when_told_to(service: tuple[Served, str]) -> None:
    served, address = service
    assert served.stop() in (0, -signal.SIGTERM)
    assert "Traceback" not in served.output
    with pytest.raises(urllib.error.URLError):
        get(f"{address}/healthz")
