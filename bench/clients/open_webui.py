"""Asks the service through Open WebUI: installed from its package, driven through its own page in a headless Chromium.

usage: python -m bench.clients.open_webui http://127.0.0.1:8000 [--env FOLDER] [--picture FILE] [--write]

Open WebUI (2.5 GB) is installed once, into an environment of its own that is kept in FOLDER. It gets no model but
gpukb's and no internet; its data are thrown away. What is looked at: an answer comes with its figure, its marks open
the passage, the chat gets a title, a follow-up keeps its subject, in Chinese and English, and no other host is asked.
Needs Chromium and Python 3.11 or 3.12. Prints one JSON line; with --write it is added to bench/results/clients.jsonl.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

PACKAGE = "open-webui"
MODEL = "gpukb-openwebui"
RESULTS = Path(__file__).resolve().parents[1] / "results" / "clients.jsonl"
_START_S = 600.0
_WAIT_MS = 60_000
_FLAGS = ["--no-sandbox", "--disable-gpu"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Two questions of a reader, what their answers hold, and the title that the chat gets."""

    question: str
    answer: str
    title: str
    follow_up: str
    then: str


CONVERSATIONS = (
    Conversation("A100 的显存带宽是多少？", "2039 GB/s", "A100 的显存带宽", "那 H100 呢？", "3350 GB/s"),
    Conversation("What is the TDP of the L40S?", "350 W", "TDP of the L40S", "And the T4?", "70 W"),
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What Open WebUI showed of one conversation.

    Attributes:
        sources: that are listed below the answer.
        opens: a mark shows the quoted words, and its link leads to the page of the service that holds them.
    """

    question: str
    is_answered: bool
    sources: int
    opens: bool
    title: str
    has_title: bool
    follow_up_is_answered: bool

    @property
    def is_good(self) -> bool:
        """Whether everything was as it should be."""
        return self.is_answered and bool(self.sources) and self.opens and self.has_title and self.follow_up_is_answered


def install(folder: Path) -> Path:
    """The command of Open WebUI in an environment of its own, made at the first time."""
    command = folder / "bin" / "open-webui"
    if not command.exists():
        python = next((found for name in ("python3.11", "python3.12") if (found := shutil.which(name))), sys.executable)
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        pip = ["nice", "-n", "15", str(folder / "bin" / "pip"), "install", "-q", "--no-compile", PACKAGE]
        subprocess.run(pip, check=True)
    return command


@contextmanager
def running(command: Path, service: str) -> Iterator[str]:
    """Open WebUI's address, with gpukb as its only model and without accounts."""
    port = _free_port()
    with tempfile.TemporaryDirectory() as data:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": data,
            "DATA_DIR": data,
            "WEBUI_AUTH": "False",
            "WEBUI_SECRET_KEY": "of-this-run",
            "ENABLE_OLLAMA_API": "False",
            "ENABLE_OPENAI_API": "True",
            "OPENAI_API_BASE_URL": f"{service}/v1",
            "OPENAI_API_KEY": "none",
            "DEFAULT_MODELS": MODEL,
            "RAG_EMBEDDING_ENGINE": "openai",  # so that it loads no embedding model of its own
            "OFFLINE_MODE": "True",
            "HF_HUB_OFFLINE": "1",
            "ENABLE_VERSION_UPDATE_CHECK": "False",
            "ANONYMIZED_TELEMETRY": "False",
            "DO_NOT_TRACK": "true",
        }
        serve = ["nice", "-n", "10", str(command), "serve", "--host", "127.0.0.1", "--port", str(port)]
        with subprocess.Popen(serve, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                _wait_for(f"http://127.0.0.1:{port}/health", process)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()


def converse(page: Any, address: str, service: str, conversation: Conversation) -> Seen:
    """Ask a question and a follow-up in a new chat, and look at what is shown."""
    page.goto(address)
    box = page.locator("#chat-input")
    box.wait_for()
    page.wait_for_timeout(3000)
    page.keyboard.press("Escape")  # what is new in this version
    _ask(page, conversation.question)
    is_answered = _comes(page, conversation.answer)
    sources = page.locator("button[aria-label^='Toggle']").last
    listed = int("".join(filter(str.isdigit, sources.inner_text())) or 0) if sources.count() else 0
    has_title = _has_title(page, conversation.title)
    opens = _opens(page, service, conversation.answer)
    _ask(page, conversation.follow_up)
    follow_up_is_answered = _comes(page, conversation.then)
    title = page.title().partition(" / ")[0]
    return Seen(conversation.question, is_answered, listed, opens, title, has_title, follow_up_is_answered)


def _ask(page: Any, question: str) -> None:
    page.locator("#chat-input").click()
    page.keyboard.type(question)
    page.keyboard.press("Enter")


def _comes(page: Any, text: str) -> bool:
    from playwright.sync_api import TimeoutError as NotInTimeError

    try:
        page.locator("#response-content-container").filter(has_text=text).last.wait_for()
    except NotInTimeError:
        return False
    return True


def _has_title(page: Any, title: str) -> bool:
    from playwright.sync_api import TimeoutError as NotInTimeError

    try:
        page.wait_for_function("(title) => document.title.startsWith(title)", arg=title)
    except NotInTimeError:
        return False
    return True


def _opens(page: Any, service: str, figure: str) -> bool:
    """Whether the last mark of the answer shows the passage with the figure, and leads to it."""
    page.locator("button[aria-label^='View source']").last.click()
    link = page.locator(f"a[href^='{service}/v1/documents/']").first
    link.wait_for()
    shown = figure in page.locator("[role=dialog], .modal").last.inner_text()
    asking = urllib.request.Request(link.get_attribute("href").partition("#")[0], headers={"Accept": "text/html"})
    with urllib.request.urlopen(asking, timeout=30) as response:
        marked = response.read().decode().partition('<mark id="quote">')[2].partition("</mark>")[0]
    page.keyboard.press("Escape")
    return shown and figure in marked


def look(address: str, service: str, picture: Path | None) -> tuple[list[Seen], set[str]]:
    """All conversations, and the hosts that the page asked."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    hosts: set[str] = set()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=_FLAGS)
        page = browser.new_page(viewport={"width": 1100, "height": 760})
        page.set_default_timeout(_WAIT_MS)
        page.on("request", lambda request: hosts.add(request.url.split("/")[2]) if "://" in request.url else None)
        seen = []
        for number, conversation in enumerate(CONVERSATIONS):
            seen.append(converse(page, address, service, conversation))
            if picture is not None and number == 0:
                page.screenshot(path=picture)
        browser.close()
    return seen, hosts - {address.removeprefix("http://")}


def _version(command: Path) -> str:
    pip = [str(command.with_name("pip")), "show", PACKAGE]
    shown = subprocess.run(pip, capture_output=True, text=True, check=True).stdout
    return next(line.partition(": ")[2] for line in shown.splitlines() if line.startswith("Version"))


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("Open WebUI does not start; run its command by hand to see why.") from None
            time.sleep(1)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("service", help="address of a running gpukb over the shipped corpus")
    parser.add_argument("--env", type=Path, default=Path.home() / ".cache" / "gpukb-clients" / PACKAGE)
    parser.add_argument("--picture", type=Path, help="keep a picture of the first conversation")
    parser.add_argument("--write", action="store_true", help="add the result to bench/results/clients.jsonl")
    options = parser.parse_args()
    service = options.service.rstrip("/")
    command = install(options.env)
    with running(command, service) as address:
        seen, others = look(address, service, options.picture)
    line = json.dumps(
        {
            "bench": "clients",
            "client": f"{PACKAGE} {_version(command)}",
            "model": MODEL,
            "good": all(one.is_good for one in seen) and not others,
            "other_hosts": sorted(others),
            "conversations": [asdict(one) for one in seen],
        },
        ensure_ascii=False,
    )
    print(line)
    if options.write:
        with RESULTS.open("a", encoding="utf-8") as results:
            results.write(line + "\n")


if __name__ == "__main__":
    main()
