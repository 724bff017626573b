from __future__ import annotations

import pytest

from ingest.loaders.base import LoadLimits
from ingest.loaders.registry import load_bytes
from kb.errors import DocumentError


def read(html, encoding="utf-8"):
    return load_bytes(html.encode(encoding), "page.html")


def test_structure_and_what_is_dropped():
    document = read(
        "<html><head><title>The  title</title><style>x{}</style></head><body><nav>menu</nav><script>1</script>"
        "<h1>One</h1><p>First <b>bold</b>\n words.</p><div>loose<p>para</p>tail</div><h2>Two</h2>"
        "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><dl><dt>T</dt><dd>D</dd></dl></body></html>"
    )
    assert document.title == "The title"
    assert document.text == (
        "# One\n\nFirst bold words.\n\nloose\n\npara\n\ntail\n\n## Two\n\n- a\n  - b\n- c\n\n- T: D"
    )
    assert document.blocks[-1].heading_path == ("One", "Two")


def test_code_is_kept_byte_for_byte_and_fenced_safely():
    document = read("<pre><code class='language-c'>\tint a;  \n```\n  &lt;b&gt;</code></pre>")
    assert document.text == "````c\n\tint a;  \n```\n  <b>\n````"


def test_spans_are_expanded_and_headers_known():
    document = read(
        "<table><caption>Cards</caption><thead><tr><th rowspan=2>Card</th><th colspan=2>Speed</th></tr>"
        "<tr><th>GB/s</th><th>W</th></tr></thead><tbody><tr><td>K1</td><td colspan=2>7 | 8</td></tr>"
        "<tr><td colspan=3>All others</td></tr></tbody></table>"
    )
    table = document.blocks[-1]
    assert table.caption == "Cards"
    assert document.text[table.start : table.end] == (
        "| Card | Speed / GB/s | Speed / W |\n|---|---|---|\n| K1 | 7 \\| 8 | 7 \\| 8 |\n| All others |  |  |"
    )
    assert document.text[table.start : table.header_end].endswith("|---|---|---|\n")


def test_a_table_that_only_places_things_is_read_through():
    document = read(
        "<table><tr><td><h2>Head</h2><p>words</p></td><td><table><tr><th>a</th><th>b</th></tr>"
        "<tr><td>1</td><td>2</td></tr></table></td></tr></table>"
    )
    assert [block.kind for block in document.blocks] == ["heading", "paragraph", "table"]


def test_declared_and_undeclared_chinese_charsets():
    body = "<h1>星隼 K100</h1><p>保养周期是 41 天，备件存放在 C-17 号柜。</p>"
    for head in ('<meta charset="gb2312">', ""):
        document = read(f"<html><head>{head}</head><body>{body}</body></html>", "gb18030")
        assert document.encoding == "gb18030"
        assert "C-17 号柜" in document.text


def test_a_page_drawn_by_scripts_holds_no_text():
    with pytest.raises(DocumentError, match="no text"):
        read("<html><body><script>draw()</script><p>{{name}}</p></body></html>")


def test_deep_nesting_never_loses_text_silently():
    assert "deep words" in read("<div>" * 200 + "deep words" + "</div>" * 200).text
    with pytest.raises(DocumentError, match="depth"):
        read("words" + "<div>" * 5000 + "deep words" + "</div>" * 5000)


def test_a_hostile_table_is_refused():
    row = "<tr>" + "<td colspan=1000 rowspan=1000>x</td>" * 3 + "</tr>"
    with pytest.raises(DocumentError, match="columns"):
        load_bytes(f"<table>{row}</table>".encode(), "p.html", LoadLimits())
