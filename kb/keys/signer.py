"""Signatures of what the service hands out itself, so that any of its processes can tell its own from others'."""

from __future__ import annotations

import base64
import hmac
import logging
import os
import secrets
from pathlib import Path
from typing import Final

from kb.errors import KeyFileError, StorageError
from kb.storage import locked, write_bytes_durably

SIGNING_FILE: Final = "signing.key"
_LOCK: Final = ".keys.lock"
_SECRET_BYTES: Final = 32
_MAC_BYTES: Final = 16
_MARK_BYTES: Final = 8
_PRIVATE_MODE: Final = 0o600

log = logging.getLogger("gpukb.keys")


class Signer:
    """Signs with a secret of the data folder; it is made when first needed and shared by all processes.

    Where the folder cannot be written the secret is the process's own, which the log says: what it signed holds until
    the process ends, and for no other one.

    Args:
        data_dir: where `signing.key` lies. Deleting that file ends all sessions and links at the next start.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / SIGNING_FILE
        self._lock = data_dir / _LOCK
        self._secret = b""

    def sign(self, purpose: str, *parts: str) -> str:
        """128 bits of an HMAC over a purpose and parts, in characters that an address may hold.

        Raises:
            KeyFileError: the secret cannot be read.
        """
        return base64.urlsafe_b64encode(self._mac(purpose, parts)[:_MAC_BYTES]).rstrip(b"=").decode()

    def mark(self, purpose: str, *parts: str) -> str:
        """64 bits of the same in hex, for ids that open nothing.

        Raises:
            KeyFileError: the secret cannot be read.
        """
        return self._mac(purpose, parts)[:_MARK_BYTES].hex()

    def _mac(self, purpose: str, parts: tuple[str, ...]) -> bytes:
        message = "\0".join((purpose, *parts)).encode("utf-8", "surrogatepass")
        return hmac.digest(self._secret or self._load(), message, "sha256")

    def is_signed(self, signature: str, purpose: str, *parts: str) -> bool:
        """Whether a signature is ours; compared in constant time."""
        return hmac.compare_digest(signature.encode("utf-8", "replace"), self.sign(purpose, *parts).encode())

    def _load(self) -> bytes:
        self._secret = self._read() or self._make()
        return self._secret

    def _make(self) -> bytes:
        secret = secrets.token_bytes(_SECRET_BYTES)
        try:
            with locked(self._lock, wait=True):
                made = self._read()  # another process may have been faster
                if not made:
                    write_bytes_durably(self._path, secret, mode=_PRIVATE_MODE)
        except StorageError as error:
            log.warning("sessions, links and ids of answers hold for this process only: %s", error)
            return secret
        return made or secret

    def _read(self) -> bytes:
        try:
            with open(os.fspath(self._path), "rb") as file:  # noqa: PTH123
                secret = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return b""
        except OSError as error:
            raise self._unreadable(str(error.strerror)) from error
        if len(secret) != _SECRET_BYTES:
            raise self._unreadable(f"it has {len(secret)} bytes instead of {_SECRET_BYTES}")
        return secret

    def _unreadable(self, reason: str) -> KeyFileError:
        return KeyFileError(
            f"The signing key {self._path} cannot be read: {reason}.",
            "Delete it; a new one is made, and people sign in again.",
        )
