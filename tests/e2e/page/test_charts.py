"""Figures drawn: bars for one field, points for two, in words for those who do not see them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser

Open = Callable[..., Any]


def _column(key: str, label: str) -> dict[str, Any]:
    return {"key": key, "label": label, "unit": None}


def _cell(value: float, unit: str, text: str = "") -> dict[str, Any]:
    return {"text": text or f"{value:g} {unit}", "value": value, "unit": unit, "qualifier": None, "source": None}


def _table(cards: list[tuple[str, dict[str, Any], dict[str, Any]]]) -> tuple[str, dict[str, Any]]:
    """A table of bandwidth and power, as Markdown and as data."""
    lines = [f"| {name} | {bandwidth['text']} | {power['text']} |" for name, bandwidth, power in cards]
    columns = [_column("memory_bandwidth_gb_s", "Memory bandwidth"), _column("tdp_w", "TDP")]
    rows = [
        {"key": name, "label": name, "cells": {"memory_bandwidth_gb_s": bandwidth, "tdp_w": power}}
        for name, bandwidth, power in cards
    ]
    markdown = "\n".join(["| Card | Memory bandwidth | TDP |", "|---|---|---|", *lines])
    return markdown, {"id": "t", "title": "", "columns": columns, "rows": rows}


def test_two_fields_are_points_with_their_names(open_page: Open) -> None:
    answer = open_page(locale="en-US").ask("Compare the memory bandwidth and TDP of A100 and H200")
    chart = answer.locator(".chart svg")
    spoken = chart.get_attribute("aria-label")
    assert "H200 SXM 141GB: Memory bandwidth 4800 GB/s, TDP 700 W" in spoken
    assert chart.locator("circle").count() == len(spoken.split("; ")) == answer.locator(".sheet tbody tr").count()
    assert chart.locator(".axis").all_text_contents() == ["↑ Memory bandwidth (GB/s)", "TDP (W) →"]
    names = chart.locator("g > text").all_text_contents()
    assert "H200 SXM 141GB" in names
    answer.locator(".chart select").nth(1).select_option(label="bars")
    assert answer.locator(".chart .bar").count() == answer.locator(".sheet tbody tr").count()


def test_which_figure_stands_against_which_can_be_chosen(open_page: Open) -> None:
    answer = open_page().ask("对比 H100 SXM5、H200 SXM 和 MI300X")
    figure, against = answer.locator(".chart select").all()
    assert answer.locator(".chart .bar").count() == 3, "of many fields one is shown"
    figure.select_option(label="显存带宽")
    against.select_option(label="对照：TDP")
    spoken = answer.locator(".chart svg").get_attribute("aria-label")
    assert "Instinct MI300X: 显存带宽 5300 GB/s, TDP 750 W" in spoken
    against.select_option(label="对照：显存带宽")
    assert answer.locator(".chart .bar").count() == 3, "a figure against itself says nothing"


@pytest.mark.parametrize("width", [1280, 360])
def test_names_cover_neither_points_nor_names(open_page: Open, whole_answer: Callable[..., Any], width: int) -> None:
    chat = open_page(scripted=True, viewport={"width": width, "height": 900})
    chat.type("?")
    chat.last.wait_for()
    crowd = [(f"Card of a long name {n}", _cell(1000 + 7 * n, "GB/s"), _cell(300 + n // 3, "W")) for n in range(18)]
    markdown, table = _table([*crowd, ("Far", _cell(5000, "GB/s"), _cell(700, "W"))])
    chat.feed("done", whole_answer(markdown, tables=[table]))
    chart = chat.last.locator(".scatter")
    chart.wait_for()
    boxes = chart.locator("g > text, .tick").evaluate_all(
        """all => all.map((one) => {
            const { x, y, width, height } = one.getBBox();
            return [x, y + 3, x + width, y + height - 3];
        })"""
    )
    room = chart.evaluate("chart => chart.getBoundingClientRect().width")
    assert all(left >= -1 and right <= room + 1 for left, _, right, _ in boxes)
    for one, other in itertools.combinations(boxes, 2):
        assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3], (one, other)
    below = chat.last.locator(".chart .dim").inner_text()
    drawn = chart.locator("g > text").all_text_contents()
    assert all(name in drawn or name in below for name, _, _ in crowd), "each card is named somewhere"
    assert chat.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_cell_that_says_more_than_a_figure_is_not_drawn_as_one(
    open_page: Open, whole_answer: Callable[..., Any]
) -> None:
    chat = open_page(scripted=True, locale="en-US")
    chat.type("?")
    chat.last.wait_for()
    cards = [
        ("A", _cell(300, "GB/s"), _cell(70, "W")),
        ("B", _cell(320, "GB/s"), _cell(72, "W")),
        ("C", _cell(400, "GB/s", "400 GB/s / 800 GB/s"), _cell(75, "W")),
    ]
    markdown, table = _table(cards)
    chat.feed("done", whole_answer(markdown, tables=[table]))
    bars = chat.last.locator(".chart svg")
    bars.wait_for()
    assert bars.get_attribute("aria-label") == "Memory bandwidth: A 300 GB/s; B 320 GB/s; C 400 GB/s / 800 GB/s"
    widths = bars.locator(".length").evaluate_all("bars => bars.map((bar) => bar.getBoundingClientRect().width)")
    assert [round(width / widths[1], 2) for width in widths] == [0.94, 1, 0]
    best = [text.strip() for text in chat.last.locator("td.is-best").all_inner_texts()]
    assert best == ["▼70"], "the best bandwidth is not known"
