"""The machine's own Chromium, headless."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for as long as it is needed."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        raise SystemExit("error: needs Chromium: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield browser
        browser.close()
