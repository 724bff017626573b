"""Lets a request in or says why not: the key it shows, what its route asks for, how often it may come."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from api.auth.access import Access
from api.auth.caller import NOBODY, Caller
from api.auth.limits import RateLimits
from api.auth.links import Links, is_signed_link
from api.auth.machine import require_own_machine
from api.auth.origins import require_own_site
from api.auth.sessions import COOKIE, Sessions
from api.metrics import Metrics
from api.problems import ProblemError
from kb.config import Settings
from kb.keys import ApiKey, Keyring, KeyStore, Signer

_UNSAFE: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_BEARER: Final = "bearer"


@dataclass(frozen=True, slots=True)
class Admission:
    """A request that may come in, and what its response says of limits; `is_private`: no cache may keep it."""

    caller: Caller = NOBODY
    headers: dict[str, str] = field(default_factory=dict)
    is_private: bool = False

    @property
    def raw_headers(self) -> list[tuple[bytes, bytes]]:
        """The headers as a server takes them."""
        return [(name.encode(), value.encode()) for name, value in self.headers.items()]


_ANYBODY: Final = Admission()


class Gate:
    """Decides about requests.

    Args:
        settings: of the service.
        store: of the keys; asked anew for each request.
        signer: of sessions and links.
        metrics: counts what a limit refused.
    """

    def __init__(self, settings: Settings, store: KeyStore, signer: Signer, metrics: Metrics) -> None:
        self.sessions = Sessions(signer)
        self.links = Links(signer, settings.link_hours)
        self._settings = settings
        self._store = store
        self._metrics = metrics
        self._limits = RateLimits()

    def keyring(self) -> Keyring:
        """The keys as they are now."""
        return self._store.keyring()

    def admit(self, scope: Scope, access: Access) -> Admission:
        """Let a request in.

        Raises:
            ProblemError: it shows no key or a wrong one, asks for more than its key allows, or comes too often.
            KeyFileError: nobody can tell.
        """
        headers = Headers(scope=scope)
        if access == "open":
            if scope["method"] in _UNSAFE:
                require_own_site(scope, headers)
            return _ANYBODY
        keyring = self._store.keyring()
        if not keyring.is_required:
            if not self._settings.insecure:
                require_own_machine(scope, headers)
            return _ANYBODY
        caller = self._authenticated(scope, headers, keyring)
        if caller.proof == "cookie" and scope["method"] in _UNSAFE:
            require_own_site(scope, headers)
        if access == "admin" and not caller.has("admin"):
            raise ProblemError(
                "insufficient_scope", "This needs a key with the scope admin.", "需要 admin 权限的密钥。"
            )
        return Admission(caller, self._counted(caller), is_private=True)

    def caller(self, scope: Scope) -> Caller | None:
        """Who asks, on a route that anybody may call; `None` for who shows no valid key.

        Raises:
            KeyFileError: nobody can tell.
        """
        keyring = self._store.keyring()
        try:
            return self._authenticated(scope, Headers(scope=scope), keyring) if keyring.is_required else None
        except ProblemError:
            return None

    def key_by_text(self, text: str, origin: str | None) -> ApiKey:
        """The key with this text, if it opens anything from there.

        Raises:
            ProblemError: there is none, it is over, or it is bound to other pages.
        """
        return self._key_by_text(text, origin, self._store.keyring())

    @staticmethod
    def _key_by_text(text: str, origin: str | None, keyring: Keyring) -> ApiKey:
        key = keyring.find(text)
        if key is None or key.revoked:
            raise ProblemError("invalid_api_key", "The key is not known here.", "密钥无效。")
        if key.is_expired():
            raise ProblemError(
                "invalid_api_key", f"The key has expired at {key.expires}.", f"密钥已于 {key.expires} 过期。"
            )
        if key.origins and origin not in key.origins:
            raise ProblemError(
                "insufficient_scope", "This key may be used by other web pages only.", "该密钥仅限指定的网页使用。"
            )
        return key

    def _authenticated(self, scope: Scope, headers: Headers, keyring: Keyring) -> Caller:
        shown = headers.get("authorization")
        if shown is not None:
            scheme, _, text = shown.partition(" ")
            if scheme.lower() != _BEARER:
                raise ProblemError(
                    "invalid_api_key",
                    "Send the key as `Authorization: Bearer gk_…`.",
                    "请以 `Authorization: Bearer gk_…` 发送密钥。",
                )
            return Caller(self._key_by_text(text.strip(), headers.get("origin"), keyring), "header")
        cookies = headers.get("cookie")
        token = cookie_parser(cookies).get(COOKIE) if cookies and COOKIE in cookies else None
        signed_in = self.sessions.key_of(token, keyring) if token else None
        if signed_in is not None:
            return Caller(signed_in, "cookie")
        linked = self.links.key_of(scope, keyring)
        if linked is not None:
            return Caller(linked, "link")
        if is_signed_link(scope):
            raise ProblemError(
                "invalid_api_key",
                "This link holds no longer. Sign in on the page, or ask again.",
                "链接已失效，请在页面登录或重新提问。",
            )
        if token:
            raise ProblemError(
                "invalid_api_key", "The sign-in holds no longer; sign in again.", "登录已失效，请重新登录。"
            )
        raise ProblemError(
            "missing_api_key",
            "Send a key as `Authorization: Bearer gk_…`; `gpukb keys new NAME` makes one.",
            "请以 `Authorization: Bearer gk_…` 发送密钥；`gpukb keys new NAME` 可创建密钥。",
        )

    def _counted(self, caller: Caller) -> dict[str, str]:
        allowance = self._limits.take(caller.key) if caller.key and caller.proof != "link" else None
        if allowance is None:
            return {}
        headers = allowance.headers()
        if allowance.retry_after_s is not None:
            self._metrics.rate_limited.inc()
            seconds = math.ceil(allowance.retry_after_s)
            raise ProblemError(
                "rate_limited",
                f"This key may send {allowance.limit} requests a minute; try again in {seconds} s.",
                f"该密钥每分钟至多 {allowance.limit} 次请求，请在 {seconds} 秒后重试。",
                headers={**headers, "Retry-After": str(seconds)},
            )
        return headers
