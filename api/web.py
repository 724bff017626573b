"""The service's own pages: all files come from this machine, all scripts are our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from kb.config import checkout_dir

UI_CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'self'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
# The API viewer writes its own styles and builds its own markup.
_DOCS_CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
_HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache"}


class _PageFiles(StaticFiles):
    """The pages' files. A browser asks each time whether they changed, so that it never mixes two versions of them."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(_HEADERS)
        return response


def web_dir() -> Path:
    """The pages' folder: the checkout's `web/`, else the copy inside the package."""
    root = checkout_dir()
    return root / "web" if root else Path(__file__).resolve().parent / "_web"


def install_pages(app: FastAPI) -> None:
    """Serve `/`, `/docs` and the files they need."""
    folder = web_dir()

    async def index() -> Response:
        return FileResponse(folder / "index.html", headers={**_HEADERS, "Content-Security-Policy": UI_CSP})

    async def docs() -> Response:
        return FileResponse(folder / "docs.html", headers={**_HEADERS, "Content-Security-Policy": _DOCS_CSP})

    app.add_api_route("/", index, include_in_schema=False)
    app.add_api_route("/docs", docs, include_in_schema=False)
    app.mount("/docs/assets", StaticFiles(packages=[("fastapi_offline", "static")]), name="docs-assets")
    app.mount("/ui", GZipMiddleware(_PageFiles(directory=folder)), name="ui")
