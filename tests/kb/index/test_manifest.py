from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kb.errors import IndexCorruptError, IndexMismatchError
from kb.index.manifest import (
    FileRecord,
    Manifest,
    load_manifest,
    require_same_chunker,
    require_same_embedding,
)
from tests.kb.index.conftest import CROSS, EMBEDDING

MANIFEST = Manifest(
    generation="gen-000001-3f9a",
    built_at="2026-11-30T12:00:00Z",
    gpukb_version="0.1.0",
    embedding=EMBEDDING,
    cross_embedding=None,
    chunker="1",
    documents=1,
    chunks=2,
    pieces=3,
    files={"b": FileRecord(2, "bb"), "a": FileRecord(1, "aa")},
    calibration={"thresholds": {"1": 0.5}, "名": [1, 2.5, None]},
)


def test_a_manifest_comes_back(tmp_path):
    for manifest in (MANIFEST, replace(MANIFEST, cross_embedding=CROSS, calibration={})):
        (tmp_path / "manifest.json").write_bytes(manifest.to_json())
        assert load_manifest(tmp_path) == manifest


def test_the_content_digest_is_over_the_files_alone():
    later = replace(MANIFEST, built_at="2027-01-01T00:00:00Z", generation="gen-000002-0000")
    assert later.content_digest == MANIFEST.content_digest
    changed = replace(MANIFEST, files={**MANIFEST.files, "a": FileRecord(1, "ab")})
    assert changed.content_digest != MANIFEST.content_digest


def test_every_flipped_bit_is_noticed(tmp_path):
    content = MANIFEST.to_json()
    path = tmp_path / "manifest.json"
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        with pytest.raises(IndexCorruptError, match=r"manifest\.json"):
            load_manifest(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"null", b'{"digest": 1}', b"\xff", b"[" * 100_000])
def test_what_is_no_manifest_is_refused(tmp_path, content):
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(IndexCorruptError, match=r"manifest\.json"):
        load_manifest(tmp_path)


def test_another_format_is_a_mismatch_with_both_numbers(tmp_path):
    (tmp_path / "manifest.json").write_bytes(replace(MANIFEST, format_version=99).to_json())
    with pytest.raises(IndexMismatchError, match="index format 99, this version reads 1"):
        load_manifest(tmp_path)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("model", "made-up/another"),
        ("revision", "2"),
        ("dim", 1024),
        ("max_tokens", 256),
        ("query_prefix", "query: "),
        ("passage_prefix", "passage: "),
        ("pooling", "cls"),
        ("normalised", False),
    ],
)
def test_each_difference_of_the_model_is_named_with_both_values(attribute, value):
    running = replace(EMBEDDING, **{attribute: value})
    with pytest.raises(IndexMismatchError) as caught:
        require_same_embedding("embedding model", EMBEDDING, running)
    before = getattr(EMBEDDING, attribute)
    assert f"{attribute} {before!r} in the index, {value!r} now" in caught.value.message
    assert "gpukb index build" in caught.value.hint


def test_the_same_model_or_none_is_fine():
    require_same_embedding("embedding model", EMBEDDING, replace(EMBEDDING))
    require_same_embedding("embedding model", EMBEDDING, None)
    require_same_embedding("second encoder", None, None)
    require_same_chunker("1", "1")
    require_same_chunker("1", None)


def test_a_missing_second_encoder_and_another_chunker_are_mismatches():
    with pytest.raises(IndexMismatchError, match="no vectors of the second encoder made-up/cross"):
        require_same_embedding("second encoder", None, CROSS)
    with pytest.raises(IndexMismatchError, match="chunker '1', this version has '2'"):
        require_same_chunker("1", "2")


def test_the_file_is_readable_json():
    fields = json.loads(MANIFEST.to_json())
    assert fields["embedding"]["model"] == "made-up/small"
    assert fields["files"]["a"] == {"bytes": 1, "sha256": "aa"}
