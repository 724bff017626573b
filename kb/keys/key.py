"""One key: how it is made, what is kept of it, and how its text is told from others."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from kb.config.origins import origin_of

Scope = Literal["read", "admin"]

_ID_BYTES: Final = 4
_SECRET_BYTES: Final = 32
_KEY: Final = re.compile(r"gk_([0-9a-f]{8})_[A-Za-z0-9_-]{20,100}")
_ANY_SECRET: Final = re.compile(r"\b(gks?)_[A-Za-z0-9_.-]{6,}")
"""Keys, the tokens of signed-in pages, and what somebody has made of them."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is known here: all but its text.

    Attributes:
        key_id: public part of the text, by which the key is named in lists and logs.
        sha256: hex digest of the whole text.
        scopes: `admin` includes `read`.
        origins: web pages it may be used from (`https://a.example`); empty: it may be used from anywhere.
        created: RFC 3339, UTC; so are the other times.
        expires: from then on it is refused; empty: never.
        revoked: since then it is refused; empty: it is not.
        requests_per_minute: that it may send; `None`: as many as it likes.
    """

    key_id: str
    name: str
    sha256: str
    scopes: tuple[Scope, ...]
    created: str
    origins: tuple[str, ...] = ()
    expires: str = ""
    revoked: str = ""
    requests_per_minute: int | None = None

    def has(self, scope: Scope) -> bool:
        """Whether it may do what the scope is for."""
        return scope in self.scopes or "admin" in self.scopes

    def is_expired(self, now: datetime | None = None) -> bool:
        """Whether its time is over."""
        return bool(self.expires) and datetime.fromisoformat(self.expires) <= (now or datetime.now(UTC))

    def is_valid(self, now: datetime | None = None) -> bool:
        """Whether it opens anything at all."""
        return not self.revoked and not self.is_expired(now)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key and its text, which exists only now."""

    key: ApiKey
    text: str


def new_key(
    name: str,
    *,
    scopes: tuple[Scope, ...] = ("read",),
    origins: tuple[str, ...] = (),
    expires: datetime | None = None,
    requests_per_minute: int | None = None,
) -> NewKey:
    """Make a key with 256 random bits; its digest needs no salt and no slow hash because nobody can guess it.

    Raises:
        RequestError: an origin that is none.
    """
    key_id = secrets.token_hex(_ID_BYTES)
    text = f"gk_{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    key = ApiKey(
        key_id=key_id,
        name=name,
        sha256=digest_of(text),
        scopes=scopes,
        created=rfc3339(datetime.now(UTC)),
        origins=tuple(origin_of(origin) for origin in origins),
        expires=rfc3339(expires) if expires else "",
        requests_per_minute=requests_per_minute,
    )
    return NewKey(key, text)


def digest_of(text: str) -> str:
    """What is kept of a key's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def id_in(text: str) -> str | None:
    """The public part of a key's text; `None` if it is not written like a key."""
    match = _KEY.fullmatch(text)
    return match.group(1) if match else None


def rfc3339(moment: datetime) -> str:
    """A time to the second, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def scrub(text: str) -> str:
    """A text without the keys and session tokens in it, for logs and error messages."""
    return _ANY_SECRET.sub(r"\1_…", text) if "gk" in text else text
