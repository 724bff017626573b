"""Which pages of other sites may call: those of the settings, and those that a key was made for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from kb.errors import KeyFileError
from kb.keys import KeyStore

EXPOSED_HEADERS = (
    "X-Request-Id",
    "Server-Timing",
    "Timing-Allow-Origin",
    "Retry-After",
    "x-ratelimit-limit-requests",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-reset-requests",
)


class ListedOrigins(CORSMiddleware):
    """Cross-origin calls by a list. The cookie of the page is never sent along, so any header may be.

    Args:
        app: what is called.
        origins: of the settings.
        store: of the keys, whose own origins count while the keys are valid.
    """

    def __init__(self, app: ASGIApp, origins: Iterable[str], store: KeyStore) -> None:
        super().__init__(
            app,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=EXPOSED_HEADERS,
            max_age=600,
        )
        self._origins = frozenset(origins)
        self._store = store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; where nobody is listed there is nothing to add."""
        is_asked = scope["type"] == "http" and (bool(self._origins) or _has_origin(scope))
        if is_asked and (self._origins or self._of_keys()):
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def is_allowed_origin(self, origin: str) -> bool:
        """Whether pages of an origin may read what they get."""
        return origin in self._origins or origin in self._of_keys()

    def _of_keys(self) -> frozenset[str]:
        with contextlib.suppress(KeyFileError):  # the gate refuses everybody then, and says so
            return self._store.keyring().origins
        return frozenset()


def _has_origin(scope: Scope) -> bool:
    return any(name == b"origin" for name, _ in scope["headers"])
