"""The chat page in a real browser, before the real service over the shipped corpus."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import uvicorn

from api.app import create_app
from kb.config import Settings

_START_S = 60.0
_WAIT_MS = 15_000
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# In the page: `/v1/ask` answers with what the test feeds, piece by piece.
_SCRIPTED = """
const real = window.fetch;
window.fetch = (address, options = {}) => {
  if (address !== "/v1/ask") return real(address, options);
  window.asked = JSON.parse(options.body);
  const body = new ReadableStream({ start(controller) {
    window.feed = (text) => controller.enqueue(new TextEncoder().encode(text));
    window.cut = () => controller.error(new TypeError("network error"));
    options.signal.addEventListener("abort", () => {
      window.aborted = true;
      controller.error(options.signal.reason);
    });
  } });
  return Promise.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
};
"""


def _is_ready(address: str) -> bool:
    return httpx.get(f"{address}/readyz").status_code == 200


@pytest.fixture(scope="session")
def chromium() -> str:
    """A Chromium of this machine; nothing is downloaded."""
    pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return path or pytest.skip("needs Chromium: apt-get install chromium")


@pytest.fixture(scope="session")
def address(chromium: str, shipped_settings: Settings) -> Iterator[str]:
    """Where the service answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(create_app(shipped_settings), port=port, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + _START_S
    while not (server.started and _is_ready(f"http://127.0.0.1:{port}")):
        assert time.monotonic() < deadline, "the service does not get ready"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """The browser, headless."""
    from playwright.sync_api import sync_playwright

    # Of a module and not of the session: while it lives, no other test could run an event loop in this thread.
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        yield launched
        launched.close()


class ChatPage:
    """The page as a reader uses it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        page.set_default_timeout(_WAIT_MS)
        page.goto(address)
        page.locator("#examples li").last.wait_for(state="attached")

    @property
    def last(self) -> Any:
        """The last question with its answer."""
        return self.page.locator("article").last

    def type(self, question: str) -> None:
        self.page.fill("#question", question)
        self.page.press("#question", "Enter")

    def ask(self, question: str) -> Any:
        """Ask, and wait for the whole answer."""
        before = self.page.locator("article .receipt").count()
        self.type(question)
        self.page.locator("article .receipt").nth(before).wait_for()
        return self.last

    def feed(self, name: str, data: dict[str, Any]) -> None:
        """One event of a scripted answer."""
        self.page.evaluate("(text) => window.feed(text)", f"event: {name}\ndata: {json.dumps(data)}\n\n")


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Callable[..., ChatPage]]:
    """Opens the page. Whatever a test does: no other host is asked, no policy broken, nothing thrown."""
    contexts: list[Any] = []
    hosts: set[str] = set()
    complaints: list[str] = []

    def asked(request: Any) -> None:
        if not request.url.startswith(("data:", "blob:")):
            hosts.add(request.url.split("/")[2])

    def watch(page: Any) -> None:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)

    def open_one(*, scripted: bool = False, index: Callable[[Any], None] | None = None, **options: Any) -> ChatPage:
        context = browser.new_context(**{"locale": "zh-CN", **options})
        contexts.append(context)
        context.on("request", asked)
        context.on("page", watch)
        if index:
            context.route("**/v1/index", index)
        if scripted:
            context.add_init_script(_SCRIPTED)
        return ChatPage(context.new_page(), address)

    yield open_one
    for context in contexts:
        context.close()
    assert hosts == {address.removeprefix("http://")}
    assert complaints == []


@pytest.fixture
def whole_answer() -> Callable[..., dict[str, Any]]:
    """The `done` of an answer with one source, `[1]` at the end; fields can be replaced."""

    def answer(text: str, **fields: Any) -> dict[str, Any]:
        marked = f"{text} [1]"
        place = {"source_id": "src_1", "page_url": "/v1/documents/d/pages/1#quote", "quote": "quoted"}
        return {
            "id": "ans_1",
            "status": "answered",
            "reason": None,
            "answer": marked,
            "citations": [{"marker": "[1]", "start": len(marked) - 3, "end": len(marked), **place}],
            "sources": [
                {"id": "src_1", "index": 1, "title": "Title", "section": "", "page": None, "published": None}
                | {"page_url": place["page_url"]}
            ],
            "tables": [],
            "timings_ms": {"resolve": 1.0, "total": 2.0, "embed": None},
            "index": {"generation": "gen-1"},
            "model": "extract",
            "device": "cpu",
            "warnings": [],
            **fields,
        }

    return answer
