"""The documentation names every setting, route, metric and code."""

from __future__ import annotations

from pathlib import Path

from fastapi.testclient import TestClient

from api.metrics import Metrics
from api.problems import KINDS
from kb.config import settings_markdown

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_table_of_settings_is_true() -> None:
    text = (DOCS / "operations.md").read_text(encoding="utf-8")
    assert settings_markdown() in text, "run: gpukb settings --markdown"


def test_every_metric_is_described() -> None:
    text = (DOCS / "operations.md").read_text(encoding="utf-8")
    for family in Metrics().registry.collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        assert f"| `{name}` |" in text, name


def test_every_route_is_described(client: TestClient) -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for method in operations:
            assert f"| `{method.upper()} {path}` |" in text, path


def test_every_code_is_described() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for kind in KINDS.values():
        assert f"| {kind.status} | `{kind.code}` |" in text
