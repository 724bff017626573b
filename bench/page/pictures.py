"""Takes the pictures of `docs/images` from a running service.

usage: python -m bench.page.pictures http://127.0.0.1:8000 [--to docs/images]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from bench.page.browser import chromium

_WIDE: Any = {"width": 1180, "height": 860}
_PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 780},
    "device_scale_factor": 1.5,
    "has_touch": True,
    "is_mobile": True,
}
_SHOP = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Rack &amp; Core</title>
<style>
  body { margin: 0; font: 17px/1.65 Georgia, serif; color: #23262b; background: #f7f4ee }
  header { padding: 26px 56px; background: #1d2733; color: #fff; font-size: 21px }
  main { max-width: 560px; padding: 44px 56px } h1 { font-size: 38px; line-height: 1.2; margin: 0 0 20px }
</style>
<header>Rack &amp; Core</header>
<main><h1>Servers for models of any size</h1>
<p>From a single card under the desk to eight in a rack: built to order,
tested for a week, delivered with the drivers in place.</p>
<p>Not sure which card fits? Ask the assistant in the corner. It answers from data sheets, and shows them.</p></main>
<script type="module" src="/ui/widget.js"></script><gpukb-chat></gpukb-chat></html>"""


def _ask(page: Page, question: str) -> Locator:
    before = page.locator("article .receipt").count()
    page.locator("#question").fill(question)
    page.locator("#question").press("Enter")
    page.locator("article .receipt").nth(before).wait_for()
    return page.locator("article").last


def _scroll_to_chart(answer: Locator) -> None:
    answer.locator(".chart").evaluate("chart => scrollTo(0, chart.getBoundingClientRect().top + scrollY - 70)")


def _take(page: Page, to: Path) -> None:
    page.wait_for_timeout(300)  # Transitions end.
    page.screenshot(path=to)


def _open(browser: Browser, url: str, **options: Any) -> Page:
    page = browser.new_context(**{"viewport": _WIDE, "locale": "zh-CN", **options}).new_page()
    page.goto(url)
    return page


def take(browser: Browser, url: str, folder: Path) -> None:
    """All pictures."""
    page = _open(browser, url)
    for question in ("T4 的显存带宽是多少？", "70B 模型 FP8 推理需要几张 H100？", "对比 H100 SXM5 和 MI300X"):
        _ask(page, question)
    _take(page, folder / "page.png")

    page = _open(browser, url, color_scheme="dark", locale="en-US")
    _ask(page, "NVLink bandwidth of the H800")
    answer = _ask(page, "Compare the memory bandwidth of A100, H100 and H200")
    answer.locator(".receipt > summary").click()
    _scroll_to_chart(answer)
    _take(page, folder / "page-dark.png")

    page = _open(browser, url, **_PHONE)
    _ask(page, "对比 L4 和 T4")
    _take(page, folder / "page-phone.png")

    page = _open(browser, url, locale="en-US")
    answer = _ask(page, "Compare the memory bandwidth and TDP of A100, H100, H200, MI300X and L40S")
    _scroll_to_chart(answer)
    _take(page, folder / "page-chart.png")

    context = browser.new_context(viewport=_WIDE, locale="en-US")
    context.route("**/shop", lambda route: route.fulfill(body=_SHOP, content_type="text/html"))
    page = context.new_page()
    page.goto(f"{url}/shop")
    page.locator("#launch").click()
    _ask(page, "Compare the memory bandwidth of L4, T4 and L40S")
    _take(page, folder / "widget.png")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--to", type=Path, default=Path("docs/images"))
    options = parser.parse_args()
    with chromium() as browser:
        take(browser, options.url.rstrip("/"), options.to)


if __name__ == "__main__":
    main()
