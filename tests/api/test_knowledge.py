"""The application follows what is published."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kb.config import Settings
from kb.errors import IndexCorruptError
from kb.index.root import IndexRoot
from kb.types import EmbeddingInfo

INFO = EmbeddingInfo(model="fake", revision="1", dim=4, max_tokens=512)


@pytest.fixture(autouse=True)
def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.knowledge.POLL_S", 0.02)


def test_a_first_index_is_picked_up_without_a_restart(
    settings: Settings,
    publish: Callable[[Path], str],
    client_of: Callable[..., TestClient],
    wait_until: Callable[..., None],
) -> None:
    class Opened:
        device = "cpu"

        def __init__(self, settings: Settings) -> None:
            self.generation = IndexRoot(settings.data_dir).open_current(INFO)

        def close(self) -> None: ...

    with client_of(settings, Opened) as client:
        wait_until(lambda: client.get("/v1/index").json()["state"] == "empty")
        publish(settings.data_dir)
        wait_until(lambda: client.get("/readyz").status_code == 200)


def test_a_new_generation_is_served_and_a_bad_one_is_not(
    client: TestClient, settings: Settings, fake: Any, publish: Callable[..., str], wait_until: Callable[..., None]
) -> None:
    name = publish(settings.data_dir)
    wait_until(lambda: client.get("/v1/index").json()["generation"] == name)
    assert "gpukb_index_generation 2.0" in client.get("/metrics").text

    def refuse() -> bool:
        raise IndexCorruptError("chunks.jsonl differs from its checksum.")

    fake.refresh = refuse
    publish(settings.data_dir)
    wait_until(lambda: fake.generation.name == name)
    assert client.get("/readyz").status_code == 200
    assert client.get("/v1/index").json()["generation"] == name
