"""`POST /v1/ask` over HTTP: the contract's fields, the stream's order, limits, and clients that leave."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kb.config import Settings
from kb.errors import LlmTimeoutError, LlmUnavailableError
from kb.types import Filters, Turn

QUESTION = "T4 的显存带宽是多少？"
FIELDS = {
    "id", "object", "created", "status", "reason", "language", "answer", "citations", "sources", "tables", "facts",
    "usage", "timings_ms", "index", "model", "device", "warnings",
}  # fmt: skip
STAGES = {
    "queue", "resolve", "embed", "dense", "sparse", "fuse", "rerank", "compose", "first_token", "generate", "verify",
    "total",
}  # fmt: skip


def events_of(text: str) -> list[tuple[str, Any]]:
    events = []
    for block in text.split("\n\n"):
        if not block or block.startswith(":"):
            continue
        name, data = block.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


def test_an_answer_has_every_field_of_the_contract(client: TestClient) -> None:
    response = client.post("/v1/ask", json={"question": QUESTION})
    body = response.json()
    assert response.status_code == 200
    assert set(body) == FIELDS
    assert body["id"].startswith("ans_")
    assert body["object"] == "answer"
    assert body["created"].endswith("Z")
    assert set(body["timings_ms"]) == STAGES
    assert body["timings_ms"]["rerank"] is None
    assert body["timings_ms"]["queue"] == 0.0
    assert body["timings_ms"]["total"] >= 2.0
    assert body["index"]["generation"].startswith("gen-")
    assert body["facts"][0] == {
        "gpu_id": "t4",
        "field": "memory_bandwidth_gb_s",
        "value": 320.0,
        "unit": "GB/s",
        "qualifier": None,
        "source": "src_1",
        "verdict": "supported",
        "kind": "figure",
        "text": "320 GB/s",
        "start": 12,
        "end": 20,
    }
    assert body["answer"][12:20] == "320 GB/s"
    assert body["tables"][0]["rows"][0]["cells"]["bw"]["source"] == "src_1"


def test_a_mark_leads_to_its_quote_in_the_document(client: TestClient) -> None:
    body = client.post("/v1/ask", json={"question": QUESTION}).json()
    citation = body["citations"][0]
    assert body["answer"][citation["start"] : citation["end"]] == citation["marker"]
    document = client.get(f"/v1/documents/{citation['doc_id']}").json()
    assert document["text"][citation["doc_start"] : citation["doc_end"]] == citation["quote"]
    page = client.get(citation["page_url"]).json()
    assert page["text"][page["quote_start"] : page["quote_end"]] == citation["quote"]


def test_the_request_reaches_the_library(client: TestClient, fake: Any) -> None:
    body = {
        "question": QUESTION,
        "messages": [{"role": "user", "content": "你好"}, {"role": "assistant", "content": "你好！"}],
        "language": "zh",
        "mode": "extract",
        "filters": {"vendor": ["nvidia"], "doc_id": ["zh/t4.md"], "published_after": "2023-01"},
        "top_k": 3,
        "max_tokens": 100,
        "include": ["trace", "source_text"],
    }
    answer = client.post("/v1/ask", json=body).json()
    request = fake.requests[-1]
    assert request.history == (Turn("user", "你好"), Turn("assistant", "你好！"))
    assert (request.language, request.mode, request.top_k, request.max_tokens) == ("zh", "extract", 3, 100)
    assert request.filters == Filters(vendor=("nvidia",), doc_id=("zh/t4.md",), published_after="2023-01")
    assert answer["trace"] == {"intent": "look-up"}


def test_top_k_defaults_to_the_setting(client: TestClient, fake: Any) -> None:
    client.post("/v1/ask", json={"question": QUESTION})
    assert fake.requests[-1].top_k == 8


def test_headers_tell_id_and_stages(client: TestClient) -> None:
    response = client.post("/v1/ask", json={"question": QUESTION}, headers={"X-Request-Id": "my-id.1"})
    assert response.headers["x-request-id"] == "my-id.1"
    assert response.headers["timing-allow-origin"] == "*"
    assert "embed;dur=1.5" in response.headers["server-timing"]
    assert "rerank" not in response.headers["server-timing"]


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({"question": QUESTION, "qustion": 1}, "qustion"),
        ({"question": QUESTION, "filters": {"vender": []}}, "filters.vender"),
        ({}, "question"),
        ({"question": "   "}, "question"),
        ({"question": ""}, "question"),
        ({"question": "x" * 2001}, "question"),
        ({"question": 5}, "question"),
        ({"question": QUESTION, "top_k": 51}, "top_k"),
        ({"question": QUESTION, "language": "fr"}, "language"),
        ({"question": QUESTION, "messages": [{"role": "system", "content": "x"}]}, "messages.0.role"),
        ({"question": QUESTION, "filters": {"published_after": "gestern"}}, "filters.published_after"),
        ({"question": QUESTION, "filters": {"published_after": "2026-13-45"}}, "filters.published_after"),
        ({"question": QUESTION, "filters": {"published_after": "2026-02-31"}}, "filters.published_after"),
        ({"question": QUESTION, "top_k": True}, "top_k"),
        ({"question": QUESTION, "top_k": "5"}, "top_k"),
        ({"question": QUESTION, "max_tokens": 1.5}, "max_tokens"),
        ({"question": QUESTION, "stream": "yes"}, "stream"),
        ({"question": QUESTION, "stream": 1}, "stream"),
    ],
)
def test_a_wrong_field_is_named(client: TestClient, body: dict[str, Any], loc: str) -> None:
    response = client.post("/v1/ask", json=body)
    problem = response.json()
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert problem["code"] == "validation_failed"
    assert problem["errors"][0]["loc"] == loc
    assert problem["request_id"] == response.headers["x-request-id"]


def test_a_longest_question_and_a_lone_surrogate(client: TestClient) -> None:
    assert client.post("/v1/ask", json={"question": "问" * 2000}).status_code == 200
    broken = client.post("/v1/ask", content=b'{"question": "\\ud800"}', headers={"content-type": "application/json"})
    assert broken.status_code == 422


def test_errors_speak_the_callers_language(client: TestClient) -> None:
    problem = client.post("/v1/ask", json={"q": 1}, headers={"Accept-Language": "zh-CN"}).json()
    assert problem["title"] == "请求字段有误"
    assert {"loc": "q", "msg": "没有这个字段"} in problem["errors"]


def test_what_is_no_json(client: TestClient) -> None:
    broken = client.post("/v1/ask", content=b"{", headers={"content-type": "application/json"})
    assert (broken.status_code, broken.json()["code"]) == (400, "invalid_request")
    form = client.post("/v1/ask", data={"question": "x"})
    assert (form.status_code, form.json()["code"]) == (415, "unsupported_media_type")


def test_a_stream_tells_everything_in_order(client: TestClient) -> None:
    response = client.post("/v1/ask", json={"question": QUESTION, "stream": True})
    events = events_of(response.text)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-cache"
    assert [name for name, _ in events] == ["start", "status", "sources", "delta", "delta", "table", "done"]
    done = events[-1][1]
    assert "".join(data["text"] for name, data in events if name == "delta") == done["answer"]
    assert events[0][1]["id"] == done["id"]
    assert set(done) == FIELDS
    assert events[1][1] == {"stage": "embed", "ms": 1.5}
    assert events[2][1]["sources"][0]["doc_id"] == "zh/t4.md"


def test_an_error_within_a_stream_is_its_last_event(client: TestClient, fake: Any) -> None:
    def fail() -> None:
        raise LlmTimeoutError("The chat model took over 60 s.")

    fake.between = fail
    response = client.post("/v1/ask", json={"question": QUESTION, "stream": True})
    name, problem = events_of(response.text)[-1]
    assert (name, problem["code"]) == ("error", "llm_timeout")
    assert problem["request_id"] == response.headers["x-request-id"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_bug_is_no_trace_for_the_user(client: TestClient, fake: Any, stream: bool) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError("secret detail")

    fake.before = fail
    response = client.post("/v1/ask", json={"question": QUESTION, "stream": stream})
    assert "secret" not in response.text
    assert "Traceback" not in response.text
    problem = events_of(response.text)[-1][1] if stream else response.json()
    assert (problem["code"], problem["status"]) == ("internal_error", 500)


def test_a_library_error_has_its_own_status(client: TestClient, fake: Any) -> None:
    def fail(_: object) -> None:
        raise LlmUnavailableError("The chat model does not answer.", "Start it.")

    fake.before = fail
    response = client.post("/v1/ask", json={"question": QUESTION, "mode": "generate"})
    assert (response.status_code, response.json()["code"]) == (503, "llm_unavailable")
    assert response.headers["retry-after"] == "10"
    assert response.json()["detail"] == "The chat model does not answer. Start it."


def test_beyond_the_queue_a_request_is_told_to_come_again(
    settings: Settings, fake: Any, client_of: Callable[..., TestClient], wait_until: Callable[..., None]
) -> None:
    go_on = threading.Event()
    fake.before = lambda _: go_on.wait(10)
    narrow = settings.model_copy(update={"max_concurrency": 1, "max_waiting": 1})
    with client_of(narrow, lambda _: fake) as client, ThreadPoolExecutor(2) as pool:
        wait_until(lambda: client.get("/readyz").status_code == 200)
        ask = lambda: client.post("/v1/ask", json={"question": QUESTION})  # noqa: E731
        running = pool.submit(ask)
        wait_until(lambda: bool(fake.requests))
        waiting = pool.submit(ask)
        wait_until(lambda: "gpukb_requests_waiting 1.0" in client.get("/metrics").text)
        refused = ask()
        assert client.get("/healthz").status_code == 200
        go_on.set()
        assert running.result().status_code == 200
        assert waiting.result().json()["timings_ms"]["queue"] > 0
    assert (refused.status_code, refused.json()["code"]) == (503, "overloaded")
    assert refused.headers["retry-after"] == "1"


def test_answers_are_counted(client: TestClient) -> None:
    client.post("/v1/ask", json={"question": QUESTION})
    text = client.get("/metrics").text
    assert 'gpukb_answers_total{language="zh",mode="extract",status="answered"} 1.0' in text
    assert 'gpukb_stage_duration_seconds_count{device="cpu",stage="embed"} 1.0' in text
    assert 'gpukb_tokens_total{type="prompt"} 3.0' in text
    assert 'gpukb_requests_total{code="200",method="POST",route="/v1/ask"} 1.0' in text
