"""Searching a small corpus in both languages."""

from __future__ import annotations

import pytest

from kb.errors import RequestError
from kb.types import Filters


def doc_ids(result):
    return [hit.chunk.doc_id for hit in result.hits]


@pytest.mark.parametrize(
    ("question", "doc_id"),
    [
        ("How often are the filters washed?", "kestrel-cooling.md"),
        ("How much memory does the Kestrel K50 have?", "kestrel-memory.md"),
        ("How long is the warranty?", "warranty.md"),
        ("When do queued jobs move to the night queue?", "scheduler.md"),
        ("云雀 Q70 的电源需要多少瓦？", "供电.md"),
        ("夜里能一个人进机房吗？", "机房.md"),
        ("多少钱以上的采购要财务复核？", "采购.md"),
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "dense"])
def test_the_right_passage_comes_first(retriever, small_corpus, question, doc_id, mode):
    assert doc_ids(retriever.search(small_corpus, question, mode=mode))[0] == doc_id


@pytest.mark.parametrize(
    ("question", "doc_id"),
    [
        ("保修期有多长？", "warranty.md"),
        ("一个用户最多同时跑几个任务？", "scheduler.md"),
        ("Who must approve a purchase?", "采购.md"),
        ("How many people must enter the server room at night?", "机房.md"),
    ],
)
def test_a_passage_in_the_other_language_alone_is_found(retriever, small_corpus, question, doc_id):
    result = retriever.search(small_corpus, question)
    assert doc_id in doc_ids(result)[:5]
    hit = next(hit for hit in result.hits if hit.chunk.doc_id == doc_id)
    assert hit.contributions.cross is not None


def test_scores_lie_in_0_to_1_and_fall_outside_reserved_places(retriever, small_corpus):
    result = retriever.search(small_corpus, "How much memory does the Kestrel K50 have?")
    own = [hit.score for hit in result.hits if hit.contributions.cross is None]
    assert own == sorted(own, reverse=True)
    assert all(0 <= hit.score <= 1 for hit in result.hits)
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))


def test_the_same_search_gives_the_same_hits(retriever, small_corpus):
    first, second = (retriever.search(small_corpus, "vapour chamber") for _ in range(2))
    assert first.hits == second.hits


def test_stages_are_timed(retriever, small_corpus):
    assert set(retriever.search(small_corpus, "fans").timings_ms) == {"embed", "dense", "sparse", "fuse"}
    assert set(retriever.search(small_corpus, "fans", mode="sparse").timings_ms) == {"sparse", "fuse"}


def test_keyword_search_finds_nothing_where_no_word_matches(retriever, small_corpus):
    assert retriever.search(small_corpus, "zebra giraffe", mode="sparse").hits == ()


def test_a_blank_text_finds_nothing(retriever, small_corpus):
    assert retriever.search(small_corpus, "  ").hits == ()


@pytest.mark.parametrize("top_k", [0, 101])
def test_top_k_out_of_range_is_an_error(retriever, small_corpus, top_k):
    with pytest.raises(RequestError, match="top_k"):
        retriever.search(small_corpus, "fans", top_k=top_k)


def test_top_k_limits_the_hits(retriever, small_corpus):
    assert len(retriever.search(small_corpus, "Kestrel", top_k=2).hits) == 2


@pytest.mark.parametrize("code", ["PPR-9087", "ppr 9087", "PPR9087", "9087"])
def test_a_part_number_is_found_however_it_is_written(retriever, small_corpus, code):
    assert doc_ids(retriever.search(small_corpus, code))[0] == "driver-notes.md"


def test_an_unknown_code_is_said_to_be_unknown(retriever, small_corpus):
    assert retriever.search(small_corpus, "Where is part PPR-9088?").signals.unknown_codes == ("ppr9088",)
    assert retriever.search(small_corpus, "Where is part PPR-9087?").signals.unknown_codes == ()


def test_a_named_document_is_answered_from_alone(retriever, small_corpus):
    result = retriever.search(small_corpus, "In the driver notes, what is fixed?")
    assert result.signals.named_documents == ("driver-notes.md",)
    assert set(doc_ids(result)) == {"driver-notes.md"}


def test_filters_limit_the_hits(retriever, small_corpus):
    by_document = retriever.search(small_corpus, "memory", filters=Filters(doc_id=("warranty.md",)))
    assert set(doc_ids(by_document)) <= {"warranty.md"}
    by_card = retriever.search(small_corpus, "How is it cooled?", filters=Filters(gpu=("Q70",)))
    assert by_card.hits
    assert all("Q70" in hit.chunk.text for hit in by_card.hits)


def test_a_date_filter_leaves_out_documents_without_a_date(retriever, small_corpus):
    assert retriever.search(small_corpus, "memory", filters=Filters(published_after="2020-01-01")).hits == ()


def test_the_best_piece_lies_in_the_passage(retriever, small_corpus):
    for hit in retriever.search(small_corpus, "How often are the filters washed?").hits:
        assert hit.chunk.start <= hit.piece.start < hit.piece.end <= hit.chunk.end


def test_without_a_second_encoder_the_other_language_is_still_found(embedder, small_corpus):
    from kb.retrieval.hybrid import HybridRetriever

    result = HybridRetriever(embedder).search(small_corpus, "保修期有多长？")
    assert "warranty.md" in doc_ids(result)[:5]


def test_a_corpus_in_one_language_is_searched_in_the_other(retriever, build_files):
    english = build_files(
        {"a.md": "The warranty lasts five years.", "b.md": "Fans spin at 2,000 rpm.", "c.md": "Send mail to the depot."}
    )
    result = retriever.search(english, "保修几年？")
    assert doc_ids(result)[0] == "a.md"
    assert result.signals.crossing
