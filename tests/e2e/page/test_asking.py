"""A reader asks the real service and reads, follows and keeps the answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

Open = Callable[..., Any]


@pytest.mark.parametrize(
    ("locale", "question", "time"),
    [("zh-CN", "T4 的显存带宽是多少？", "毫秒"), ("en-US", "What is the memory bandwidth of the T4?", "ms")],
)
def test_an_answer_cites_its_passage(open_page: Open, locale: str, question: str, time: str) -> None:
    chat = open_page(locale=locale)
    answer = chat.ask(question)
    assert "320 GB/s" in answer.locator(".answer").inner_text()
    assert time in answer.locator(".receipt > summary").inner_text()
    assert answer.locator(".sources li").count() == 1
    with chat.page.context.expect_page() as opened:
        answer.locator(".mark").first.click()
    document = opened.value
    document.wait_for_load_state()
    quote = document.locator("mark#quote")
    assert "320 GB/s" in quote.inner_text()
    # The address has not only the place: the browser has gone there.
    assert document.evaluate("document.querySelector('#quote').getBoundingClientRect().top < innerHeight")
    assert document.evaluate("getComputedStyle(document.querySelector('#quote')).backgroundColor") != "rgba(0, 0, 0, 0)"


def test_a_comparison_is_a_spec_sheet_with_bars(open_page: Open) -> None:
    chat = open_page()
    answer = chat.ask("对比 L4 和 T4")
    row = answer.locator("tbody tr", has_text="显存带宽")
    assert row.locator("th .unit").inner_text() == "GB/s"
    assert [text.split()[0] for text in row.locator("td").all_inner_texts()] == ["300", "▲320"]
    assert row.locator("td.is-best").inner_text().split() == ["▲320", "2"]
    assert answer.locator("tbody tr", has_text="TDP").locator("td.is-best").inner_text().split() == ["▼70", "2"]
    assert answer.locator("tbody tr", has_text="架构").locator("td.is-best").count() == 0
    answer.locator(".chart select").first.select_option(label="显存带宽")
    bars = answer.locator(".chart svg")
    assert bars.get_attribute("aria-label") == "显存带宽: L4 300 GB/s; T4 ▲ 320 GB/s"
    widths = bars.locator(".length").evaluate_all("bars => bars.map((bar) => bar.getBoundingClientRect().width)")
    assert widths[0] / widths[1] == pytest.approx(300 / 320, rel=0.01)


def test_a_table_with_fields_in_columns(open_page: Open) -> None:
    answer = open_page(locale="en-US").ask("Compare the memory bandwidth and TDP of A100 and H200")
    heads = answer.locator("thead th").all_inner_texts()
    assert any("GB/s" in head for head in heads)
    figures = answer.locator(".sheet tbody td.figure").all_inner_texts()
    assert figures
    assert not any("GB/s" in figure for figure in figures)
    assert answer.locator("td.is-best").count() >= 2


def test_a_table_of_formulas_is_no_table_of_figures(open_page: Open) -> None:
    answer = open_page().ask("70B 模型 FP8 推理需要几张 H100？")
    heads = answer.locator("table").nth(1).locator("thead th")
    classes = dict(
        zip(heads.all_inner_texts(), heads.evaluate_all("all => all.map((one) => one.className)"), strict=True)
    )
    assert classes == {"部分": "", "大小": "figure", "算式": ""}


def test_a_figure_that_is_not_published_stands_among_figures(open_page: Open) -> None:
    answer = open_page().ask("H800 的 NVLink 带宽是多少？")
    assert answer.locator(".verdict").inner_text() == "这个名字指不止一款"
    cells = answer.locator(".sheet tbody td.figure").all_inner_texts()
    assert [cell.split()[0] for cell in cells] == ["400", "未公开"]
    assert answer.locator(".best, .chart").count() == 0


def test_a_follow_up_keeps_its_subject(open_page: Open) -> None:
    chat = open_page()
    chat.ask("H200 SXM 的显存带宽是多少？")
    assert "700 W" in chat.ask("那功耗呢？").locator(".answer").inner_text()


@pytest.mark.parametrize(
    ("locale", "question", "follow"),
    [
        ("zh-CN", "H200 SXM 的显存带宽是多少？", ["显存呢？", "功耗呢？", "价格呢？"]),
        ("zh-TW", "H200 SXM 的頻寬是多少？", ["記憶體呢？", "功耗呢？", "價格呢？"]),
        (
            "en-US",
            "What is the memory bandwidth of the H200 SXM?",
            ["And its memory?", "And its power draw?", "And its price?"],
        ),
    ],
)
def test_what_could_be_asked_next_is_offered_and_answered(
    open_page: Open, locale: str, question: str, follow: list[str]
) -> None:
    chat = open_page(locale=locale)
    offered = chat.ask(question).locator(".follow button")
    assert offered.all_inner_texts() == follow
    offered.nth(1).click()
    chat.page.locator("article .receipt").nth(1).wait_for()
    assert "700 W" in chat.last.locator(".answer").inner_text()
    assert chat.page.locator(".follow:visible").count() == 1, "only the last answer offers"


def test_a_refusal_looks_different_and_says_why(open_page: Open) -> None:
    answer = open_page(locale="en-US").ask("How much memory has the RTX 6090?")
    assert answer.get_attribute("data-status") == "no_answer"
    assert answer.locator(".verdict").inner_text() == "Not answered · No such card on record"
    assert answer.locator(".sources, .follow").count() == 0


def test_stages_are_measured(open_page: Open) -> None:
    answer = open_page().ask("什么是 MIG？")
    answer.locator(".receipt > summary").click()
    rows = dict(
        zip(*(answer.locator(f".stages tbody {cell}").all_inner_texts() for cell in ("th", ".figure")), strict=True)
    )
    assert float(rows["理解问题"]) > 0
    assert float(rows["浏览器所见"]) >= float(rows["合计"]) > 0


def test_an_answer_is_copied_as_markdown(open_page: Open, address: str) -> None:
    chat = open_page(permissions=["clipboard-read", "clipboard-write"])
    chat.ask("T4 的显存带宽是多少？").get_by_role("button", name="复制为 Markdown").click()
    chat.page.get_by_role("button", name="已复制").wait_for()
    copied = chat.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("### T4 的显存带宽是多少？\n\nT4 的显存带宽是 320 GB/s [1]。\n\n**出处**\n\n[1] ")
    assert f"<{address}/v1/documents/" in copied


def test_conversations_are_kept_searched_exported_and_deleted(open_page: Open) -> None:
    chat = open_page(accept_downloads=True)
    page = chat.page
    page.on("dialog", lambda dialog: dialog.accept())
    chat.ask("T4 的显存带宽是多少？")
    page.click("#fresh")
    assert page.locator("article").count() == 0
    chat.ask("什么是 MIG？")
    page.reload()
    assert page.locator("article h2").inner_text().endswith("什么是 MIG？"), "a reload keeps the conversation open"
    assert page.locator("article .receipt").count() == 1
    assert page.locator("#conversations .open").count() == 2
    page.fill("#search", "320 gb/s")
    assert page.locator("#conversations .open span").all_inner_texts() == ["T4 的显存带宽是多少？"]
    page.locator("#conversations .open").click()
    assert page.locator("article .mark").get_attribute("href").startswith("/v1/documents/catalog/zh/t4/")
    with page.expect_download() as download:
        page.click("#export")
    exported = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [each["title"] for each in exported["data"]] == ["什么是 MIG？", "T4 的显存带宽是多少？"]
    page.fill("#search", "")
    page.locator("#conversations li", has_text="T4").hover()
    page.locator("#conversations li", has_text="T4").locator(".remove").click()
    assert page.locator("#conversations .open").count() == 1
    page.click("#remove-all")
    assert page.locator("#conversations .open").count() == 0
    assert page.evaluate("localStorage['gpukb.conversations']") == "[]"


def test_the_language_follows_the_browser_and_can_be_switched(open_page: Open) -> None:
    page = open_page(locale="de-DE").page
    assert page.locator("html").get_attribute("lang") == "en"
    page.fill("#question", "draft")
    page.select_option("#language", "zh-Hans")
    page.get_by_role("button", name="发送").wait_for()
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert page.input_value("#question") == "draft"
    page.reload()
    page.get_by_role("button", name="发送").wait_for()


def test_switching_the_language_keeps_what_there_is_of_an_answer(open_page: Open) -> None:
    chat = open_page(scripted=True, locale="en-US")
    chat.type("question")
    chat.feed("delta", {"text": "so far"})
    chat.last.get_by_text("so far").wait_for()
    chat.page.select_option("#language", "zh-Hant")
    chat.last.get_by_text("已停止").wait_for()
    assert chat.last.locator(".answer").inner_text() == "so far"
    assert chat.page.locator("#conversations .open").count() == 1


@pytest.mark.parametrize(
    ("locale", "send", "tagline"),
    [("zh-TW", "傳送", "關於 GPU 的問題"), ("zh-HK", "傳送", "關於 GPU 的問題"), ("zh-SG", "发送", "关于 GPU 的问题")],
)
def test_traditional_chinese_is_a_language_of_its_own(open_page: Open, locale: str, send: str, tagline: str) -> None:
    page = open_page(locale=locale).page
    assert page.get_by_role("button", name=send).is_visible()
    assert tagline in page.locator("#welcome").inner_text()
    assert ("簡體" in page.locator("#welcome").inner_text()) == (send == "傳送"), (
        "answers stay as they are, and it says so"
    )


def test_a_question_in_traditional_chinese_is_answered(open_page: Open) -> None:
    answer = open_page(locale="zh-TW").ask("T4 的記憶體頻寬是多少？")
    assert "320 GB/s" in answer.locator(".answer").inner_text()
    assert "毫秒" in answer.locator(".receipt > summary").inner_text()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_nothing_hinders_a_screen_reader_or_sticks_out(open_page: Open, axe: Any, scheme: str, width: int) -> None:
    # The checker's own script is no part of the page, so the page's policy does not bind it.
    chat = open_page(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    chat.ask("对比 L4 和 T4")
    chat.ask("A100 和 H200 的显存带宽和功耗").get_by_role("button", name="回答得不好").click()
    chat.ask("RTX 6090 的显存是多少？").locator(".receipt > summary").click()
    found = axe.run(chat.page)
    assert found.violations_count == 0, found.generate_report()
    assert chat.page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_list_is_a_drawer_on_a_phone(open_page: Open) -> None:
    page = open_page(viewport={"width": 390, "height": 800}).page
    assert not page.locator("#search").is_visible()
    page.click("#drawer")
    page.locator("#search:focus").wait_for()
    page.keyboard.press("Escape")
    page.locator("#search").wait_for(state="hidden")
    assert page.evaluate("document.activeElement.id") == "drawer"
