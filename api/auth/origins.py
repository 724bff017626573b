"""Which web page a request comes from: a browser adds the cookie to whatever any site makes it send."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from api.problems import ProblemError


def require_own_site(scope: Scope, headers: Headers) -> None:
    """Refuse a change that another site's page makes a browser ask for.

    Browsers say `Sec-Fetch-Site` wherever the connection is safe, and `Origin` with every change; programs say neither
    and are no danger, since nobody can make them send a cookie.

    Raises:
        ProblemError: the page is not the service's own.
    """
    site = headers.get("sec-fetch-site")
    origin = headers.get("origin")
    is_own = site in {"same-origin", "none"} if site is not None else origin is None or _is_own(origin, headers)
    if not is_own:
        raise ProblemError(
            "insufficient_scope", "Pages of other sites may not do this.", "其他网站的页面不可执行此操作。"
        )


def _is_own(origin: str, headers: Headers) -> bool:
    # A proxy may have replaced Host by its own name for the service.
    names = {headers.get("host", ""), headers.get("x-forwarded-host", "")} - {""}
    return host_of(origin) in {host_of(f"//{name}") for name in names}


def host_of(address: str) -> tuple[str, int | None] | None:
    """Host and port of an address, the usual ports left out; `None` if it has none."""
    try:
        parts = urlsplit(address)
        return (parts.hostname, None if parts.port in (80, 443) else parts.port) if parts.hostname else None
    except ValueError:
        return None
