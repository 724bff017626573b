"""A service that asks for keys, and keys of every kind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kb.keys import KeyStore, new_key


class Keys:
    """Makes keys in the service's data folder, as `gpukb keys` does."""

    def __init__(self, data_dir):
        self.store = KeyStore(data_dir)

    def new(self, name="a", **about):
        made = new_key(name, **about)
        self.store.add(made)
        return made.text

    def revoke(self, text):
        self.store.revoke(text)

    def expired(self):
        made = new_key("old", expires=datetime.now(UTC) - timedelta(seconds=1))
        self.store.add(made)
        return made.text


@pytest.fixture
def keys(settings):
    return Keys(settings.data_dir)


@pytest.fixture
def read_key(keys):
    return keys.new("reader")


@pytest.fixture
def admin_key(keys):
    return keys.new("admin", scopes=("admin",))


@pytest.fixture
def bearer():
    return lambda text: {"Authorization": f"Bearer {text}"}
