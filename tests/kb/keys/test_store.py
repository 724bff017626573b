"""Keys on the disk: only digests, only for their owner, seen at once by every process, never lost."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from kb.errors import KeyFileError, NotFoundError
from kb.keys import KeyStore, new_key, scrub


@pytest.fixture
def store(tmp_path):
    return KeyStore(tmp_path / "data")


def test_only_a_digest_is_kept_and_only_its_owner_may_read_it(store):
    made = new_key("甲", scopes=("read", "admin"))
    store.add(made)
    text = store.path.read_text(encoding="utf-8")
    assert made.text not in text
    assert made.text.rsplit("_", 1)[1] not in text
    assert store.path.stat().st_mode & 0o777 == 0o600
    found = store.keyring().find(made.text)
    assert found == made.key
    assert found.has("admin")


def test_no_other_text_finds_a_key(store):
    made = new_key("a")
    store.add(made)
    other = new_key("b").text
    swapped = made.text[:12] + other[12:]
    for text in (
        "",
        "gk_",
        made.text[:-1],
        made.text + "x",
        made.text.upper(),
        other,
        swapped,
        made.key.key_id,
        "é" * 50,
    ):
        assert store.keyring().find(text) is None, text


def test_another_process_sees_a_change_at_once(store):
    made = new_key("a")
    store.add(made)
    assert store.keyring().find(made.text).is_valid()
    folder = str(store.path.parent)
    code = f"from kb.keys import KeyStore; from pathlib import Path; KeyStore(Path({folder!r})).revoke('a')"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not store.keyring().find(made.text).is_valid()
    assert store.keyring().is_required, "a service whose last key was revoked does not open its doors"
    assert not store.keyring().has_valid


def test_processes_that_add_at_once_lose_nothing(store):
    code = (
        "from kb.keys import KeyStore, new_key; from pathlib import Path\n"
        f"store = KeyStore(Path({str(store.path.parent)!r}))\n"
        "for number in range(10): store.add(new_key('many'))"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len({key.key_id for key in store.keyring().keys}) == 30


def test_expiry(store):
    now = datetime.now(UTC)
    key = store.add(new_key("a", expires=now + timedelta(days=1)))
    assert key.is_valid(now)
    assert not key.is_valid(now + timedelta(days=2))


def test_a_name_of_several_keys_asks_which(store):
    first, second = store.add(new_key("web")), store.add(new_key("web"))
    with pytest.raises(NotFoundError, match=f"{first.key_id}, {second.key_id}"):
        store.revoke("web")
    assert store.revoke(first.key_id).revoked
    assert store.revoke("web").key_id == second.key_id
    assert store.revoke(first.key_id).revoked, "a second time changes nothing"


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "{", '{"format": 2, "keys": []}', '{"format": 1, "keys": [{"key_id": "x"}]}',
        '{"format": 1, "keys": [{"key_id": "x", "name": "", "sha256": "", "scopes": [], "origins": [], "created": "", '
        '"expires": "soon", "revoked": "", "requests_per_minute": null}]}',
    ],
)  # fmt: skip
def test_a_damaged_file_lets_nobody_in_and_is_not_written_over(store, content):
    store.path.parent.mkdir()
    store.path.write_text(content)
    for attempt in (store.keyring, store.keyring, lambda: store.add(new_key("a")), lambda: store.revoke("a")):
        with pytest.raises(KeyFileError, match="cannot be read"):
            attempt()
    assert store.path.read_text() == content


def test_a_deleted_file_means_no_keys(store):
    store.add(new_key("a"))
    store.path.unlink()
    assert not store.keyring().is_required


def test_keys_are_taken_out_of_texts():
    made = new_key("a")
    session = f"gks_{made.key.key_id}_1a2b3c_abcDEF-123"
    for secret in (made.text, session, made.text[:-9]):
        for text in (secret, f"给 {secret}。", f"/v1/gpus/{secret}?x", json.dumps({"key": secret})):
            assert secret[12:] not in scrub(text)
    assert scrub("gfx90a, gk110, GTX 980 and 16 gk") == "gfx90a, gk110, GTX 980 and 16 gk"
