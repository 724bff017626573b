"""Turning problems into responses, in the language that the caller prefers."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from api.openai.errors import is_openai_route, openai_error, openai_headers, openai_status
from api.problems import (
    MEDIA_TYPE,
    Problem,
    ProblemError,
    preferred_language,
    problem_of,
    problem_of_status,
    validation_problem,
)
from kb.errors import KbError
from kb.types import Language


def language_of_request(scope: Scope) -> Language:
    """The language that Accept-Language asks for."""
    return preferred_language(Headers(scope=scope).get("accept-language", ""))


def request_id_of(scope: Scope) -> str:
    """The request's id."""
    return str(scope.get("state", {}).get("request_id", ""))


def write_problem(scope: Scope, problem: Problem) -> Response:
    """A problem document as a response; on the routes of OpenAI's API in the form that its clients read."""
    if is_openai_route(scope["path"]):
        return JSONResponse(
            openai_error(problem, scope["path"]), openai_status(problem), headers=openai_headers(problem)
        )
    return JSONResponse(
        problem.body(request_id_of(scope)), problem.kind.status, problem.headers(), media_type=MEDIA_TYPE
    )


def problem_response(scope: Scope, error: BaseException) -> Response:
    """An error as a response."""
    return write_problem(scope, problem_of(error, language_of_request(scope)))


def install_problem_handlers(app: FastAPI) -> None:
    """Make the application answer every error it foresees with a problem document."""

    async def known(request: Request, error: Exception) -> Response:
        return problem_response(request.scope, error)

    async def invalid(request: Request, error: Any) -> Response:
        return write_problem(
            request.scope, validation_problem(error.errors(), language_of_request(request.scope), error.body)
        )

    async def plain(request: Request, error: Any) -> Response:
        response = write_problem(
            request.scope, problem_of_status(error.status_code, language_of_request(request.scope))
        )
        response.headers.update(error.headers or {})
        return response

    app.add_exception_handler(KbError, known)
    app.add_exception_handler(ProblemError, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, plain)
