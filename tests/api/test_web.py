"""The page and the widget: small, complete, and unable to turn text into markup."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest
from fastapi.testclient import TestClient

from api.web import web_dir

SCRIPTS = sorted(web_dir().rglob("*.js"))
LANGUAGES = sorted((web_dir() / "chat" / "words").glob("*.js"))
MOST_BYTES = 60_000
SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|createContextualFragment"
    r"|\beval\(|new Function|setHTML|javascript:"
)


def _imported(script: str) -> set[str]:
    """A script with all that it loads, but for the words of a language."""
    found, left = set(), [script]
    while left:
        here = left.pop()
        if here in found:
            continue
        found.add(here)
        text = (web_dir() / here).read_text(encoding="utf-8")
        names = re.findall(r'(?:from |import\()"(\./[^"]+)"', text)
        left += [str(PurePosixPath(here).parent / name) for name in names]
        left += re.findall(r'"(\w+\.css)"', text)
    return found


def _taken(client: TestClient, files: set[str], encoding: str) -> int:
    taken = 0
    for name in sorted(name for name in files if name.endswith((".js", ".css"))):
        with client.stream("GET", f"/ui/{name}", headers={"Accept-Encoding": encoding}) as response:
            assert response.status_code == 200, name
            taken += sum(map(len, response.iter_raw()))
    return taken


def _page(client: TestClient) -> set[str]:
    text = client.get("/").text
    named = set(re.findall(r'(?:href|src)="/ui/([^"]+)"', text))
    return named | _imported("page.js")


def test_page_and_widget_take_less_than_60_kb(client: TestClient) -> None:
    files = _page(client) | _imported("widget.js")
    page = len(client.get("/").content)
    for words in LANGUAGES:
        loaded = files | {f"chat/words/{words.name}"}
        assert page + _taken(client, loaded, "identity") < MOST_BYTES, words.stem
        assert page + _taken(client, loaded, "gzip") < MOST_BYTES // 2, words.stem


def test_all_modules_of_the_page_are_announced(client: TestClient) -> None:
    announced = set(re.findall(r"</ui/([^>]+)>; rel=modulepreload", client.get("/").headers["Link"]))
    assert announced == {name for name in _imported("page.js") if name.startswith("chat/")}


def test_no_script_is_left_over(client: TestClient) -> None:
    used = _page(client) | _imported("widget.js") | {"docs.js"}
    assert {path.relative_to(web_dir()).as_posix() for path in SCRIPTS if path not in LANGUAGES} <= used


def test_the_page_runs_only_its_own_scripts(client: TestClient) -> None:
    for address in ("/", "/ui/?embed=1"):
        response = client.get(address)
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", response.text)


@pytest.mark.parametrize("path", [*SCRIPTS, web_dir() / "index.html"], ids=lambda path: path.name)
def test_nothing_turns_text_into_markup(path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not SINKS.search(text)
    assert re.findall(r"https?://[^\s'\"`\\)(|]+", text) in ([], ["http://www.w3.org/2000/svg"])


def test_all_languages_have_the_same_words() -> None:
    names = re.compile(r"[\s{](\w+): (?=[\"{\[])")
    known = {path.stem: set(names.findall(path.read_text(encoding="utf-8"))) for path in LANGUAGES}
    assert set(known) == {"en", "zh-Hans", "zh-Hant"}
    assert known["zh-Hant"] - known["en"] == {"note"}, "only here answers come in another script than the interface"
    assert known["zh-Hans"] == known["en"] == known["zh-Hant"] - {"note"}
