from __future__ import annotations

from pathlib import Path

from fastapi.testclient import TestClient

from api.staleness import Staleness
from kb.index.root import IndexRoot
from tests.kb.index.conftest import build, make_documents


def test_documents_that_changed_or_went_are_stale(tmp_path: Path) -> None:
    corpus, root = tmp_path / "corpus", IndexRoot(tmp_path / "data")
    build(root)
    with root.open_current() as generation:
        assert Staleness(corpus).of(generation) == [document.doc_id for document in make_documents()]


def test_the_index_lists_them(client: TestClient) -> None:
    assert client.get("/v1/index").json()["stale_documents"] == ["en/a b#1.md", "zh/t4.md"]
