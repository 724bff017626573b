"""What every request gets: an id, timing headers, a count, and a plain answer where something unforeseen fails."""

from __future__ import annotations

import logging
import re
import secrets
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.metrics import Metrics
from api.respond import problem_response
from kb.keys import scrub

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_STATIC_ROUTES = ("/ui", "/docs")

log = logging.getLogger("gpukb.requests")


class RequestMiddleware:
    """The outermost layer around the application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _Request(scope, send)
        with self._metrics.requests_in_progress.track_inprogress():
            try:
                await self._app(scope, receive, request.send)
            except Exception as error:  # the last net: a bug must not reach a user as a trace
                log.exception("request failed", extra={"request_id": request.request_id, "path": scope["path"]})
                if request.status:
                    raise
                await problem_response(scope, error)(scope, receive, request.send)
        self._metrics.count_request(_route(scope), scope["method"], request.status, request.seconds())
        log.debug(
            "%s %s %d %.1f ms", scope["method"], scope["path"], request.status, request.seconds() * 1e3,
            extra={"request_id": request.request_id},
        )  # fmt: skip


class _Request:
    def __init__(self, scope: Scope, send: Send) -> None:
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        is_fit = _REQUEST_ID.fullmatch(given) and scrub(given) == given  # ids are logged, keys are not
        self.request_id = given if is_fit else secrets.token_hex(16)
        self.status = 0
        self._send = send
        self._started = time.perf_counter()
        scope.setdefault("state", {})["request_id"] = self.request_id

    def seconds(self) -> float:
        return time.perf_counter() - self._started

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self.request_id
            headers["Timing-Allow-Origin"] = "*"
            headers.setdefault("X-Content-Type-Options", "nosniff")
            headers.setdefault("Server-Timing", f"total;dur={self.seconds() * 1e3:.1f}")
        await self._send(message)


def _route(scope: Scope) -> str:
    """The route's template, never the path itself: labels must stay few."""
    template = getattr(scope.get("route"), "path", None)
    if isinstance(template, str):
        return template
    return next((route for route in _STATIC_ROUTES if scope["path"].startswith(f"{route}/")), "unmatched")
