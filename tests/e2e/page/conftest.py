"""The chat page in a real browser, before the real service over the shipped corpus."""

from __future__ import annotations

import json
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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
  if (!String(address).endsWith("/v1/ask")) return real(address, options);
  window.asked = JSON.parse(options.body);
  window.askedAt = String(address);
  window.askedWith = options.headers;
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
# What a careful site sends with its pages, once it has allowed the service.
_HOST_CSP = "default-src 'self' {service}; require-trusted-types-for 'script'; trusted-types 'none'"


def _is_ready(address: str) -> bool:
    return httpx.get(f"{address}/readyz").status_code == 200


@pytest.fixture(scope="session")
def chromium() -> str:
    """A Chromium of this machine; nothing is downloaded."""
    pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return path or pytest.skip("needs Chromium: apt-get install chromium")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def _served(settings: Settings, *, until: Callable[[str], bool]) -> Iterator[str]:
    """The service in a thread of its own; its address."""
    port = _free_port()
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=port, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + _START_S
    while not (server.started and until(f"http://127.0.0.1:{port}")):
        assert time.monotonic() < deadline, "the service does not get ready"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="session")
def served() -> Callable[..., Any]:
    """Serves settings as a real server."""
    return _served


class Host:
    """Another site: its pages, by their paths, under a strict policy."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.pages: dict[str, str] = {}
        self.service = ""

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """What the site sends."""
        if path == "/favicon.ico":
            return 204, {}, b""
        page = self.pages.get(path)
        kind = "text/css" if path.endswith(".css") else "text/html; charset=utf-8"
        headers = {"Content-Type": kind, "Content-Security-Policy": _HOST_CSP.format(service=self.service)}
        return (200 if page is not None else 404), headers, (page or "").encode()


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    """A site that embeds the service."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = site.answer(self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    site = Host(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield site
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def address(chromium: str, shipped_settings: Settings, host: Host) -> Iterator[str]:
    """Where the service answers; the other site may embed it."""
    settings = shipped_settings.model_copy(update={"embed_origins": (host.address,)})
    with _served(settings, until=_is_ready) as at:
        host.service = at
        yield at


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
    """The page, or a widget, as a reader uses it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.locator("#examples li").last.wait_for(state="attached")

    @property
    def last(self) -> Any:
        """The last question with its answer."""
        return self.page.locator("article").last

    def type(self, question: str) -> None:
        self.page.locator("#question").fill(question)
        self.page.locator("#question").press("Enter")

    def ask(self, question: str) -> Any:
        """Ask, and wait for the whole answer."""
        before = self.page.locator("article .receipt").count()
        self.type(question)
        self.page.locator("article .receipt").nth(before).wait_for()
        return self.last

    def feed(self, name: str, data: dict[str, Any]) -> None:
        """One event of a scripted answer."""
        self.page.evaluate("(text) => window.feed(text)", f"event: {name}\ndata: {json.dumps(data)}\n\n")


class Visits:
    """What a browser is made to open, and what it asked for and complained about meanwhile."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.contexts: list[Any] = []
        self.hosts: set[str] = set()
        self.hosts_allowed: set[str] = set()
        self.complaints: list[str] = []

    def context(self, *, scripted: bool = False, **options: Any) -> Any:
        """A browser of somebody new."""
        context = self.browser.new_context(**{"locale": "zh-CN", **options})
        context.set_default_timeout(_WAIT_MS)
        context.on("request", self._asked)
        context.on("page", self._watch)
        if scripted:
            context.add_init_script(_SCRIPTED)
        self.contexts.append(context)
        return context

    def pop_refusals(self) -> list[int]:
        """The statuses of failed requests that the browser complained about; they are no surprise from here on."""
        refused = re.compile(r"Failed to load resource: the server responded with a status of (\d+)")
        found = [match for said in self.complaints if (match := refused.match(said))]
        self.complaints = [said for said in self.complaints if not refused.match(said)]
        return [int(match[1]) for match in found]

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("data:", "blob:")):
            self.hosts.add("/".join(request.url.split("/")[:3]))

    def _watch(self, page: Any) -> None:
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)


@pytest.fixture
def visits(browser: Any, address: str, host: Host) -> Iterator[Visits]:
    """Whatever a test does: no other host is asked, no policy broken, nothing thrown."""
    seen = Visits(browser)
    yield seen
    for context in seen.contexts:
        context.close()
    assert seen.hosts <= {address, host.address, *seen.hosts_allowed}
    assert seen.complaints == []


@pytest.fixture
def open_page(visits: Visits, address: str) -> Callable[..., ChatPage]:
    """Opens the page."""

    def open_one(
        path: str = "/", *, index: Callable[[Any], None] | None = None, clock: bool = False, **options: Any
    ) -> ChatPage:
        context = visits.context(**options)
        if clock:  # Time passes only where the test lets it.
            context.clock.install()
        if index:
            context.route("**/v1/index", index)
        page = context.new_page()
        page.goto(address + path)
        return ChatPage(page)

    return open_one


@pytest.fixture(name="ChatPage")
def chat_page() -> type[ChatPage]:
    """The class, for pages that are opened otherwise."""
    return ChatPage


@pytest.fixture
def hostile() -> str:
    """Text that would like to be markup."""
    return (
        "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'><svg onload='window.hacked=1'></svg>"
        " [click](javascript:window.hacked=1) [away](//evil.example/) &lt;b&gt;"
    )


@pytest.fixture
def axe() -> Any:
    """The checker of what hinders a screen reader."""
    return pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()


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
            "facts": [],
            "timings_ms": {"resolve": 1.0, "total": 2.0, "embed": None},
            "index": {"generation": "gen-1"},
            "model": "extract",
            "device": "cpu",
            "warnings": [],
            **fields,
        }

    return answer
