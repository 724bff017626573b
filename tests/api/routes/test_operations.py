"""Health, readiness, metrics, information, index: what an operator looks at."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kb.config import Settings
from kb.errors import EmbeddingError, IndexCorruptError, IndexMissingError

QUESTION = {"question": "T4 的显存带宽是多少？"}


def raising(error: Exception) -> Callable[[Settings], Any]:
    def open_kb(_: Settings) -> Any:
        raise error

    return open_kb


def checks_of(client: TestClient) -> dict[str, str]:
    return {name: check["status"] for name, check in client.get("/readyz").json()["checks"].items()}


def test_alive_at_once_and_ready_later(
    settings: Settings, fake: Any, client_of: Callable[..., TestClient], wait_until: Callable[..., None]
) -> None:
    go_on = threading.Event()

    def slowly(_: Settings) -> Any:
        go_on.wait(10)
        return fake

    with client_of(settings, slowly) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/health").status_code == 200
        not_ready = client.get("/readyz")
        assert (not_ready.status_code, not_ready.json()["status"]) == (503, "not_ready")
        assert checks_of(client) == {"index": "loading", "embedder": "loading", "llm": "off"}
        asked = client.post("/v1/ask", json=QUESTION)
        assert (asked.status_code, asked.json()["code"]) == (503, "index_not_ready")
        assert asked.headers["retry-after"] == "5"
        assert client.get("/v1/index").json()["state"] == "building"
        assert client.get("/v1/info").json()["index"]["state"] == "loading"
        go_on.set()
        wait_until(lambda: client.get("/readyz").status_code == 200)
        assert client.get("/readyz").json()["status"] == "ready"
        assert checks_of(client) == {"index": "ok", "embedder": "ok", "llm": "off"}
    assert fake.is_closed


@pytest.mark.parametrize(
    ("error", "checks", "state", "code"),
    [
        (IndexMissingError("none"), {"index": "missing", "embedder": "unknown"}, "empty", "index_not_ready"),
        (IndexCorruptError("chunks.jsonl"), {"index": "failed", "embedder": "unknown"}, "error", "index_not_ready"),
        (EmbeddingError("no weights"), {"index": "unknown", "embedder": "failed"}, "error", "embedder_not_ready"),
        (ValueError("bug"), {"index": "failed", "embedder": "unknown"}, "error", "internal_error"),
    ],
)
def test_failed_loading_stays_failed_and_says_why(
    settings: Settings,
    client_of: Callable[..., TestClient],
    wait_until: Callable[..., None],
    error: Exception,
    checks: dict[str, str],
    state: str,
    code: str,
) -> None:
    with client_of(settings, raising(error)) as client:
        wait_until(lambda: checks_of(client)["index"] != "loading")
        ready = client.get("/readyz")
        assert ready.status_code == 503
        assert checks_of(client) == {**checks, "llm": "off"}
        assert str(error) in ready.text
        assert client.get("/v1/index").json()["state"] == state
        assert client.post("/v1/ask", json=QUESTION).json()["code"] == code
        assert client.get("/healthz").status_code == 200


def test_an_unreachable_chat_model_is_named_beside_a_missing_index(
    settings: Settings, client_of: Callable[..., TestClient], wait_until: Callable[..., None]
) -> None:
    with_llm = settings.model_copy(update={"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "none"})
    with client_of(with_llm, raising(IndexMissingError("There is no index."))) as client:
        wait_until(lambda: checks_of(client)["index"] != "loading")
        body = client.get("/readyz").json()
    assert body["status"] == "not_ready"
    assert (body["checks"]["index"]["status"], body["checks"]["llm"]["status"]) == ("missing", "unreachable")


def test_without_its_chat_model_the_service_is_degraded_but_ready(
    settings: Settings, fake: Any, client_of: Callable[..., TestClient], wait_until: Callable[..., None]
) -> None:
    with_llm = settings.model_copy(update={"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "none"})
    with client_of(with_llm, lambda _: fake) as client:
        wait_until(lambda: client.get("/readyz").status_code == 200)
        assert client.get("/readyz").json()["status"] == "degraded"


def test_the_index_is_described(client: TestClient) -> None:
    body = client.get("/v1/index").json()
    assert (body["state"], body["documents"], body["chunks"]) == ("ready", 2, 2)
    assert body["generation"].startswith("gen-000001-")
    assert body["embedding"]["dim"] == 4
    assert len(body["embedding"]["fingerprint"]) == 16
    assert body["stale_documents"] == ["en/a b#1.md", "zh/t4.md"], "their files are not in the corpus folder"
    assert body["running_job"] is None


def test_information(client: TestClient) -> None:
    body = client.get("/v1/info").json()
    assert body["name"] == "gpukb"
    assert re.match(r"\d+\.\d+", body["version"])
    assert body["models"] == {"embedding": "fake", "cross_embedding": None, "chat": None}
    assert {"ask", "search", "gpus"} <= set(body["features"])


METRICS = [
    "requests_total",
    "request_duration_seconds",
    "requests_in_progress",
    "requests_waiting",
    "stage_duration_seconds",
    "time_to_first_token_seconds",
    "answers_total",
    "embedding_batch_size",
    "truncated_inputs_total",
    "tokens_total",
    "upstream_requests_total",
    "upstream_duration_seconds",
    "cache_requests_total",
    "rate_limited_total",
    "feedback_total",
    "index_documents",
    "index_chunks",
    "index_generation",
    "index_last_success_timestamp_seconds",
    "index_jobs_total",
    "index_job_duration_seconds",
    "build_info",
]


def test_every_metric_of_the_contract_is_there(client: TestClient) -> None:
    text = client.get("/metrics").text
    for name in METRICS:
        # A counter's help line comes without its suffix.
        assert f"# TYPE gpukb_{name} " in text or f"# TYPE gpukb_{name.removesuffix('_total')} " in text, name
    assert "gpukb_index_documents 2.0" in text
    assert "gpukb_index_generation 1.0" in text
    assert "gpukb_truncated_inputs_total 0.0" in text


def test_labels_stay_few(client: TestClient) -> None:
    client.get("/v1/gpus/t4")
    client.get("/v1/gpus/nothing")
    client.get("/no/such/path")
    client.request("BREW", "/healthz")
    text = client.get("/metrics").text
    assert 'route="/v1/gpus/{gpu_id}"' in text
    assert 'route="unmatched"' in text
    assert "/no/such/path" not in text
    assert 'method="other"' in text
    assert "BREW" not in text


def test_inputs_that_were_cut_are_counted(client: TestClient, fake: Any) -> None:
    fake.truncated_inputs = 2
    assert "gpukb_truncated_inputs_total 2.0" in client.get("/metrics").text
    assert "gpukb_truncated_inputs_total 2.0" in client.get("/metrics").text
