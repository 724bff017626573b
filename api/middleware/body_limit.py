"""Refuses bodies over a limit, by their declared length or, where none is declared, as they come in."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import ProblemError
from api.respond import problem_response


class BodyLimitMiddleware:
    """Answers 413 to a body that is too large.

    Args:
        app: what it guards.
        max_body_bytes: for all routes but those in `larger`.
        larger: limits of their own, by method and path.
    """

    def __init__(self, app: ASGIApp, max_body_bytes: int, larger: Mapping[tuple[str, str], int] | None = None) -> None:
        self._app = app
        self._max_body_bytes = max_body_bytes
        self._larger = dict(larger or {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._larger.get((scope["method"], scope["path"]), self._max_body_bytes)
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdigit() and int(declared) > limit:
            await problem_response(scope, _too_large(limit))(scope, receive, send)
            return
        body = _CountedBody(receive, limit)

        async def send_unless_too_large(message: Message) -> None:
            if not body.is_too_large:
                await send(message)

        # The framework turns an error of `receive` into an answer of its own, which is held back here.
        with contextlib.suppress(_TooLargeError):
            await self._app(scope, body.receive, send_unless_too_large)
        if body.is_too_large:
            await problem_response(scope, _too_large(limit))(scope, receive, send)


def _too_large(limit: int) -> ProblemError:
    return ProblemError("payload_too_large", f"A request body may have {limit} bytes.", f"请求体至多 {limit} 字节。")


class _TooLargeError(Exception):
    pass


class _CountedBody:
    def __init__(self, receive: Receive, max_bytes: int) -> None:
        self.is_too_large = False
        self._receive = receive
        self._left = max_bytes

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                self.is_too_large = True
                raise _TooLargeError
        return message
