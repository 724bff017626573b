"""All keys at one moment."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from kb.keys.key import ApiKey, digest_of, id_in


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys that were in the file; revoked and expired ones too, so that their ids are never given again."""

    keys: tuple[ApiKey, ...] = ()
    _by_id: dict[str, ApiKey] = field(default_factory=dict, init=False, repr=False, compare=False)
    _origins: frozenset[str] = field(default=frozenset(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._by_id.update((key.key_id, key) for key in self.keys)
        origins = frozenset(origin for key in self.keys if not key.revoked for origin in key.origins)
        object.__setattr__(self, "_origins", origins)

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

    @property
    def origins(self) -> frozenset[str]:
        """The pages that keys are bound to which were not revoked."""
        return self._origins
