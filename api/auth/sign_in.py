"""What a person sees who opens a page of the service in a browser without having signed in."""

from __future__ import annotations

from html import escape
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import Scope

from api.problems import Problem
from kb.types import Language

_CSP: Final = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'self'"
_TEXTS: Final[dict[Language, tuple[str, str]]] = {"en": ("en", "Sign in"), "zh": ("zh-CN", "登录")}
_HTML: Final = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · gpukb</title>
<link rel="icon" href="/ui/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/ui/style.css">
<link rel="stylesheet" href="/ui/document.css">
</head>
<body class="document">
<main><h1>{title}</h1><p>{detail}</p><p><a href="/">{sign_in}</a></p></main>
</body>
</html>
"""


def is_visit(scope: Scope) -> bool:
    """Whether a person goes to a page with a browser, rather than a program asking for data."""
    headers = Headers(scope=scope)
    accepts_html = headers.get("accept", "").startswith("text/html")
    return bool(scope["method"] == "GET") and headers.get("sec-fetch-mode", "navigate") == "navigate" and accepts_html


def sign_in_page(problem: Problem) -> Response:
    """A page that says what is missing and leads to the sign-in."""
    lang, sign_in = _TEXTS[problem.language]
    html = _HTML.format(
        lang=lang, title=escape(problem.kind.title(problem.language)), detail=escape(problem.detail), sign_in=sign_in
    )
    return HTMLResponse(html, problem.kind.status, {**problem.headers(), "Content-Security-Policy": _CSP})
