"""Times how the chat page opens in a headless Chromium with nothing cached: until it can be used, and to an answer.

usage: python -m bench.page.opening http://127.0.0.1:8000 [--times 20]

The page can be used once its field takes a question. A question is sent in the same moment; the answer counts when it
is whole on the screen. All times run from the start of the navigation, as the page's own clock has them. Bytes are what
page and widget load, as sent (compressed) and uncompressed. Prints a table and, as its last line, one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Browser

from bench.page.browser import chromium

_QUESTION = "T4 的显存带宽是多少？"
# In the page: notes when the field is there, asks at once, notes when the answer is whole.
_WATCH = """
new MutationObserver(() => {
  const field = document.getElementById("question");
  if (!field) return;
  window.usable ??= performance.now();
  if (!window.sent) {
    window.sent = true;
    field.value = QUESTION;
    field.form.requestSubmit();
  }
  if (document.querySelector("article .receipt")) window.answered ??= performance.now();
}).observe(document, { childList: true, subtree: true });
""".replace("QUESTION", json.dumps(_QUESTION))
_LOADED = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => /\\.(js|css)$/.test(name))
  .concat(performance.getEntriesByType("navigation"))
  .map(({ name, encodedBodySize, decodedBodySize }) => [new URL(name).pathname, encodedBodySize, decodedBodySize])"""
_WIDGET = "import('/ui/widget.js').then(() => Promise.all(['/ui/widget.css'].map((name) => fetch(name))))"

Sizes = dict[str, tuple[int, int]]


def opened(browser: Browser, url: str) -> tuple[float, float, Sizes]:
    """One opening by a browser that has nothing: usable after, answered after (ms), and what was loaded."""
    context = browser.new_context(locale="zh-CN")
    context.add_init_script(_WATCH)
    page = context.new_page()
    page.goto(url)
    page.locator("article .receipt").wait_for()
    usable, answered = page.evaluate("[window.usable, window.answered]")
    page.evaluate(_WIDGET)
    page.wait_for_timeout(200)
    sizes = {path: (sent, plain) for path, sent, plain in page.evaluate(_LOADED)}
    context.close()
    return usable, answered, sizes


def summary(times: Sequence[tuple[float, float, Sizes]], load: float) -> dict[str, Any]:
    """Medians and the worst, in milliseconds, and bytes; `load`: how many processes wanted the cores before."""
    usable = [each[0] for each in times]
    answered = [each[1] for each in times]
    sizes = times[-1][2]
    return {
        "bench": "page_opening",
        "openings": len(times),
        "usable_ms": {"p50": round(statistics.median(usable)), "max": round(max(usable))},
        "first_answer_ms": {"p50": round(statistics.median(answered)), "max": round(max(answered))},
        "files": len(sizes),
        "bytes_sent": sum(sent for sent, _ in sizes.values()),
        "bytes_uncompressed": sum(plain for _, plain in sizes.values()),
        "cores": os.cpu_count(),
        "load_before": load,
        "machine": platform.machine(),
    }


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    with chromium() as browser:
        found = summary([opened(browser, options.url) for _ in range(options.times)], load)
    for name, label in (("usable_ms", "usable"), ("first_answer_ms", "first answer")):
        print(f"{label:14} p50 {found[name]['p50']:5} ms, at most {found[name]['max']:5} ms")
    print(f"{found['files']} files, {found['bytes_sent']:,} bytes sent, {found['bytes_uncompressed']:,} uncompressed")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
