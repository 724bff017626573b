"""What a file is decides who reads it, not what it is called."""

from __future__ import annotations

import io
import zipfile

import docx
import openpyxl
import pytest

from ingest.loaders.base import LoadLimits
from ingest.loaders.registry import load_bytes
from kb.errors import DocumentError


def word_file(words="Words."):
    document, out = docx.Document(), io.BytesIO()
    document.add_paragraph(words)
    document.save(out)
    return out.getvalue()


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as container:
        for name, data in files.items():
            container.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize("name", ["x.doc", "x.txt", "x.pdf", "x.md", "x.zip"])
def test_another_name_is_told_and_does_not_matter(name):
    document = load_bytes(word_file(), name)
    assert document.text == "Words."
    assert document.warnings == (f"its name ends in {name[1:]}, but it is a .docx file",)


def test_a_file_without_suffix_is_what_it_holds():
    assert load_bytes(word_file(), "report").warnings == ()


@pytest.mark.parametrize("name", ["x.doc", "x.xls", "x.docx"])
def test_a_web_page_under_the_name_of_an_office_file(name):
    page = "<html><table><tr><th>型号</th><th>柜号</th></tr><tr><td>K100</td><td>C-17</td></tr></table></html>"
    document = load_bytes(page.encode("gbk"), name)
    assert document.text == "| 型号 | 柜号 |\n|---|---|\n| K100 | C-17 |"
    assert "web page" in document.warnings[0]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("x.docx", b"this is plain text", "Its name ends in .docx, but it is no such file, or a damaged one."),
        ("x.pdf", b"words", "Its name ends in .pdf, but it is no such file, or a damaged one."),
        ("x.doc", rb"{\rtf1 words}", "It is a Rich Text file; save it as .docx."),
        ("x.rtf", b"words", "Its name ends in .rtf, but it is no such file, or a damaged one."),
        ("x.txt", zipped(a=b"x"), "It is a zip archive under another name; name it .zip."),
        ("a.zip/b.zip", zipped(a=b"x"), "It is a zip archive inside another one; unpack it."),
        ("x.docx", word_file()[:900], "It is damaged: its zip container has no directory."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_has_a_plain_reason(name, data, reason):
    with pytest.raises(DocumentError) as caught:
        load_bytes(data, name)
    assert caught.value.message == reason


def test_bombs_are_refused_by_what_they_say_of_themselves():
    workbook, out = openpyxl.Workbook(), io.BytesIO()
    workbook.save(out)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as container:
        container.writestr("xl/bomb.xml", b"0" * 50_000_000)
    with pytest.raises(DocumentError, match="200 times its size"):
        load_bytes(out.getvalue(), "x.xlsx")
    with pytest.raises(DocumentError, match="the limit is 10 MiB"):
        load_bytes(out.getvalue(), "x.xlsx", LoadLimits(max_unpacked_bytes=10 * 1024 * 1024))
    many = zipped(**{f"{number}.md": b"" for number in range(300)})
    with pytest.raises(DocumentError, match="holds"):
        load_bytes(many, "x.zip", LoadLimits(max_entries=100))
