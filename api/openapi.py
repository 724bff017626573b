"""The OpenAPI document: what FastAPI makes of the routes, and who may call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fastapi import FastAPI

from api.auth.access import ROUTES

_KEY: Final = {"type": "http", "scheme": "bearer", "description": "A key as `gpukb keys new NAME` prints it: `gk_…`."}


def install_openapi(app: FastAPI, needs_key: Callable[[], bool]) -> None:
    """Say in the document which operations need a key, as long as any do.

    Args:
        app: whose document it is.
        needs_key: whether keys are set up now.
    """
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        document = plain()
        if not needs_key():
            return document
        paths = {path: _closed(path, operations) for path, operations in document["paths"].items()}
        components = {**document["components"], "securitySchemes": {"key": _KEY}}
        return {**document, "paths": paths, "components": components, "security": [{"key": []}]}

    app.openapi = openapi  # type: ignore[method-assign]


def _closed(path: str, operations: dict[str, Any]) -> dict[str, Any]:
    access = ROUTES.get(path, {})
    return {
        method: {**operation, "security": []} if access.get(method.upper()) == "open" else operation
        for method, operation in operations.items()
    }
