"""Who may change the index as long as there are no keys: programs and pages of this machine only."""

from __future__ import annotations

import ipaddress
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request

from api.deps import StateDep
from api.problems import ProblemError


async def _require_local(request: Request, state: StateDep) -> None:
    """Refuse what comes from elsewhere, through a proxy, or from a web page of another site.

    A foreign page can make a browser send forms here, and by a name of its own that leads to 127.0.0.1 even more, so
    the names of the page and of the host it asked for count too.
    """
    headers = request.headers
    is_forwarded = any(name in headers for name in ("forwarded", "x-forwarded-for", "x-real-ip"))
    is_local = request.client is not None and _is_loopback(request.client.host)
    if not is_local or is_forwarded or not _is_loopback(_host(f"//{headers.get('host', '')}")):
        raise ProblemError(
            "insufficient_scope",
            "Only programs on the service's own machine may change the index.",
            "只有本机上的程序可以更改索引。",
        )
    origin = headers.get("origin")
    if origin is not None and not _is_loopback(_host(origin)) and origin not in state.settings.cors_origins:
        raise ProblemError(
            "insufficient_scope", f"Pages of {origin} may not change the index.", f"{origin} 的页面不可更改索引。"
        )


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


LocalOnly = Depends(_require_local)
Admin = Annotated[None, LocalOnly]
