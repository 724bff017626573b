from __future__ import annotations

import io
import zipfile

import pytest

from ingest.loaders.registry import load_bytes
from kb.errors import DocumentError

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>"""
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>星隼 之书</dc:title><dc:creator>某人</dc:creator></metadata>
<manifest>
<item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="one%20.xhtml" media-type="application/xhtml+xml"/>
<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="p" href="p.png" media-type="image/png"/>
<item id="m" href="gone.xhtml" media-type="application/xhtml+xml"/>
</manifest><spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="m"/></spine></package>"""
ONE = """<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head>
<body><h1>保养</h1><p>每 41 天一次。</p></body></html>"""
TWO = """<html><body><h1>Register</h1><table><tr><th>Card</th><th>Cabinet</th></tr>
<tr><td rowspan="2">K100</td><td>C-17</td></tr><tr><td>C-18</td></tr></table></body></html>"""


def book(**changed):
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": PACKAGE,
        "OPS/one .xhtml": ONE,
        "OPS/two.xhtml": TWO,
        "OPS/nav.xhtml": "<html><body>contents</body></html>",
        **changed,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as container:
        for name, text in files.items():
            if text is not None:
                container.writestr(name, text)
    return out.getvalue()


def test_chapters_in_reading_order():
    document = load_bytes(book(), "x.epub")
    assert document.title == "星隼 之书"
    assert document.metadata["author"] == "某人"
    assert document.text == (
        "# 保养\n\n每 41 天一次。\n\n# Register\n\n| Card | Cabinet |\n|---|---|\n| K100 | C-17 |\n| K100 | C-18 |"
    )
    assert document.warnings == ("1 chapter(s) are missing in the file",)


def test_a_protected_book_is_refused():
    encryption = (
        "<encryption xmlns:e='http://www.w3.org/2001/04/xmlenc#'><e:CipherReference URI='OPS/two.xhtml'/></encryption>"
    )
    with pytest.raises(DocumentError, match="DRM"):
        load_bytes(book(**{"META-INF/encryption.xml": encryption}), "x.epub")


def test_scrambled_fonts_are_no_protection():
    encryption = (
        "<encryption xmlns:e='http://www.w3.org/2001/04/xmlenc#'><e:CipherReference URI='OPS/a.otf'/></encryption>"
    )
    assert "C-17" in load_bytes(book(**{"META-INF/encryption.xml": encryption}), "x.epub").text


def test_a_book_without_its_package_is_damaged():
    with pytest.raises(DocumentError, match="missing"):
        load_bytes(book(**{"OPS/book.opf": None}), "x.epub")
