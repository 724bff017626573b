"""Origins of web pages, written the way browsers send them."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from kb.errors import RequestError

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def origin_of(text: str) -> str:
    """A web page's origin as browsers write it: scheme, host, and the port where it is not the usual one.

    Raises:
        RequestError: it names no origin, or more than one.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    is_plain = parts.path in {"", "/"} and not parts.query and not parts.fragment and not parts.username
    if parts.scheme not in _DEFAULT_PORTS or not host or not is_plain or "*" in host:
        raise RequestError(
            f"{text} is no origin of web pages.",
            "Write it like https://a.example or http://127.0.0.1:3000.",
            zh=f"{text} 不是网页来源，应写成 https://a.example 或 http://127.0.0.1:3000。",
        )
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port not in (None, _DEFAULT_PORTS[parts.scheme]) else "")
