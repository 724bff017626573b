"""HEAD: as GET, without the body."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/v1/info", "/v1/gpus/t4", "/v1/documents", "/"])
def test_head_is_get_without_its_body(client: TestClient, path: str) -> None:
    get, head = client.get(path), client.head(path)
    assert head.status_code == get.status_code
    assert head.content == b""
    assert head.headers["content-type"] == get.headers["content-type"]


def test_where_there_is_no_get_there_is_no_head(client: TestClient) -> None:
    assert client.head("/v1/ask").status_code == 405
    assert client.head("/v1/documents/nothing.md").status_code == 404
