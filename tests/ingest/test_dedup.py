from __future__ import annotations

from ingest.chunkers.structure import chunk
from ingest.dedup import likeness_of, merge_duplicates
from ingest.loaders.registry import load_bytes
from ingest.prepared import PreparedChunk
from kb.index.entries import chunk_entry
from kb.index.terms import TermNumbers

LONG = "这块卡的显存带宽决定了解码的速度，因为每生成一个词都要把全部权重读一遍。" * 12


def chunks_of(text, name):
    numbers = TermNumbers()
    for item in chunk(load_bytes(text.encode(), name), lambda t: len(t)):
        yield PreparedChunk(chunk_entry(item, numbers), likeness_of(item), ())


def merged(*documents):
    kept = merge_duplicates(item for name, text in documents for item in chunks_of(text, name))
    for item in kept:
        assert tuple(item.entry.fields()["also_in"]) == item.entry.also_in
    return [item.entry for item in kept]


def test_a_long_passage_is_kept_once_and_names_all_documents():
    kept = merged(("a.md", f"# 甲\n\n{LONG}"), ("b.md", f"# 乙\n\n{LONG}\n"), ("c.md", LONG.replace("，", "， ")))
    assert [(item.doc_id, item.also_in) for item in kept] == [("a.md", ("b.md",)), ("c.md", ())]


def test_white_space_does_not_matter():
    kept = merged(("a.md", LONG[:200] + "\n" + LONG[200:] + " x"), ("b.md", LONG[:200] + "  \n" + LONG[200:] + "\nx"))
    assert [(item.doc_id, item.also_in) for item in kept] == [("a.md", ("b.md",))]


def test_short_passages_mean_something_only_under_their_headings():
    kept = merged(("a.md", "# H100\n\nTDP: 700 W\n"), ("b.md", "# H800\n\nTDP: 700 W\n"))
    assert len(kept) == 2
    kept = merged(("a.md", "# H100\n\nTDP: 700 W\n"), ("b.md", "# H100\n\nTDP: 700 W\n"))
    assert [(item.doc_id, item.also_in) for item in kept] == [("a.md", ("b.md",))]


def test_tables_are_not_merged_across_headings():
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 100
    assert len({item.doc_id for item in merged(("a.md", f"# H100\n\n{table}"), ("b.md", f"# H200\n\n{table}"))}) == 2


def test_repetition_within_a_document_stays():
    kept = merged(("a.md", f"# A\n\n{LONG}\n\n# A\n\n{LONG}\n"), ("b.md", LONG))
    assert [item.doc_id for item in kept] == ["a.md", "a.md"]
    assert kept[0].also_in == ("b.md",)
