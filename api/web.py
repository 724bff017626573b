"""The service's own pages: all files come from this machine, all scripts are our own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from api.page_files import PAGE_HEADERS, PageFiles
from kb.config import checkout_dir

_UI_CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'; "
    "frame-ancestors 'self'"
)
# The API viewer writes its own styles and builds its own markup.
_DOCS_CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)


def web_dir() -> Path:
    """The pages' folder: the checkout's `web/`, else the copy inside the package."""
    root = checkout_dir()
    return root / "web" if root else Path(__file__).resolve().parent / "_web"


def install_pages(app: FastAPI, embed_origins: Iterable[str]) -> None:
    """Serve `/`, `/docs` and the files they need; pages of `embed_origins` may show `/` in a frame."""
    folder = web_dir()
    policy = " ".join([_UI_CSP, *embed_origins])
    # All modules at once, where each would be found only in the one that needs it.
    modules = ", ".join(f"</ui/chat/{each.name}>; rel=modulepreload" for each in sorted(folder.glob("chat/*.js")))

    async def index() -> Response:
        headers = {**PAGE_HEADERS, "Content-Security-Policy": policy, "Link": modules}
        return FileResponse(folder / "index.html", headers=headers)

    async def docs() -> Response:
        return FileResponse(folder / "docs.html", headers={**PAGE_HEADERS, "Content-Security-Policy": _DOCS_CSP})

    app.add_api_route("/", index, include_in_schema=False)
    app.add_api_route("/ui/", index, include_in_schema=False)
    app.add_api_route("/docs", docs, include_in_schema=False)
    app.mount("/docs/assets", StaticFiles(packages=[("fastapi_offline", "static")]), name="docs-assets")
    app.mount("/ui", PageFiles(directory=folder), name="ui")
