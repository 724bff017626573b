"""What holds for every route: ids, limits, pages, the OpenAPI document, other sites."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from openapi_spec_validator import validate

from kb.config import Settings

QUESTION = {"question": "T4 的显存带宽是多少？"}


@pytest.mark.parametrize(("given", "kept"), [("abc-DEF_1.2", True), ("a" * 129, False), ("a b", False), ("", False)])
def test_request_ids_are_kept_if_they_are_harmless(client: TestClient, given: str, kept: bool) -> None:
    shown = client.get("/healthz", headers={"X-Request-Id": given}).headers["x-request-id"]
    assert (shown == given) is kept
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,128}", shown)


def test_every_response_tells_its_time(client: TestClient) -> None:
    for path in ("/healthz", "/v1/gpus/t4", "/nothing"):
        headers = client.get(path).headers
        assert re.fullmatch(r"total;dur=\d+\.\d", headers["server-timing"])
        assert headers["timing-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("POST", "/v1/nothing", 404, "not_found"),
        ("DELETE", "/v1/ask", 405, "method_not_allowed"),
        ("GET", "/ui/nothing.js", 404, "not_found"),
    ],
)
def test_every_error_is_a_problem_document(client: TestClient, method: str, path: str, status: int, code: str) -> None:
    response = client.request(method, path)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["request_id"] == response.headers["x-request-id"]


def test_errors_are_chinese_for_who_reads_chinese(client: TestClient) -> None:
    problem = client.get("/v1/gpus/no-such-card", headers={"Accept-Language": "zh-CN"})
    assert problem.json()["title"] == "未找到"
    assert problem.headers["content-language"] == "zh"


def test_a_body_over_the_limit(client: TestClient) -> None:
    large = b'{"question": "' + b"x" * 1_100_000 + b'"}'
    declared = client.post("/v1/ask", content=large, headers={"content-type": "application/json"})

    def pieces() -> Iterator[bytes]:
        yield large[:600_000]
        yield large[600_000:]

    undeclared = client.post("/v1/ask", content=pieces(), headers={"content-type": "application/json"})
    for response in (declared, undeclared):
        assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")


def test_the_openapi_document_is_valid_and_names_its_problems(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    validate(document)
    operations: list[str] = [
        operation["operationId"] for path in document["paths"].values() for operation in path.values()
    ]
    assert len(operations) == len(set(operations))
    assert "application/problem+json" in document["paths"]["/v1/ask"]["post"]["responses"]["4XX"]["content"]
    assert "text/event-stream" in document["paths"]["/v1/ask"]["post"]["responses"]["200"]["content"]


def test_the_pages_load_nothing_from_elsewhere(client: TestClient) -> None:
    for path in ("/", "/docs"):
        page = client.get(path)
        assert page.status_code == 200
        assert "default-src 'self'" in page.headers["content-security-policy"]
        assert "http://" not in page.text
        assert "https://" not in page.text
        for asset in re.findall(r'(?:src|href)="(/(?:ui|docs)/[^"]+)"', page.text):
            assert client.get(asset).status_code == 200, asset


def test_other_sites_only_by_the_list(
    settings: Settings, fake: Any, client: TestClient, client_of: Callable[..., TestClient]
) -> None:
    asking = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    assert "access-control-allow-origin" not in client.get("/healthz", headers=asking).headers
    listed = settings.model_copy(update={"cors_origins": ("https://a.example",)})
    with client_of(listed, lambda _: fake) as opened:
        allowed = opened.get("/healthz", headers=asking)
        assert allowed.headers["access-control-allow-origin"] == "https://a.example"
        assert "x-request-id" in allowed.headers["access-control-expose-headers"].lower()
        other = opened.get("/healthz", headers={"Origin": "https://b.example"})
        assert "access-control-allow-origin" not in other.headers
        assert opened.options("/v1/ask", headers=asking).status_code == 200
