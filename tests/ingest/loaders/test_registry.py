from __future__ import annotations

import contextlib
import hashlib
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunkers.structure import chunk
from ingest.loaders.base import LoadLimits
from ingest.loaders.registry import LOADERS, is_readable, load, load_bytes
from kb.errors import DocumentError

SUFFIXES = sorted(LOADERS)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("data", [b"", b"   \n\t\r\n", b"\xef\xbb\xbf", "\u3000\u200b\n".encode()])
def test_files_without_text_are_refused(suffix, data):
    with pytest.raises(DocumentError, match=r"empty|no text|cannot be read|no such file"):
        load_bytes(data, f"x{suffix}")


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "big.txt"
    path.write_bytes(b"x" * 2000)
    with pytest.raises(DocumentError, match="limit"):
        load(path, "big.txt", LoadLimits(max_bytes=1000))


def test_a_missing_file_is_a_document_error(tmp_path):
    with pytest.raises(DocumentError, match="cannot be opened"):
        load(tmp_path / "gone.md", "gone.md")


def test_the_checksum_is_of_the_bytes(tmp_path):
    (tmp_path / "a.md").write_bytes(b"# A\r\n\r\nb\r\n")
    expected = hashlib.sha256(b"# A\r\n\r\nb\r\n").hexdigest()
    assert load(tmp_path / "a.md", "a.md").sha256 == expected


def _encoded(text):
    return text.encode("utf-8", "replace")


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(SUFFIXES),
    st.binary(max_size=400) | st.text(max_size=400).map(lambda s: s.encode("utf-8", "replace")),
)
def test_any_file_is_read_or_refused_and_its_blocks_fit(suffix, data):
    try:
        document = load_bytes(data, f"fuzz{suffix}")
    except DocumentError:
        return
    position = 0
    for block in document.blocks:
        assert position <= block.start < block.end <= len(document.text)
        assert block.kind != "table" or block.start <= block.header_end <= block.end
        position = block.end


FRAGMENTS = [
    *("# h\n", "```\n", "~~~\n", "| a | b |\n", "|---|---|\n", "- x\n", "  - y\n", "> q\n", "    code\n", "\n", "\t"),
    *("<table>", "<tr><td>c</td></tr>", "</table>\n", "<div>\n", "</div>\n", "!!! note\n", "===\n", "---\n", "word "),
    *("中文。", ":::{note}\n", ":::\n", "```{list-table}\n", "* - a\n", "<!--", "-->\n", "[x](y)", "![i](data:a;b,AA)"),
]
MARKUP = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)


@settings(max_examples=200, deadline=None)
@given(MARKUP)
def test_scrambled_markdown_is_read(text):
    try:
        document = load_bytes(text.encode(), "fuzz.md")
    except DocumentError:
        return
    spans = [(block.start, block.end) for block in document.blocks]
    assert spans == sorted(spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"> " * 20_000 + b"x", "quotes.md"),
        (b"[" * 50_000, "brackets.md"),
        (b"*a " * 100_000, "stars.md"),
        (b"`" * 100_000, "ticks.md"),
        (("| " * 3000 + "\n").encode() * 20, "pipes.md"),
        (b"a " * 1_000_000, "line.txt"),
        (b"<a " * 50_000, "tags.md"),
        (b"<b>" * 50_000, "bold.md"),
        (b"\n".join(b"- " * 40 for _ in range(500)), "lists.md"),
        (b"<!-- " * 20_000, "comments.md"),
        (b"!!! note\n    " * 5_000, "notes.md"),
        (b"<p " + b" ".join(b"a%d=1" % n for n in range(50_000)) + b">x", "attributes.html"),
        (b"." * 1_000_000, "dots.txt"),
        ("”".encode() * 300_000, "closers.txt"),
        (b"~~~\n" * 20_000, "fences.md"),
        (b"- " * 3_000 + b"x", "deep.rst"),
        (b"* a\n" * 5_000, "long.rst"),
        (b"| a |\n|---|\n" + b"| 1 |\n" * 10_000, "rows.md"),
    ],
)
def test_hostile_files_take_no_long_time(data, name):
    started = time.process_time()
    with contextlib.suppress(DocumentError):
        chunk(load_bytes(data, name), lambda text: len(text) // 3 + 2)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("no_extension", b"# Head\n\nwords", "text/markdown"),
        ("Makefile", b"all:\n\techo", "text/plain"),
        ("notes v1.2", b"words", "text/plain"),
        ("page", b"<!DOCTYPE html><p>words", "text/html"),
        ("UPPER.MD", b"words", "text/markdown"),
    ],
)
def test_a_file_without_suffix_is_read_by_its_content(name, data, media_type):
    assert is_readable(name)
    assert load_bytes(data, name).media_type == media_type
