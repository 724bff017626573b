"""`/v1/documents`: lists, texts, and the page a citation opens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from fastapi.testclient import TestClient

from kb.config import Settings
from kb.index.root import IndexRoot
from kb.types import Document
from tests.api.conftest import BANDWIDTH, DOCUMENTS

ODD = "en/a b#1.md"


def test_documents_are_listed_page_by_page(client: TestClient) -> None:
    first = client.get("/v1/documents", params={"limit": 1}).json()
    assert (first["total"], first["next_cursor"], first["data"][0]["id"]) == (2, ODD, ODD)
    second = client.get("/v1/documents", params={"limit": 1, "cursor": first["next_cursor"]}).json()
    assert (second["data"][0]["id"], second["next_cursor"]) == ("zh/t4.md", None)
    shown = second["data"][0]
    assert (shown["title"], shown["language"], shown["encoding"], shown["chunks"]) == ("T4 手册", "zh", "utf-8", 1)


def test_a_document_with_an_odd_name(client: TestClient) -> None:
    document = client.get(f"/v1/documents/{quote(ODD)}").json()
    assert document["id"] == ODD
    assert document["pages"] == 1


def test_no_such_document_or_page(client: TestClient) -> None:
    for path in ("/v1/documents/nothing.md", "/v1/documents/nothing.md/pages/1", "/v1/documents/zh/t4.md/pages/2"):
        response = client.get(path)
        assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_a_page_in_a_browser_shows_the_passage_and_runs_nothing(client: TestClient) -> None:
    path = f"/v1/documents/{quote(ODD)}/pages/1"
    page = client.get(path, params={"start": 0, "end": 8}, headers={"Accept": "text/html,*/*;q=0.8"})
    assert page.headers["content-type"].startswith("text/html")
    assert '<mark id="quote">&lt;script&gt;</mark>alert(1)&lt;/script&gt;' in page.text
    assert "<script" not in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_a_span_outside_the_page_marks_nothing(client: TestClient) -> None:
    page = client.get("/v1/documents/zh/t4.md/pages/1", params={"start": 9999, "end": 10_000}).json()
    assert (page["quote_start"], page["quote_end"]) == (None, None)
    assert client.get("/v1/documents/zh/t4.md/pages/1", params={"start": -1, "end": 1}).status_code == 422


def test_json_unless_a_browser_asks(client: TestClient) -> None:
    for accept in ("*/*", "application/json", "application/json,text/html"):
        assert client.get("/v1/documents/zh/t4.md/pages/1", headers={"Accept": accept}).json()["object"] == "page"


def test_a_cards_sheet_is_a_document_in_both_languages(client: TestClient) -> None:
    texts = {lang: client.get("/v1/documents/catalog/t4", params={"lang": lang}).json() for lang in ("zh", "en")}
    assert texts["zh"]["text"] != texts["en"]["text"]
    assert all("320 GB/s" in sheet["text"] for sheet in texts.values())
    for lang, sheet in texts.items():
        assert sheet["id"] == f"catalog/{lang}/t4"
        assert client.get(f"/v1/documents/{sheet['id']}").json()["text"] == sheet["text"]
    assert client.get("/v1/documents/catalog/t4/pages/1").json()["doc_id"] == "catalog/en/t4"
    assert client.get("/v1/documents/catalog/t4000").status_code == 404


def test_a_citation_opens_the_passage_as_it_was_cited(
    client: TestClient, fake: Any, settings: Settings, publish: Any, wait_until: Any
) -> None:
    first = fake.generation.name
    query = {"start": 6, "end": 10, "generation": first}
    place = "/v1/documents/zh/t4.md/pages/1"
    now = client.get(place, params=query).json()
    assert (now["state"], now["generation"], now["text"][6:10]) == ("current", first, BANDWIDTH[:4])

    def serve(*documents: Document) -> str:
        name: str = publish(settings.data_dir, documents)
        wait_until(lambda: client.get("/v1/index").json()["generation"] == name)
        return name

    second = serve(*DOCUMENTS)
    assert client.get(place, params=query).json()["state"] == "unchanged"
    serve(DOCUMENTS[0], replace(DOCUMENTS[1], text="# T4\n\nOther words.\n"))
    changed = client.get(place, params=query).json()
    assert (changed["state"], changed["generation"], changed["text"][6:10]) == ("changed", first, BANDWIDTH[:4])
    page = client.get(place, params=query, headers={"Accept": "text/html", "Accept-Language": "zh"}).text
    assert "此后文档已有更改" in page
    assert '<mark id="quote">' in page
    serve(DOCUMENTS[0])
    assert client.get(place, params=query).json()["state"] == "gone"
    assert client.get(place).status_code == 404
    with IndexRoot(settings.data_dir).lock():
        IndexRoot(settings.data_dir).prune(keep=1)
    pruned = client.get(place, params={**query, "generation": "gen-000077-abcd"}, headers={"Accept-Language": "zh"})
    assert pruned.status_code == 404
    assert "已不再保留" in pruned.json()["detail"]
    other = client.get("/v1/documents/en/a%20b%231.md/pages/1", params={**query, "generation": second})
    assert (other.json()["state"], other.json()["quote_start"]) == ("pruned", None)
    assert client.get(place, params={**query, "generation": "../x"}).status_code == 422
