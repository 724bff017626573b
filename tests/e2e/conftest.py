"""Real indexes behind the real application: nothing here is faked."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from filelock import FileLock

from api.app import create_app
from ingest.opening import build_from_settings
from kb.config import Settings
from kb.index.root import IndexRoot
from tests.e2e.live import listening

ROOT = Path(__file__).resolve().parents[2]
_READY_S = 180.0


class Service:
    """One index and the HTTP application over it."""

    def __init__(self, client: TestClient, settings: Settings) -> None:
        self.client = client
        self.settings = settings

    def ask(self, question: str, **fields: Any) -> dict[str, Any]:
        response = self.client.post("/v1/ask", json={"question": question, **fields})
        assert response.status_code == 200, response.text
        reply: dict[str, Any] = response.json()
        return reply

    def search(self, query: str, **fields: Any) -> list[dict[str, Any]]:
        response = self.client.post("/v1/search", json={"query": query, **fields})
        assert response.status_code == 200, response.text
        found: list[dict[str, Any]] = response.json()["data"]
        return found

    def finish_job(self, job_id: str) -> dict[str, Any]:
        """The job, once it has ended."""
        deadline = time.monotonic() + _READY_S * 2
        while True:
            job: dict[str, Any] = self.client.get(f"/v1/index/jobs/{job_id}").json()
            if job["state"] not in {"queued", "running"}:
                return job
            assert time.monotonic() < deadline, job
            time.sleep(0.05)

    def document_text(self, doc_id: str) -> str:
        response = self.client.get(f"/v1/documents/{doc_id}")
        assert response.status_code == 200, response.text
        text: str = response.json()["text"]
        return text


@contextmanager
def serve(settings: Settings) -> Iterator[Service]:
    """The application, once it is ready."""
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50000)) as client:
        deadline = time.monotonic() + _READY_S
        while (ready := client.get("/readyz")).status_code != 200:
            assert time.monotonic() < deadline, ready.text
            time.sleep(0.05)
        yield Service(client, settings)


@pytest.fixture(scope="session")
def cache_dir(run_dir: Path) -> Path:
    """Converted model files, made once for the session."""
    return Path(os.environ.get("TEST_CACHE_DIR") or run_dir / "cache")


@pytest.fixture(scope="session")
def shipped_settings(run_dir: Path, cache_dir: Path) -> Settings:
    """The shipped corpus, built. `TEST_DATA_DIR` names an index to use and keep, so that a developer builds once."""
    settings = Settings(data_dir=Path(os.environ.get("TEST_DATA_DIR") or run_dir / "shipped"), cache_dir=cache_dir)
    with FileLock(run_dir / "shipped.lock"):  # one process of several builds it
        if IndexRoot(settings.data_dir).current_name() is None:
            build_from_settings(settings)
    return settings


@pytest.fixture(scope="session")
def shipped(shipped_settings: Settings) -> Iterator[Service]:
    """The service over the shipped corpus."""
    with serve(shipped_settings) as service:
        yield service


@pytest.fixture(scope="session")
def live_address(shipped_settings: Settings) -> Iterator[str]:
    """Where the service over the shipped corpus answers other programs."""
    with listening(shipped_settings) as address:
        yield address


@pytest.fixture(scope="session")
def serve_folder(tmp_path_factory: pytest.TempPathFactory, cache_dir: Path) -> Callable[[Path], Any]:
    """Builds a folder of documents without a card catalogue and serves it."""

    def open_service(corpus_dir: Path, **settings: Any) -> Any:
        built = Settings(
            corpus_dir=corpus_dir,
            data_dir=tmp_path_factory.mktemp("index"),
            **{"catalog": "none", "cache_dir": cache_dir, **settings},
        )
        build_from_settings(built)
        return serve(built)

    return open_service
