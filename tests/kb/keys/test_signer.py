"""Signatures: the same in every process of a data folder, worth nothing elsewhere."""

from __future__ import annotations

import pytest

from kb.errors import KeyFileError
from kb.keys import Signer


def test_every_process_of_a_folder_signs_alike(tmp_path):
    one, other, foreign = Signer(tmp_path / "a"), Signer(tmp_path / "a"), Signer(tmp_path / "b")
    signature = one.sign("link", "/v1/x", "甲")
    assert other.is_signed(signature, "link", "/v1/x", "甲")
    assert (tmp_path / "a/signing.key").stat().st_mode & 0o777 == 0o600
    assert not foreign.is_signed(signature, "link", "/v1/x", "甲")


def test_a_signature_is_for_one_thing(tmp_path):
    signer = Signer(tmp_path)
    signature = signer.sign("link", "ab", "c")
    for purpose, parts in (
        ("session", ("ab", "c")),
        ("link", ("a", "bc")),
        ("link", ("ab",)),
        ("link", ("ab", "c", "")),
    ):
        assert not signer.is_signed(signature, purpose, *parts)
    for other in ("", signature[:-1], signature + "=", "甲" * 22):
        assert not signer.is_signed(other, "link", "ab", "c")


def test_where_nothing_can_be_written_it_holds_for_this_process_and_the_log_says_so(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    signer = Signer(tmp_path / "file" / "data")
    signature = signer.sign("link", "a")
    assert signer.is_signed(signature, "link", "a")
    assert "for this process only" in caplog.text


def test_a_damaged_secret_is_no_secret(tmp_path):
    (tmp_path / "signing.key").write_bytes(b"short")
    with pytest.raises(KeyFileError, match="5 bytes"):
        Signer(tmp_path).sign("link", "a")
