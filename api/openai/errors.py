"""Errors as OpenAI's clients read them, and the routes on which they are written so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from api.problems import Problem

_FIRST_PARTS: Final = frozenset(
    {"assistants", "audio", "batches", "chat", "chatkit", "completions", "containers", "conversations", "edits"}
    | {"embeddings", "engines", "evals", "files", "fine_tuning", "fine-tunes", "images", "models", "moderations"}
    | {"organization", "realtime", "responses", "threads", "uploads", "vector_stores", "videos"}
)
"""What follows `/v1/` in the paths of OpenAI's API; no native route begins so."""
_SERVED: Final = re.compile(r"/v1/(?:chat/completions|models(?:/[^/]+)?)")
_CLIENT_FAULT: Final = "invalid_request_error"
_TYPES: Final[Mapping[int, str]] = {403: "permission_error", 429: "rate_limit_error"}
_CODES: Final[Mapping[str, str]] = {"rate_limited": "rate_limit_exceeded"}
"""Codes that OpenAI's clients know under another name; all others are ours."""


def is_openai_route(path: str) -> bool:
    """Whether a path belongs to OpenAI's API, served here or not; also where a base URL lacks `/v1` or has it twice."""
    parts = path.strip("/").split("/")
    while parts and parts[0] == "v1":
        parts.pop(0)
    return bool(parts) and parts[0] in _FIRST_PARTS


def openai_status(problem: Problem) -> int:
    """The HTTP status: wrong fields are a 400 in this protocol."""
    return 400 if problem.kind.code == "validation_failed" else problem.kind.status


def openai_headers(problem: Problem) -> dict[str, str]:
    """The problem's headers; clients that would try again by themselves are told where that cannot help."""
    status = openai_status(problem)
    final = (status == 409 or status >= 500) and problem.kind.retry_after_s is None
    return {**problem.headers(), **({"x-should-retry": "false"} if final else {})}


def openai_error(problem: Problem, path: str = "") -> dict[str, Any]:
    """The body of an error: `{"error": {"message", "type", "param", "code"}}`.

    Args:
        problem: what is wrong.
        path: that was asked for; one that is not served is told which are.
    """
    status = openai_status(problem)
    is_unknown = problem.kind.code == "not_found" and bool(path) and not _SERVED.fullmatch(path)
    code, param = problem.kind.code, _param(problem)
    return {
        "error": {
            "message": _not_served(problem, path) if is_unknown else problem.body("")["detail"],
            "type": _TYPES.get(status, _CLIENT_FAULT if status < 500 else "server_error"),
            "param": param,
            "code": "model_not_found" if (code, param) == ("not_found", "model") else _CODES.get(code, code),
        }
    }


def _param(problem: Problem) -> str | None:
    """The first wrong field, in OpenAI's spelling: `messages[0].content`."""
    places = [str(error["loc"]) for error in problem.errors if error.get("loc")]
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", places[0]) if places else None


def _not_served(problem: Problem, path: str) -> str:
    shown = path if len(path) <= 100 else f"{path[:99]}…"
    if problem.language == "zh":
        return f"此处没有 {shown}；只有 /v1/chat/completions 和 /v1/models，客户端的 base URL 以 /v1 结尾。"
    return f"{shown} is not served; /v1/chat/completions and /v1/models are, and a client's base URL ends in /v1."
