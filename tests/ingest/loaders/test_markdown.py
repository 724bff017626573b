from __future__ import annotations

import json

import pytest

from ingest.loaders.markdown import plain
from ingest.loaders.registry import load_bytes


def read(text, name="doc.md"):
    return load_bytes(text.encode(), name)


def blocks(document, kind):
    return [document.text[b.start : b.end] for b in document.blocks if b.kind == kind]


def test_front_matter_becomes_metadata_and_leaves_the_text():
    document = read(
        "---\ntitle: 显存\nlanguage: zh\nas_of: 2026-11-01\nsources: [a, b]\n---\n# 别的\n\nmemory bandwidth words\n"
    )
    assert document.title == "显存"
    assert document.language == "zh"
    assert document.metadata["as_of"] == "2026-11-01"
    assert document.metadata["sources"] == ["a", "b"]
    assert document.text.startswith("# 别的")


def test_broken_front_matter_is_left_out_and_reported():
    document = read("---\ntitle: [\n---\nBody.\n")
    assert document.text.strip() == "Body."
    assert "front matter" in document.warnings[0]


@pytest.mark.parametrize(
    "front",
    [
        "a: &a [*a]",
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)),
        "a: " + "[" * 5000 + "]" * 5000,
    ],
    ids=["endless", "billion laughs", "deep"],
)
def test_hostile_front_matter_is_left_out(front):
    document = read(f"---\n{front}\n---\nBody.\n")
    assert document.text.strip() == "Body."
    assert document.metadata == {}


def test_metadata_can_always_be_written_as_json():
    document = read('---\ntitle: "\\ud800"\nas_of: .nan\nsources: {1: .inf, x: [2026-01-01]}\n---\nBody.\n')
    assert document.title == "\ufffd"
    assert document.metadata["sources"] == {"1": "inf", "x": ["2026-01-01"]}
    assert json.loads(json.dumps(document.metadata, allow_nan=False).encode()) == document.metadata


def test_a_rule_is_no_front_matter():
    assert "Chapter one" in read("---\nChapter one is here\n---\nMore.\n").text


def test_heading_paths_of_both_heading_styles():
    document = read("Top\n===\n\nSub\n---\n\nwords here\n\n# Next `code` {#anchor}\n\nmore words\n")
    paths = [b.heading_path for b in document.blocks if b.kind == "paragraph"]
    assert paths == [("Top", "Sub"), ("Next code",)]


def test_a_hash_in_any_fence_is_no_heading():
    source = (
        "# One\n\n~~~\n# no\n~~~~\n\n````text\n```\n# no\n```\n````\n\n    # no, indented\n\n"
        "- item\n\n  ```\n  # no\n  ```\n"
    )
    document = read(source)
    assert blocks(document, "heading") == ["# One"]
    assert len(blocks(document, "code")) == 4
    assert document.text == source


def test_code_keeps_tabs_and_spaces():
    source = "# T\n\n```bash\n\tif x; then  \n\t\techo  'a'\n\tfi\n```\n"
    assert "\tif x; then  \n\t\techo  'a'\n\tfi" in blocks(read(source), "code")[0]


def test_a_pipe_table_knows_where_its_header_ends():
    document = read("| a | b |\n|---|:-:|\n| 1 | 2 |\n")
    table = document.blocks[0]
    assert document.text[table.start : table.header_end] == "| a | b |\n|---|:-:|\n"


def test_code_and_tables_inside_a_list_are_blocks_of_their_own():
    document = read("1. one\n\n   | a | b |\n   |---|---|\n   | 1 | 2 |\n\n2. two\n\n   ```\n   x\n   ```\n\n   tail\n")
    assert [b.kind for b in document.blocks] == ["list", "table", "list", "code", "list"]


def test_badges_and_pictures_are_no_text():
    document = read("[![b](https://img.shields.io/x.svg)](https://x)\n\n![pic](a.png)\n\nwords\n")
    assert blocks(document, "paragraph") == ["words"]


def test_embedded_pictures_are_emptied():
    document = read(f"See ![p](data:image/png;base64,{'A' * 5000}) here.\n")
    assert len(document.text) < 100


def test_the_title_is_the_first_heading_else_the_file():
    assert read("intro\n\n## Second\n\nx\n").title == "Second"
    assert read("just words\n", "notes/机房手册.md").title == "机房手册"
    assert read("just words\n", "tool/README.md").title == "tool/README"


def test_windows_line_ends_and_controls():
    document = read("# A\r\n\r\nb\x07c\r\n")
    assert document.text == "# A\n\nbc\n"


def test_plain_drops_only_real_emphasis():
    assert plain("**bold** and *it* and `c` and [l](http://x) and ![i](y)") == "bold and it and c and l and"
    assert plain("MIG *Part*ition *Ed*itor") == "MIG Partition Editor"
    assert plain(r"36 * 3.84TB, MI* and 2 \* 3, snake_case_name") == "36 * 3.84TB, MI* and 2 * 3, snake_case_name"
