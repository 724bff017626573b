"""Where the service wants a key: signing in, losing the session, signing out. The service is real and has no index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from kb.config import Settings
from kb.keys import KeyStore, new_key

pytestmark = pytest.mark.browser


@pytest.fixture
def keys(tmp_path: Path) -> KeyStore:
    """The keys of a service that lets nobody in yet who has none."""
    return KeyStore(tmp_path)


@pytest.fixture
def locked(keys: KeyStore, served: Callable[..., Any], cache_dir: Path, chromium: str) -> Iterator[tuple[str, str]]:
    """A service that wants a key, and a key that it takes."""
    made = new_key("reader")
    keys.add(made)
    settings = Settings(data_dir=keys.path.parent, cache_dir=cache_dir)
    with served(settings, until=lambda at: httpx.get(f"{at}/healthz").status_code == 200) as at:
        yield at, made.text


def test_a_key_opens_the_page_and_a_lost_session_keeps_the_question(
    visits: Any, keys: KeyStore, axe: Any, locked: tuple[str, str]
) -> None:
    at, key = locked
    visits.hosts_allowed.add(at)
    context = visits.context(locale="en-US", bypass_csp=True)
    page = context.new_page()
    page.goto(at)
    dialog = page.get_by_role("dialog", name="Sign in")
    field = dialog.get_by_label("Key")
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()
    field.fill("gk_wrong")
    field.press("Enter")
    dialog.locator(".error:not(:empty)").wait_for()
    field.fill(key)
    dialog.get_by_role("button", name="Sign in").click()
    dialog.wait_for(state="detached")
    page.locator("#notice").get_by_text("index").wait_for()
    cookie = next(each for each in context.cookies() if each["name"] == "gpukb_session")
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert key not in str(context.cookies())
    assert key not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, location.href])")

    page.reload()
    page.get_by_role("button", name="Sign out").wait_for()
    assert page.get_by_role("dialog").count() == 0

    keys.revoke("reader")
    other = new_key("other")
    keys.add(other)
    page.fill("#question", "What is MIG?")
    page.press("#question", "Enter")
    field.wait_for()
    assert page.input_value("#question") == "What is MIG?"
    assert page.locator("article").count() == 0
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert page.input_value("#question") == "What is MIG?"
    page.press("#question", "Enter")
    field.fill(other.text)
    field.press("Enter")
    page.locator("article .error").wait_for()
    assert "What is MIG?" in page.locator("article h2").inner_text(), "asked again without being typed again"
    assert page.input_value("#question") == ""

    page.get_by_role("button", name="Sign out").click()
    field.wait_for()
    assert not any(each["name"] == "gpukb_session" for each in context.cookies())
    assert set(visits.pop_refusals()) <= {401, 503}
