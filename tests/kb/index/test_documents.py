from __future__ import annotations

import pytest

from kb.errors import NotFoundError
from kb.index.documents import write_documents
from kb.index.entries import entries_of
from kb.index.terms import TermNumbers
from tests.kb.index.conftest import make_chunks, make_documents


def test_documents_come_back_whole(generation):
    documents = make_documents()
    assert len(generation.documents) == 3
    assert generation.documents.ids() == tuple(document.doc_id for document in documents)
    assert [generation.documents.get(document.doc_id) for document in documents] == documents


def test_a_summary_says_what_a_list_shows(generation):
    summary = generation.documents.summary("zh/带宽.md")
    assert (summary.title, summary.language, summary.chunks, summary.encoding) == ("带宽.md", "zh", 3, "gb18030")
    assert summary.warnings == ("1 undecodable byte at offset 812",)
    assert summary.metadata["as_of"] == "2026-11-30"
    assert summary.characters == len(generation.documents.get("zh/带宽.md").text)
    assert [other.doc_id for other in generation.documents.summaries()] == list(generation.documents.ids())


def test_an_unknown_document_is_named(generation):
    assert "en/none.md" not in generation.documents
    with pytest.raises(NotFoundError, match=r"en/none\.md"):
        generation.documents.get("en/none.md")


@pytest.mark.parametrize(
    ("documents", "chunks", "message"),
    [
        (slice(None, None, -1), slice(None), "sorted by doc_id"),
        (slice(1, None), slice(None), "not among the documents"),
        (slice(None), slice(None, None, -2), "sorted by doc_id and ordinal"),
    ],
)
def test_wrong_order_is_refused(tmp_path, documents, chunks, message):
    everything = make_documents()
    entries = entries_of(everything[documents], make_chunks(everything)[chunks], TermNumbers())
    with pytest.raises(ValueError, match=message):
        write_documents(*entries, tmp_path)
