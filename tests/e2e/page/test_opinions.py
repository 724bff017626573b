"""A reader says what an answer was worth."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser

Open = Callable[..., Any]


def _told(chat: Any, click: Callable[[], None]) -> dict[str, Any]:
    with chat.page.expect_response("**/v1/feedback") as answered:
        click()
    assert answered.value.status == 201
    return json.loads(answered.value.request.post_data)


def test_a_good_answer_is_one_click(open_page: Open) -> None:
    chat = open_page(locale="en-US")
    answer = chat.ask("What is the memory bandwidth of the T4?")
    told = _told(chat, answer.get_by_role("button", name="Good answer").click)
    assert told["rating"] == "up"
    assert told["answer_id"].startswith("ans_")
    answer.get_by_text("Thank you.").wait_for()
    assert answer.get_by_role("button", name="Good answer").get_attribute("aria-pressed") == "true"
    assert answer.get_by_role("button", name="Bad answer").is_disabled()


def test_a_bad_answer_has_its_reasons(open_page: Open) -> None:
    chat = open_page()
    answer = chat.ask("T4 的显存带宽是多少？")
    thumb = answer.get_by_role("button", name="回答得不好")
    assert not answer.locator(".reasons").is_visible()
    thumb.focus()
    chat.page.keyboard.press("Enter")
    assert thumb.get_attribute("aria-expanded") == "true"
    answer.locator(".reasons input:focus").wait_for()
    chat.page.keyboard.press("Space")
    answer.get_by_label("其他").check()
    answer.get_by_label("补充说明").fill("  少了出处  ")
    told = _told(chat, answer.locator(".reasons button").click)
    assert {name: told[name] for name in ("rating", "reasons", "comment")} == {
        "rating": "down",
        "reasons": ["wrong_value", "other"],
        "comment": "少了出处",
    }
    answer.get_by_text("谢谢。").wait_for()
    assert not answer.locator(".reasons").is_visible()


def test_what_the_service_does_not_take_is_told(open_page: Open, visits: Any, whole_answer: Callable[..., Any]) -> None:
    chat = open_page(scripted=True, locale="en-US")
    problem = {"status": 404, "json": {"title": "Not found", "detail": "No such answer.", "errors": []}}
    chat.page.route("**/v1/feedback", lambda route: route.fulfill(**problem))
    chat.type("?")
    chat.last.wait_for()
    chat.feed("done", whole_answer("text"))
    chat.last.get_by_role("button", name="Good answer").click()
    chat.last.get_by_text("No such answer.").wait_for()
    assert chat.last.get_by_role("button", name="Good answer").is_enabled()
    assert visits.pop_refusals() == [404]
