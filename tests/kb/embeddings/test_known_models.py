from __future__ import annotations

import pytest

from kb.embeddings.known_models import known_model


@pytest.mark.parametrize(
    ("name", "query", "passage", "window"),
    [
        ("intfloat/multilingual-e5-large", "query: ", "passage: ", 512),
        ("E5-base-v2", "query: ", "passage: ", 512),
        ("BAAI/bge-m3", "", "", 8192),
        ("BAAI/bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", "", 512),
        ("/models/BAAI/bge-base-en-v1.5/", "Represent this sentence for searching relevant passages: ", "", 512),
        ("Alibaba-NLP/gte-multilingual-base", "", "", 8192),
        ("thenlper/gte-large-zh", "", "", 512),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: ", 8192),
    ],
)
def test_known_models(name, query, passage, window):
    row = known_model(name)
    assert (row.query_prefix, row.passage_prefix, row.max_tokens) == (query, passage, window)


def test_instructions_are_for_the_question_alone():
    for name in ("intfloat/multilingual-e5-large-instruct", "Qwen/Qwen3-Embedding-0.6B"):
        row = known_model(name)
        assert row.query_prefix.startswith("Instruct: ")
        assert row.passage_prefix == ""


def test_an_unknown_model_has_no_row():
    assert known_model("made-up/model") is None
