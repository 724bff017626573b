"""The page's files: small, complete, and unable to turn text into markup."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from api.web import web_dir

MODULES = sorted((web_dir() / "chat").glob("*.js"))
SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|createContextualFragment"
    r"|\beval\(|new Function|setHTML|javascript:"
)


def _page_files(client: TestClient) -> list[str]:
    page = client.get("/").text
    return re.findall(r'(?:href|src)="(/ui/[^"]+)"', page)


def test_all_modules_are_announced(client: TestClient) -> None:
    assert set(_page_files(client)) >= {f"/ui/chat/{module.name}" for module in MODULES}


def test_the_page_takes_less_than_60_kb(client: TestClient) -> None:
    taken = 0
    for address in ["/", *_page_files(client)]:
        with client.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as response:
            assert response.status_code == 200, address
            taken += sum(map(len, response.iter_raw()))
    assert taken < 60_000


def test_files_are_asked_for_again_and_not_sent_again(client: TestClient) -> None:
    first = client.get("/ui/chat/main.js")
    assert first.headers["Cache-Control"] == "no-cache"
    assert first.headers["Content-Type"].startswith("text/javascript")
    assert client.get("/ui/chat/main.js", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


def test_the_page_runs_only_its_own_scripts(client: TestClient) -> None:
    response = client.get("/")
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", response.text)


@pytest.mark.parametrize("path", [*MODULES, web_dir() / "index.html"], ids=lambda path: path.name)
def test_nothing_turns_text_into_markup(path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not SINKS.search(text)
    assert re.findall(r"https?://[^\s'\"`\\)(|]+", text) in ([], ["http://www.w3.org/2000/svg"])


def test_both_languages_have_the_same_words() -> None:
    text = (web_dir() / "chat" / "texts.js").read_text(encoding="utf-8")
    zh, en = text.split("\n  zh: {")[1].split("\n  en: {")
    names = re.compile(r"[\s{](\w+): (?=[\"{\[])")
    assert sorted(names.findall(zh)) == sorted(names.findall(en.split("\n};")[0]))
