"""Whether a request comes from this machine: what counts as long as there are no keys."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from api.problems import ProblemError

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import Scope

_LONGEST_NAME: Final = 255
_FORWARDED: Final = ("forwarded", "x-forwarded-for", "x-real-ip")


def require_own_machine(scope: Scope, headers: Headers) -> None:
    """Refuse what comes from another machine, or was asked for under a name that is not this machine's.

    A web page can give a name of its own the address 127.0.0.1 (DNS rebinding) and then read what the browser gets
    there; the browser still sends that name as `Host`.

    Raises:
        ProblemError: it does.
    """
    # Without a Host it is no browser, and no page made it.
    if not _is_own(scope, headers, or_nameless=True):
        raise ProblemError(
            "insufficient_scope",
            "As long as there are no keys, only this machine is answered, as 127.0.0.1 or localhost. "
            "`gpukb keys new NAME` makes a key.",
            "尚未创建密钥，仅响应本机以 127.0.0.1 或 localhost 发出的请求；`gpukb keys new NAME` 可创建密钥。",
        )


def require_own_program(scope: Scope, headers: Headers, origins: tuple[str, ...]) -> None:
    """Refuse what also comes through a proxy, or from a page of another site: it would change something.

    A foreign page can make a browser send forms here, so the page's own address counts too.

    Args:
        scope: of the request.
        headers: of the request.
        origins: pages that may all the same.

    Raises:
        ProblemError: it does.
    """
    if not _is_own(scope, headers) or any(name in headers for name in _FORWARDED):
        raise ProblemError(
            "insufficient_scope",
            "Only programs on the service's own machine may change the index.",
            "只有本机上的程序可以更改索引。",
        )
    origin = headers.get("origin")
    if origin is not None and not is_loopback(host_name(origin)) and origin not in origins:
        raise ProblemError(
            "insufficient_scope", f"Pages of {origin} may not change the index.", f"{origin} 的页面不可更改索引。"
        )


def _is_own(scope: Scope, headers: Headers, *, or_nameless: bool = False) -> bool:
    client, host = scope.get("client"), headers.get("host")
    if client is None or not is_loopback(client[0]):
        return False
    return or_nameless if host is None else is_loopback(host_name(f"//{host}"))


def host_name(address: str) -> str:
    """The name in an address; empty if it has none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether an address or a name is this machine's own; names below `localhost` can be nobody else's."""
    return len(host) <= _LONGEST_NAME and _is_loopback(host)


@lru_cache(maxsize=64)
def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
