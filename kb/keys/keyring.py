"""All keys at one moment."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from dataclasses import dataclass, field

from kb.keys.key import ApiKey, digest_of, id_in


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys that were in the file; revoked and expired ones too, so that their ids are never given again."""

    keys: tuple[ApiKey, ...] = ()
    _by_id: dict[str, ApiKey] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._by_id.update((key.key_id, key) for key in self.keys)

    @property
    def is_required(self) -> bool:
        """Whether a key must be shown: as soon as one was ever made, also if all have been revoked since."""
        return bool(self.keys)

    @property
    def has_valid(self) -> bool:
        """Whether any key opens anything."""
        return any(key.is_valid() for key in self.keys)

    def get(self, key_id: str) -> ApiKey | None:
        """The key with an id, whatever its state."""
        return self._by_id.get(key_id)

    def find(self, text: str) -> ApiKey | None:
        """The key with this text, whatever its state; `None` if there is none.

        The public id picks the record; the digests are compared in constant time.
        """
        key = self._by_id.get(id_in(text) or "")
        if key is None or not hmac.compare_digest(key.sha256, digest_of(text)):
            return None
        return key

    def origins(self) -> Iterable[str]:
        """The pages that valid keys are bound to."""
        return (origin for key in self.keys if key.is_valid() for origin in key.origins)
