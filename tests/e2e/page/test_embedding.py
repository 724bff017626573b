"""The chat in pages of another site, which allows the service and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

DOCS = Path(__file__).resolve().parents[3] / "docs" / "embed.md"
HOST_STYLE = (
    "html { font-size: 62.5% } body { color: red; letter-spacing: 3px; height: 4000px } p, button, h2 { margin: 50px }"
)

Open = Callable[..., Any]


def _example(name: str) -> str:
    """The lines of the documentation that a site copies."""
    blocks = re.findall(r"```html\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if name in block)


@pytest.fixture
def open_host(visits: Any, host: Any, address: str, ChatPage: Any) -> Open:
    """Opens a page of the other site that embeds the service as the documentation says."""

    def open_one(embedding: str, *, lang: str = "en", body: str = "<h1>Shop</h1>", **options: Any) -> Any:
        embedding = embedding.replace("https://gpukb.example", address)
        host.pages["/site.css"] = HOST_STYLE
        host.pages["/"] = (
            f'<!doctype html><html lang="{lang}"><title>Shop</title><link rel="stylesheet" href="/site.css">'
            f'<meta name="viewport" content="width=device-width"><body><main>{body}</main>{embedding}</body></html>'
        )
        page = visits.context(**options).new_page()
        page.goto(host.address)
        return page

    def open_widget(embedding: str | None = None, **options: Any) -> Any:
        page = open_one(embedding or _example("<gpukb-chat"), **options)
        page.locator("#launch").click()
        return ChatPage(page)

    open_widget.frame = lambda **options: open_one(_example("<iframe"), **options)
    return open_widget


@pytest.mark.parametrize(
    ("lang", "launch", "question", "send"),
    [
        ("en", "Ask about GPUs", "What is the memory bandwidth of the T4?", "Send"),
        ("zh-CN", "问问 GPU", "T4 的显存带宽是多少？", "发送"),
        ("zh-TW", "問問 GPU", "T4 的記憶體頻寬是多少？", "傳送"),
    ],
)
def test_the_widget_answers_on_another_site(
    open_host: Open, address: str, lang: str, launch: str, question: str, send: str
) -> None:
    chat = open_host(lang=lang)
    page = chat.page
    assert page.get_by_role("dialog", name=launch).is_visible()
    assert page.get_by_role("button", name=send).is_visible()
    answer = chat.ask(question)
    assert "320 GB/s" in answer.locator(".answer").inner_text()
    assert page.evaluate("scrollY") == 0, "the page around stays where it was"
    with page.context.expect_page() as opened:
        answer.locator(".mark").first.click()
    opened.value.wait_for_load_state()
    assert opened.value.url.startswith(f"{address}/v1/documents/")
    assert "320 GB/s" in opened.value.locator("mark#quote").inner_text()
    assert page.evaluate("localStorage.length") == 0, "nothing is left behind on the site"


def test_a_page_loads_little_before_the_widget_is_opened(visits: Any, open_host: Open, host: Any) -> None:
    asked: list[str] = []
    context = visits.context(locale="en-US")
    context.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    open_host()
    page = context.new_page()
    page.goto(host.address)
    page.locator("#launch").wait_for()
    assert {name for name in asked if name.endswith(".js")} == {"widget.js", "dom.js", "words.js", "en.js"}


def test_the_widget_by_keyboard(open_host: Open, whole_answer: Callable[..., Any]) -> None:
    chat = open_host(scripted=True)
    page = chat.page
    focused = "document.activeElement.shadowRoot?.activeElement?.id"
    assert page.evaluate(focused) == "question"
    chat.type("one")
    chat.feed("delta", {"text": "so far"})
    chat.last.get_by_text("so far").wait_for()
    page.keyboard.press("Escape")
    chat.last.get_by_text("Stopped").wait_for()
    assert page.locator("#panel").is_visible(), "the first Escape stops, the second closes"
    page.keyboard.press("Escape")
    assert not page.locator("#panel").is_visible()
    assert page.evaluate(focused) == "launch"
    assert page.locator("#launch").get_attribute("aria-expanded") == "false"
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == "question"
    assert page.locator("article").count() == 1, "closing forgets nothing"
    page.keyboard.press("Shift+Tab")
    page.get_by_role("button", name="New conversation").click()
    assert page.locator("article").count() == 0
    page.get_by_role("button", name="Close").click()
    assert not page.locator("#panel").is_visible()


def test_the_widget_takes_server_and_key(open_host: Open, address: str, whole_answer: Callable[..., Any]) -> None:
    widget = _example("<gpukb-chat").replace(
        "<gpukb-chat", f'<gpukb-chat server="{address}" lang="en" api-key="gk_of_the_site"'
    )
    chat = open_host(widget, lang="zh-CN", scripted=True)
    chat.type("one")
    chat.last.wait_for()
    assert chat.page.evaluate("[askedAt, askedWith.Authorization, askedWith['Accept-Language']]") == [
        f"{address}/v1/ask",
        "Bearer gk_of_the_site",
        "en",
    ]
    chat.feed("done", whole_answer("answer one"))
    chat.last.locator(".receipt").wait_for()
    chat.type("two")
    assert [each["content"] for each in chat.page.evaluate("asked")["messages"]] == ["one", "answer one [1]"]


def test_hostile_text_stays_text_in_the_widget(
    open_host: Open, address: str, hostile: str, whole_answer: Callable[..., Any]
) -> None:
    chat = open_host(scripted=True)
    chat.type(hostile)
    source = {
        **whole_answer("")["sources"][0],
        "title": hostile,
        "section": hostile,
        "page_url": "javascript:window.hacked=1",
    }
    table = f"| {hostile} | x |\n|---|---|\n| a | {hostile} |\n"
    chat.last.wait_for()
    chat.feed("delta", {"text": f"{hostile}\n\n{table}"})
    chat.feed("done", whole_answer(f"# {hostile}\n\n{table}\n{hostile}", sources=[source], warnings=[hostile]))
    chat.last.locator(".receipt").wait_for()
    assert chat.page.evaluate("window.hacked") is None
    assert chat.page.locator("article :is(script, img, iframe, svg[onload])").count() == 0
    links = chat.page.locator("article a").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    assert all(link is None or link.startswith(f"{address}/v1/documents/") for link in links), links
    assert "<script>window.hacked=1</script>" in chat.page.locator("article h2").inner_text()


def test_page_and_widget_do_not_touch_each_others_looks(open_host: Open) -> None:
    chat = open_host()
    names = '["font-size", "letter-spacing", "margin-top"]'
    look = f"node => {names}.map((name) => getComputedStyle(node).getPropertyValue(name))"
    assert chat.page.locator("#question").evaluate(look) == ["16px", "normal", "0px"]
    heading = chat.page.locator("main h1").first
    assert heading.evaluate("node => getComputedStyle(node).color") == "rgb(255, 0, 0)"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_nothing_hinders_a_screen_reader_in_the_widget(open_host: Open, axe: Any, scheme: str, width: int) -> None:
    dark = f'<meta name="color-scheme" content="{scheme}">'
    chat = open_host(
        body=f"<h1>Shop</h1>{dark}", color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True
    )
    chat.ask("Compare the memory bandwidth and TDP of A100 and H200").get_by_role("button", name="Bad answer").click()
    found = axe.run(chat.page, context={"include": ["gpukb-chat"]})
    assert found.violations_count == 0, found.generate_report()
    assert chat.page.locator(".talk").evaluate("talk => talk.scrollWidth <= talk.clientWidth")


def test_a_frame_shows_the_page_without_its_list(open_host: Open) -> None:
    page = open_host.frame()
    frame = page.frame_locator("iframe")
    frame.locator("#question").fill("T4 memory bandwidth")
    frame.locator("#question").press("Enter")
    frame.locator("article .receipt").wait_for()
    assert "320 GB/s" in frame.locator(".answer").inner_text()
    assert frame.locator("#shelf, #drawer").count() == 0
    frame.get_by_role("button", name="New conversation").click()
    assert frame.locator("article").count() == 0


def test_a_frame_on_a_site_that_is_not_listed_stays_empty(visits: Any, host: Any, address: str) -> None:
    page = visits.context().new_page()
    host.pages["/frame"] = (
        f'<!doctype html><title>Shop</title><iframe title="Chat" src="{address}/ui/?embed=1"></iframe>'
    )
    page.goto(host.address.replace("127.0.0.1", "localhost") + "/frame")
    page.wait_for_timeout(300)
    assert page.frame_locator("iframe").locator("#question").count() == 0
    assert any("frame-ancestors" in said for said in visits.complaints)
    visits.complaints.clear()
    visits.hosts_allowed.add(host.address.replace("127.0.0.1", "localhost"))
