"""`POST /v1/search`."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from kb.types import Filters


def test_passages_come_with_their_place_and_scores(client: TestClient, fake: Any) -> None:
    body = {"query": "T4 带宽", "top_k": 5, "mode": "sparse", "filters": {"doc_id": ["zh/t4.md"]}}
    response = client.post("/v1/search", json=body)
    found = response.json()
    source = found["data"][0]
    assert found["object"] == "list"
    assert found["next_cursor"] is None
    assert (source["doc_id"], source["title"], source["index"]) == ("zh/t4.md", "T4 手册", 1)
    assert source["scores"] == {"dense": 0.5, "sparse": 1.0, "rerank": None, "cross": None}
    assert (source["url"], source["published"], source["doc_version"]) == (
        "https://example.org/t4",
        "2024-01-02",
        "abababababab",
    )
    assert found["index"]["generation"].startswith("gen-")
    assert found["timings_ms"]["embed"] == 1.0
    assert "embed;dur=1" in response.headers["server-timing"]
    assert fake.searches == [
        {"text": "T4 带宽", "top_k": 5, "mode": "sparse", "filters": Filters(doc_id=("zh/t4.md",))}
    ]


def test_a_passage_opens_where_it_was_found(client: TestClient) -> None:
    source = client.post("/v1/search", json={"query": "T4"}).json()["data"][0]
    page = client.get(source["page_url"], headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert '<mark id="quote">' in page.text


def test_limits(client: TestClient) -> None:
    assert client.post("/v1/search", json={"query": "x", "top_k": 100}).status_code == 200
    for body, loc in (({"query": "x", "top_k": 101}, "top_k"), ({"query": "x" * 2001}, "query"), ({"q": "x"}, "query")):
        problem = client.post("/v1/search", json=body)
        assert problem.status_code == 422
        assert problem.json()["errors"][0]["loc"] == loc


def test_a_reranker_that_is_not_there_is_said_to_be_missing(client: TestClient) -> None:
    found = client.post("/v1/search", json={"query": "x", "rerank": True}).json()
    assert found["warnings"][0].startswith("rerank:")
