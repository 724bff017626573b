"""Server-sent events: their form, the pings between them, and an end that always comes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from api.sse import EventStream, encode_event

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Line:
    """What a server would give a response: a client that may leave, and what was sent to it."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.left = anyio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def text(self) -> str:
        return b"".join(message.get("body", b"") for message in self.sent).decode()


def test_an_event_is_two_lines_and_keeps_its_characters() -> None:
    assert encode_event("delta", {"text": "显存\n带宽"}) == 'event: delta\ndata: {"text":"显存\\n带宽"}\n\n'.encode()


async def test_a_stream_ends_and_is_closed() -> None:
    line, closed = Line(), []

    async def events() -> AsyncIterator[bytes]:
        try:
            yield encode_event("start", {})
        finally:
            closed.append("events")

    await EventStream(events(), on_close=lambda: closed.append("slot"))({}, line.receive, line.send)
    headers = {name.decode(): value.decode() for name, value in line.sent[0]["headers"]}
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (headers["cache-control"], headers["x-accel-buffering"]) == ("no-cache", "no")
    assert line.text == "event: start\ndata: {}\n\n"
    assert line.sent[-1]["more_body"] is False
    assert closed == ["events", "slot"]


async def test_a_silent_line_is_kept_alive() -> None:
    line = Line()

    async def events() -> AsyncIterator[bytes]:
        await anyio.sleep(0.08)
        yield encode_event("done", {})

    await EventStream(events(), ping_interval_s=0.02)({}, line.receive, line.send)
    assert line.text.count(": ping\n\n") >= 2
    assert line.text.replace(": ping\n\n", "") == "event: done\ndata: {}\n\n"


async def test_work_ends_when_the_client_leaves() -> None:
    line, closed = Line(), []

    async def events() -> AsyncIterator[bytes]:
        try:
            yield encode_event("start", {})
            line.left.set()
            await anyio.sleep(60)
        finally:
            closed.append("events")

    with anyio.fail_after(5):
        await EventStream(events(), on_close=lambda: closed.append("slot"))({}, line.receive, line.send)
    assert closed == ["events", "slot"]
