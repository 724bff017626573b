from __future__ import annotations

from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.ruler import columns
from ingest.chunkers.structure import chunk
from ingest.loaders.registry import load, load_bytes


def count(text):
    return 4 + columns(text) // 2


def test_the_trial_file_of_r05(shared):
    document = load(shared / "requirements/files/R05_fences.md", "fences.md")
    headings = [document.text[b.start : b.end] for b in document.blocks if b.kind == "heading"]
    assert headings == ["# Driver setup", "## Verify"]
    [script] = [item for item in chunk(document, count) if "KESTREL_HOME" in item.text]
    assert '\tif [ -d "$KESTREL_HOME" ]; then\n\t\t# Step B is not a heading either\n\t\tkestrelctl' in script.text
    assert script.heading_path == ("Driver setup",)


def test_a_block_that_fits_is_not_cut():
    source = "# T\n\nIntro.\n\n```py\n" + "x = 1\n" * 300 + "```\n"
    limits = ChunkLimits()
    assert 1500 < columns(source) <= limits.passage_columns
    code = [item for item in chunk(load_bytes(source.encode(), "c.md"), count) if item.kind == "code"]
    assert len(code) == 1


def test_a_longer_block_is_cut_at_line_ends_and_each_part_opens_its_fence():
    lines = [f"\tcall({i})  # step {i}" + " " * (i % 3) for i in range(600)]
    source = "# T\n\n## Script\n\n~~~~bash\n" + "\n".join(lines) + "\n~~~~\n"
    document = load_bytes(source.encode(), "c.md")
    chunks = chunk(document, count)
    assert len(chunks) > 5
    for item in chunks:
        assert item.kind == "code"
        assert item.heading_path == ("T", "Script")
        assert item.text.startswith("~~~~bash\n")
        assert columns(item.text) <= ChunkLimits().passage_columns
        body = document.text[item.start : item.end]
        assert item.text.endswith(body)
        assert all(line.rstrip() in source for line in body.split("\n"))
    kept = [line for item in chunks for line in document.text[item.start : item.end].split("\n") if "call" in line]
    assert [line.rstrip() for line in kept] == [line.rstrip() for line in lines]
    assert all(line.startswith("\tcall") for line in kept)


def test_a_line_longer_than_a_passage_is_cut_all_the_same():
    source = "```\n" + "word " * 3000 + "\n```\n"
    for item in chunk(load_bytes(source.encode(), "c.md"), count):
        assert columns(item.text) <= ChunkLimits().passage_columns
