"""The page's signed-in cookie: it names a key and a time, signed; the key itself stays out of the browser's store."""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import Final

from kb.keys import ApiKey, Keyring, Signer

COOKIE: Final = "gpukb_session"
_DAYS: Final = 14
_TOKEN: Final = re.compile(r"gks_([0-9a-f]{8})_([0-9a-f]{8,12})_([A-Za-z0-9_-]{22})")
_PURPOSE: Final = "session"


class Sessions:
    """Makes and reads tokens. A token dies with its key: revoked or expired, it opens nothing."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def begin(self, key: ApiKey) -> tuple[str, int]:
        """A token for a key, and for how many seconds it holds."""
        seconds = _DAYS * 86_400
        if key.expires:
            seconds = min(seconds, int(datetime.fromisoformat(key.expires).timestamp() - time.time()))
        expires = f"{int(time.time()) + seconds:08x}"
        signature = self._signer.sign(_PURPOSE, key.key_id, key.sha256, expires)
        return f"gks_{key.key_id}_{expires}_{signature}", seconds

    def key_of(self, token: str, keyring: Keyring) -> ApiKey | None:
        """The key that a token stands for; `None` if it is not ours, too old, or its key is no longer valid."""
        match = _TOKEN.fullmatch(token)
        key = keyring.get(match.group(1)) if match else None
        if match is None or key is None or int(match.group(2), 16) <= time.time() or not key.is_valid():
            return None
        is_ours = self._signer.is_signed(match.group(3), _PURPOSE, key.key_id, key.sha256, match.group(2))
        return key if is_ours else None
