"""What comes over the line piece by piece, breaks off, is stopped, or is meant to do harm. The network is scripted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser

Open = Callable[..., Any]


def test_words_are_shown_as_they_come(open_page: Open, whole_answer: Callable[..., Any]) -> None:
    chat = open_page(scripted=True)
    chat.type("问题")
    chat.feed("start", {"id": "ans_1"})
    chat.feed("sources", {"sources": whole_answer("")["sources"]})
    chat.feed("delta", {"text": "First **bold** words [1]. [2] `a[1]`"})
    answer = chat.last.locator(".answer")
    answer.locator("strong").wait_for()
    assert answer.inner_text() == "First bold words 1. [2] a[1]"
    assert chat.last.get_attribute("aria-busy") == "true"
    assert chat.page.locator("#stop").is_visible()
    assert not chat.page.locator("#send").is_visible()
    chat.feed("done", whole_answer("1. one\n2. two\n\n```\ncode\n```\n\n### Head\n\n- a\n- b\n\nthe end"))
    chat.last.locator(".receipt").wait_for()
    assert [answer.locator(tag).count() for tag in ("ol li", "pre code", "h3", "ul li", "a.mark")] == [2, 1, 1, 2, 1]
    assert chat.last.get_attribute("aria-busy") is None


@pytest.mark.parametrize("way", ["button", "key"])
def test_stop(open_page: Open, way: str) -> None:
    chat = open_page(scripted=True)
    chat.type("问题")
    chat.feed("delta", {"text": "so far"})
    chat.last.get_by_text("so far").wait_for()
    if way == "button":
        chat.page.click("#stop")
    else:
        chat.page.keyboard.press("Escape")
    chat.last.get_by_text("已停止").wait_for()
    assert chat.page.evaluate("window.aborted")
    assert chat.last.locator(".answer").inner_text() == "so far"
    chat.type("另一个")
    chat.page.locator("article").nth(1).wait_for()
    assert chat.page.evaluate("window.asked")["messages"] == [], "what was stopped is no answer"


def test_opening_another_conversation_leaves_the_question(open_page: Open) -> None:
    chat = open_page(scripted=True)
    chat.type("问题")
    chat.last.wait_for()
    chat.page.click("#fresh")
    assert chat.page.evaluate("window.aborted")
    assert chat.page.locator("article").count() == 0
    assert chat.page.locator("#send").is_visible()
    assert chat.page.locator("#conversations .open").count() == 0


def test_enter_does_not_send_while_a_word_is_composed(open_page: Open) -> None:
    chat = open_page(scripted=True)
    page = chat.page
    page.focus("#question")
    keyboard = page.context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": "xianka", "selectionStart": 6, "selectionEnd": 6})
    keyboard.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": "Enter", "windowsVirtualKeyCode": 229})
    keyboard.send("Input.insertText", {"text": "显卡"})
    assert page.input_value("#question") == "显卡"
    page.keyboard.press("Shift+Enter")
    assert page.input_value("#question") == "显卡\n"
    assert page.locator("article").count() == 0
    page.keyboard.press("Enter")
    page.locator("article").wait_for()
    assert page.evaluate("window.asked")["question"] == "显卡"


def test_history_goes_along(open_page: Open, whole_answer: Callable[..., Any]) -> None:
    chat = open_page(scripted=True)
    for question in ("one", "two"):
        chat.type(question)
        chat.feed("done", whole_answer(f"answer {question}"))
        chat.last.locator(".receipt").wait_for()
    assert chat.page.evaluate("window.asked")["messages"] == [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "answer one [1]"},
    ]


def test_hostile_text_stays_text(open_page: Open, hostile: str, whole_answer: Callable[..., Any]) -> None:
    chat = open_page(scripted=True, locale="en-US")
    chat.type(hostile)
    source = whole_answer("")["sources"][0]
    hostile_sources = [{**source, "title": hostile, "section": hostile, "page_url": "javascript:window.hacked=1"}]
    table = f"| {hostile} | x |\n|---|---|\n| a | {hostile} |\n"
    chat.feed("sources", {"sources": hostile_sources})
    chat.feed("delta", {"text": f"{hostile} [1]\n\n{table}"})
    chat.feed(
        "done",
        whole_answer(
            f"# {hostile}\n\n```\n{hostile}\n```\n\n{table}\n{hostile}",
            sources=hostile_sources,
            warnings=[hostile],
            model=hostile,
        ),
    )
    chat.last.locator(".receipt").wait_for()
    chat.page.reload()
    chat.last.locator(".receipt").wait_for()
    assert chat.page.evaluate("window.hacked") is None
    assert chat.page.locator("article :is(script, img, iframe, svg[onload])").count() == 0
    links = chat.page.locator("article a").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    assert all(link is None or link.startswith("/v1/documents/") for link in links), links
    assert "<script>window.hacked=1</script>" in chat.page.locator("article h2").inner_text()


@pytest.mark.parametrize(
    "target", ["javascript:window.hacked=1", "//evil.example/", "/\\evil.example/", "https://evil.example/", ""]
)
def test_a_citation_leads_nowhere_else(open_page: Open, whole_answer: Callable[..., Any], target: str) -> None:
    chat = open_page(scripted=True)
    chat.type("?")
    chat.last.wait_for()
    answer = whole_answer("text")
    answer["citations"][0]["page_url"] = target
    chat.feed("done", answer)
    chat.last.locator(".receipt").wait_for()
    assert chat.last.locator("a.mark").get_attribute("href") is None


def test_marks_stand_where_code_points_say(open_page: Open, whole_answer: Callable[..., Any]) -> None:
    chat = open_page(scripted=True)
    chat.type("?")
    chat.last.wait_for()
    chat.feed("done", whole_answer("𝟙 🚀 [7] \ue0000\ue001 text"))
    chat.last.locator(".receipt").wait_for()
    assert chat.last.locator(".answer").inner_text() == "𝟙 🚀 [7] \ufffd0\ufffd text 1"


def test_a_break_and_a_problem_are_told_and_tried_again(open_page: Open, whole_answer: Callable[..., Any]) -> None:
    chat = open_page(scripted=True, locale="en-US")
    chat.type("?")
    chat.feed("delta", {"text": "half"})
    chat.last.get_by_text("half").wait_for()
    chat.page.evaluate("window.cut()")
    chat.last.get_by_text("The answer broke off halfway.").wait_for()
    assert chat.last.locator(".answer").inner_text() == "half"
    chat.last.get_by_role("button", name="Try again").click()
    chat.last.locator(".waiting").wait_for()
    errors = [{"loc": "a.b", "msg": "worse"}, {"loc": "index", "msg": "being built"}]
    chat.feed("error", {"title": "t", "detail": "The index is being built.", "errors": errors})
    chat.last.locator(".error").wait_for()
    assert chat.last.locator(".error").inner_text() == "The index is being built.\na.b: worse"
    assert chat.page.locator("article").count() == 1


def test_storage_that_is_full_or_spoilt_is_survived(open_page: Open, whole_answer: Callable[..., Any]) -> None:
    chat = open_page(scripted=True, locale="en-US")
    page = chat.page
    page.evaluate("localStorage['gpukb.conversations'] = '{spoilt'")
    page.reload()
    old = {"id": "old", "title": "old", "updated": "2026-01-01T00:00:00Z", "turns": []}
    page.evaluate("(text) => { localStorage['gpukb.conversations'] = text }", f"[{json.dumps(old)}]")
    page.evaluate(
        "localStorage.filler = 'x'.repeat(5 * 1024 * 1024 - 200 - localStorage['gpukb.conversations'].length)"
    )
    page.reload()
    chat.type("?")
    chat.last.wait_for()
    chat.feed("done", whole_answer("y" * 2000))
    page.get_by_text("The browser does not allow saving").wait_for()
    page.evaluate("delete localStorage.filler")
    chat.type("again")
    chat.feed("done", whole_answer("z"))
    chat.last.locator(".receipt").wait_for()
    assert not page.locator("#notice").is_visible()


def test_an_index_that_is_not_ready_is_waited_for(open_page: Open) -> None:
    states = iter(["building", "error", "ready"])

    def index(route: Any) -> None:
        state = next(states)
        route.fulfill(json={"state": state, "documents": 7, "detail": "Damaged; run gpukb index build."})

    page = open_page(locale="en-US", index=index, clock=True).page
    notice = page.locator("#notice")
    page.get_by_text("The index is being opened or built. One moment.").wait_for()
    page.clock.run_for(2000)
    page.get_by_text("Damaged; run gpukb index build.").wait_for()
    page.clock.run_for(2000)
    notice.wait_for(state="hidden")
    assert page.locator("#state").inner_text() == "7 documents"
