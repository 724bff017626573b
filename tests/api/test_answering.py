"""Work ends when the client leaves, whole answer or stream, and its place is free again."""

from __future__ import annotations

import json
import threading
from typing import Any

import anyio
import pytest

from api.app import create_app
from kb.config import Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Caller:
    """One request to an ASGI application, whose client can hang up."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.sent: list[dict[str, Any]] = []
        self.hung_up = anyio.Event()
        self._body: bytes | None = json.dumps(body).encode()

    async def call(self, app: Any) -> None:
        headers = [(b"content-type", b"application/json")]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": "/v1/ask",
            "raw_path": b"/v1/ask",
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2),
        }
        await app(scope, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.hung_up.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)


async def until(condition: Any) -> None:
    with anyio.fail_after(10):
        while not condition():
            await anyio.sleep(0.005)


@pytest.mark.parametrize("stream", [False, True])
async def test_work_ends_when_the_client_leaves(settings: Settings, fake: Any, stream: bool) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def between() -> None:
        reached.set()
        go_on.wait(10)

    fake.between = between
    app = create_app(settings.model_copy(update={"max_concurrency": 1, "max_waiting": 0}), lambda _: fake)
    async with app.router.lifespan_context(app), anyio.create_task_group() as tasks:
        await until(lambda: app.state.gpukb.knowledge.state == "ready")
        first = Caller({"question": "T4", "stream": stream})
        tasks.start_soon(first.call, app)
        await until(reached.is_set)
        first.hung_up.set()
        await anyio.sleep(0.02)
        go_on.set()
        await until(lambda: fake.closed_early)
        assert b"event: done" not in b"".join(message.get("body", b"") for message in first.sent)

        fake.between = lambda: None
        second = Caller({"question": "T4"})
        await anyio.sleep(0.02)
        await second.call(app)
        assert second.sent[0]["status"] == 200
        assert not fake.closed_early
