"""Server-sent events: how one is written, and a response that keeps the line alive and ends with its client."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.tasks import task_group

EVENT_STREAM: dict[str, Any] = {
    "text/event-stream": {
        "schema": {
            "type": "object",
            "description": "One event; `data` is a line of JSON.",
            "properties": {"event": {"type": "string"}, "data": {"type": "string"}, "id": {"type": "string"}},
            "required": ["data"],
        }
    }
}
"""How the OpenAPI document describes a stream."""
PING_INTERVAL_S = 15.0
PING = b": ping\n\n"


def encode_event(name: str, data: Mapping[str, Any] | str) -> bytes:
    """One event with LF line ends; `data` is one line of JSON (a string is taken as JSON already)."""
    return f"event: {name}\ndata: {_one_line(data)}\n\n".encode()


def encode_data(data: Mapping[str, Any] | str) -> bytes:
    """An event without a name, as OpenAI's clients read it: one `data:` line; `data` as of `encode_event`."""
    return f"data: {_one_line(data)}\n\n".encode()


def _one_line(data: Mapping[str, Any] | str) -> str:
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))


class EventStream(Response):
    """Sends events as they come, a comment whenever the line was silent for a while, and stops if the client leaves.

    Args:
        events: encoded events; closed in any case.
        on_close: called once when all is over.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        events: AsyncIterator[bytes],
        *,
        on_close: Callable[[], None] = lambda: None,
        ping_interval_s: float = PING_INTERVAL_S,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status_code = 200
        self.background = None
        self._events = events
        self._on_close = on_close
        self._ping_interval_s = ping_interval_s
        self._lock = anyio.Lock()
        self._last_sent = 0.0
        self.init_headers(
            {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", "Content-Encoding": "identity", **(headers or {})}
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the stream."""
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            self._last_sent = anyio.current_time()
            async with task_group() as tasks:
                tasks.start_soon(self._stop_when_client_leaves, receive, tasks.cancel_scope)
                tasks.start_soon(self._ping, send)
                async for event in self._events:
                    await self._send(send, event)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self._events.aclose()  # type: ignore[attr-defined]
            self._on_close()

    async def _send(self, send: Send, data: bytes) -> None:
        async with self._lock:
            await send({"type": "http.response.body", "body": data, "more_body": True})
            self._last_sent = anyio.current_time()

    async def _ping(self, send: Send) -> None:
        while True:
            silent_s = anyio.current_time() - self._last_sent
            if silent_s >= self._ping_interval_s:
                await self._send(send, PING)
                silent_s = 0.0
            await anyio.sleep(self._ping_interval_s - silent_s)

    @staticmethod
    async def _stop_when_client_leaves(receive: Receive, scope: anyio.CancelScope) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()
