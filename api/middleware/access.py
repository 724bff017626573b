"""Asks the gate about every request, before anything of it is read."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.auth.access import RouteTable
from api.auth.caller import remember
from api.auth.gate import Admission, Gate
from api.auth.sign_in import is_visit, sign_in_page
from api.problems import ProblemError, problem_of
from api.respond import language_of_request, problem_response, write_problem
from kb.errors import KeyFileError

if TYPE_CHECKING:
    from fastapi import FastAPI

_UNKNOWN = 401

log = logging.getLogger("gpukb.keys")


class AccessMiddleware:
    """Refuses who may not, keeps to the methods that a path takes, and tells what those are.

    Args:
        app: what it guards.
        gate: decides.
    """

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate
        self._table: RouteTable | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        place = self._routes(scope["app"]).at(scope["path"])
        method = scope["method"]
        try:
            # A path or method that is not there tells a stranger as little as one that is.
            admission = self._gate.admit(scope, place.methods.get(method, "read") if place else "read")
            remember(scope, admission.caller)
            if place is not None and method not in place.methods:
                await _answer_for_method(scope, place.allow(), receive, self._marked(send, admission))
                return
        except KeyFileError as error:
            log.error("nobody is let in: %s", error)
            await problem_response(scope, error)(scope, receive, send)
            return
        except ProblemError as error:
            await _refusal(scope, error)(scope, receive, send)
            return
        await self._app(scope, receive, self._marked(send, admission))

    def _routes(self, app: FastAPI) -> RouteTable:
        if self._table is None:
            self._table = RouteTable(app.routes)
        return self._table

    @staticmethod
    def _marked(send: Send, admission: Admission) -> Send:
        if not admission.is_private:
            return send

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"] = [*message.get("headers", ()), *admission.raw_headers]
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
            await send(message)

        return send_marked


def _refusal(scope: Scope, error: ProblemError) -> Response:
    problem = problem_of(error, language_of_request(scope))
    return (
        sign_in_page(problem) if problem.kind.status == _UNKNOWN and is_visit(scope) else write_problem(scope, problem)
    )


async def _answer_for_method(scope: Scope, allow: str, receive: Receive, send: Send) -> None:
    if scope["method"] == "OPTIONS":
        await send({"type": "http.response.start", "status": 204, "headers": [(b"allow", allow.encode())]})
        await send({"type": "http.response.body", "body": b""})
        return
    error = ProblemError(
        "method_not_allowed",
        f"{scope['method'][:20]} is not allowed here; {allow} are.",
        f"此处不允许 {scope['method'][:20]}，可用 {allow}。",
        headers={"Allow": allow},
    )
    await problem_response(scope, error)(scope, receive, send)
