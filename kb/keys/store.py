"""The file of keys: read anew when it has changed, written in one step, shared by all processes of a data folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from kb.errors import KeyFileError, NotFoundError
from kb.keys.key import ApiKey, NewKey, id_in, rfc3339, scrub
from kb.keys.keyring import Keyring
from kb.storage import locked, write_bytes_durably

KEY_FILE: Final = "keys.json"
PRIVATE_MODE: Final = 0o600
_FORMAT: Final = 1
_LOCK: Final = ".keys.lock"
_NO_KEYS: Final = Keyring()


class KeyStore:
    """The keys of one data folder.

    Args:
        data_dir: where `keys.json` lies; without that file there are no keys.
    """

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir / KEY_FILE
        self._name = str(self.path)
        self._lock = data_dir / _LOCK
        self._seen: tuple[int, int, int] | None = None
        self._keyring = _NO_KEYS

    def keyring(self) -> Keyring:
        """The keys as they are now. Costs one look at the file's times, so that every request may ask.

        Raises:
            KeyFileError: the file cannot be read. Nobody is let in then, rather than everybody.
        """
        try:
            found = os.stat(self._name)  # noqa: PTH116  (a third of the time of Path.stat, on every request)
        except FileNotFoundError:
            self._seen, self._keyring = None, _NO_KEYS
            return _NO_KEYS
        except OSError as error:
            raise self._unreadable(str(error.strerror)) from error
        seen = (found.st_ino, found.st_mtime_ns, found.st_size)
        if seen != self._seen:
            self._keyring = self._read()
            self._seen = seen
        return self._keyring

    def add(self, new: NewKey) -> ApiKey:
        """Keep a new key; its text is not kept.

        Raises:
            StorageError: the folder cannot be written.
            KeyFileError: the keys that are there cannot be read.
        """
        self._change(lambda keys: (*keys, new.key))
        return new.key

    def revoke(self, name: str) -> ApiKey:
        """Refuse a key from now on, in every process.

        Args:
            name: id or text of a key, or the name of exactly one that is not revoked.

        Raises:
            NotFoundError: there is no such key, or several have the name.
        """
        revoked: list[ApiKey] = []

        def change(keys: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
            key = _named(keys, name)
            revoked.append(replace(key, revoked=key.revoked or rfc3339(datetime.now(UTC))))
            return tuple(revoked[0] if other.key_id == key.key_id else other for other in keys)

        self._change(change)
        return revoked[0]

    def _change(self, change: Callable[[tuple[ApiKey, ...]], tuple[ApiKey, ...]]) -> None:
        with locked(self._lock, wait=True):
            keys = change(self._read().keys if self.path.exists() else ())
            content = {"format": _FORMAT, "keys": [asdict(key) for key in keys]}
            text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
            write_bytes_durably(self.path, text.encode(), mode=PRIVATE_MODE)

    def _read(self) -> Keyring:
        try:
            content = json.loads(self.path.read_bytes())
            if content["format"] != _FORMAT:
                raise self._unreadable(f"format {content['format']} is of another version")
            return Keyring(tuple(_key(record) for record in content["keys"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._unreadable(str(error)) from error

    def _unreadable(self, reason: str) -> KeyFileError:
        return KeyFileError(
            f"The key file {self.path} cannot be read: {reason}.",
            "Restore it from a backup, or delete it and make new keys.",
        )


def _key(record: dict[str, Any]) -> ApiKey:
    lists = {name: tuple(record[name]) for name in ("scopes", "origins")}
    key = ApiKey(**{**record, **lists})
    key.is_expired()  # a time that cannot be read must not wait for a request to be noticed
    return key


def _named(keys: tuple[ApiKey, ...], name: str) -> ApiKey:
    key_id = id_in(name) or name
    found = [key for key in keys if key.key_id == key_id]
    found = found or [key for key in keys if key.name == name and not key.revoked]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(key.key_id for key in found)
        raise NotFoundError(f"{len(found)} keys are called {name}: {ids}.", "Name one by its id.")
    raise NotFoundError(f"There is no key {scrub(name)}.", "`gpukb keys list` shows all of them.")
