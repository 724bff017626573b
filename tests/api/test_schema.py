"""What the OpenAPI document says is what the service does; a share of it here, the rest with `-m slow`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis

from api.app import create_app
from bench.robustness.exploring import Exploration, config_of, explore
from kb.config import Settings
from kb.keys import KeyStore, new_key

CHANGING = ("/v1/index/jobs", "/v1/index/rollback", "/v1/documents")
"""These start builds, each a process of its own: only the long run sends them."""


@pytest.fixture
def exploration(settings: Settings, fake: Any, request: pytest.FixtureRequest) -> Iterator[Exploration]:
    """A service that asks for a key, all of whose operations are tried."""
    examples, phases, without = request.param
    key = new_key("schema", scopes=("admin",))
    KeyStore(settings.data_dir).add(key)
    app = create_app(settings, lambda _: fake)
    bearer = {"Authorization": f"Bearer {key.text}"}
    config = config_of(bearer, examples=examples, phases=phases, seed=1, without=without)
    try:
        yield explore(schemathesis.openapi.from_asgi("/openapi.json", app, config=config, headers=bearer))
    finally:
        schemathesis.python.asgi.shutdown_lifespans()


def verdict(found: Exploration) -> str:
    return "\n\n".join([*found.errors, *(f"{name}\n{how}" for name, how in found.failures.items())])


@pytest.mark.parametrize("exploration", [(5, ("fuzzing",), CHANGING)], indirect=True)
def test_a_share_of_what_the_schema_allows_and_forbids(exploration: Exploration) -> None:
    assert not exploration.failures, verdict(exploration)
    assert not exploration.errors, verdict(exploration)
    assert exploration.cases > 80
    assert max(exploration.statuses) < 500, exploration.statuses


@pytest.mark.slow
@pytest.mark.parametrize("exploration", [(50, ("examples", "coverage", "fuzzing", "stateful"), ())], indirect=True)
def test_all_of_it(exploration: Exploration) -> None:
    assert not exploration.failures, verdict(exploration)
    assert not exploration.errors, verdict(exploration)
    assert max(exploration.statuses) < 500, exploration.statuses
