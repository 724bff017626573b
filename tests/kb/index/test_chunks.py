from __future__ import annotations

from dataclasses import replace

import pytest

from kb.errors import NotFoundError
from kb.index.chunks import LANGUAGE_CODES, write_chunks
from kb.index.entries import chunk_entry
from kb.index.terms import TermNumbers
from tests.kb.index.conftest import make_chunks, make_documents


def test_chunks_come_back_whole(generation):
    chunks = make_chunks(make_documents())
    assert len(generation.chunks) == len(chunks)
    assert [generation.chunks[row] for row in range(len(chunks))] == chunks


def test_columns_are_read_without_parsing(generation):
    chunks = make_chunks(make_documents())
    assert generation.chunks.languages.tolist() == [LANGUAGE_CODES[chunk.language] for chunk in chunks]
    assert [generation.chunks.doc_id_of(row) for row in range(len(chunks))] == [chunk.doc_id for chunk in chunks]


def test_a_chunk_is_found_by_its_id(generation):
    for row, chunk in enumerate(make_chunks(make_documents())):
        assert generation.chunks.row_of(chunk.chunk_id) == row


@pytest.mark.parametrize("chunk_id", ["0" * 16, "f" * 16, "", "no hex", "f" * 40, "-1"])
def test_an_unknown_chunk_is_named(generation, chunk_id):
    with pytest.raises(NotFoundError, match="no chunk"):
        generation.chunks.row_of(chunk_id)


def test_a_document_has_the_rows_it_shares_too(generation):
    assert generation.chunks.rows_of("zh/带宽.md").tolist() == [3, 4, 5]
    assert generation.chunks.rows_of("en/power.md").tolist() == [2, 0]


def test_a_chunk_twice_or_without_text_is_refused(tmp_path):
    documents = make_documents()
    chunks = make_chunks(documents)
    ids = [document.doc_id for document in documents]
    with pytest.raises(ValueError, match="same chunk_id"):
        write_chunks([chunk_entry(chunks[0], TermNumbers())] * 2, ids, tmp_path)
    for bad in (replace(chunks[0], text=" \n"), replace(chunks[0], pieces=()), replace(chunks[0], embed_texts=("x",))):
        with pytest.raises(ValueError, match="no text, or not one text for each piece"):
            chunk_entry(bad, TermNumbers())
