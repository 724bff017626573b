"""A backup brings back what it took, or nothing."""

from __future__ import annotations

import tarfile

import pytest

from kb.backup import back_up
from kb.errors import IndexCorruptError, IndexLockedError, RequestError
from kb.index.root import IndexRoot
from kb.restore import restore
from tests.kb.index.conftest import build


@pytest.fixture
def world(tmp_path):
    """A corpus, an index and what lies beside it."""
    corpus, data = tmp_path / "corpus", tmp_path / "data"
    (corpus / "深").mkdir(parents=True)
    (corpus / "深/柜 #1.md").write_text("柜号 C-17", encoding="utf-8")
    (corpus / "a.md").write_text("words")
    build(IndexRoot(data))
    (data / "calibration.jsonl").write_text('{"question": "a"}\n')
    (data / "keys.json").write_text("{}")
    (data / "parsed.sqlite").write_text("a cache")
    (tmp_path / "gpukb.toml").write_text("port = 9000\n")
    return tmp_path


def take(world):
    return back_up(world / "b/backup.tar.gz", world / "corpus", world / "data", world / "gpukb.toml")


def test_everything_comes_back_elsewhere(world, tmp_path):
    taken = take(world)
    assert taken.kept == ("calibration.jsonl", "keys.json")
    assert [path.name for path in (world / "b").iterdir()] == ["backup.tar.gz"]
    assert (world / "b/backup.tar.gz").stat().st_mode & 0o077 == 0
    away = tmp_path / "away"
    got = restore(world / "b/backup.tar.gz", away / "corpus", away / "data", away / "gpukb.toml")
    assert got == taken
    assert (away / "corpus/深/柜 #1.md").read_text(encoding="utf-8") == "柜号 C-17"
    assert (away / "gpukb.toml").read_text() == "port = 9000\n"
    assert (away / "data/keys.json").read_text() == "{}"
    assert (away / "data/keys.json").stat().st_mode & 0o077 == 0
    with IndexRoot(away / "data").open_current() as generation:
        assert generation.name == taken.generation
        assert len(generation.documents) == 3
    assert sorted(path.name for path in away.iterdir()) == ["corpus", "data", "gpukb.toml"]
    assert not list((away / "data").glob(".building*"))


def test_restoring_over_what_is_there(world):
    taken = take(world)
    root = IndexRoot(world / "data")
    newer = build(root, files=[("more", b"x")])
    place = (world / "b/backup.tar.gz", world / "corpus", world / "data", world / "gpukb.toml")
    restore(*place)  # the corpus is the same: nothing to refuse
    assert root.current_name() == taken.generation
    assert newer in root.generations()
    (world / "corpus/a.md").write_text("other words")
    root.publish(newer)
    with pytest.raises(RequestError, match="holds other files"):
        restore(*place)
    assert (world / "corpus/a.md").read_text() == "other words"
    assert root.current_name() == newer
    restore(*place, replace_corpus=True)
    assert (world / "corpus/a.md").read_text() == "words"
    assert (world / "corpus.before-restore/a.md").read_text() == "other words"
    assert root.current_name() == taken.generation


@pytest.mark.parametrize("name", ["keys.json", "signing.key", "feedback.jsonl"])
def test_restoring_brings_no_revoked_key_back_and_takes_no_feedback_away(world, name):
    (world / "data" / name).write_text("then")
    take(world)
    (world / "data" / name).write_text("now")
    place = (world / "b/backup.tar.gz", world / "corpus", world / "data", world / "gpukb.toml")
    restore(*place)
    assert (world / "data" / name).read_text() == "now"
    (world / "data" / name).unlink()
    restore(*place)
    assert (world / "data" / name).read_text() == "then"
    assert (world / "data" / name).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("position", [0.0, 0.3, 0.999])
@pytest.mark.parametrize("damage", ["flip", "cut"])
def test_a_damaged_backup_changes_nothing(world, position, damage):
    take(world)
    path = world / "b/backup.tar.gz"
    data = bytearray(path.read_bytes())
    place = int(len(data) * position)
    if damage == "flip":
        data[place] ^= 0x10
    path.write_bytes(bytes(data if damage == "flip" else data[:place]))
    away = world / "away"
    with pytest.raises(RequestError, match=r"damaged|no backup|cut short"):
        restore(path, away / "corpus", away / "data", away / "gpukb.toml")
    assert sorted(item.name for item in away.rglob("*")) == [".lock", "data"]


@pytest.mark.parametrize("name", ["../evil", "corpus/../../evil", "/evil", "corpus/a/link"])
def test_a_hostile_backup_leads_nowhere(world, name):
    path = world / "evil.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        about = tarfile.TarInfo(name)
        about.type, about.linkname = (tarfile.SYMTYPE, "/etc") if name.endswith("link") else (tarfile.REGTYPE, "")
        tar.addfile(about)
    with pytest.raises(RequestError):
        restore(path, world / "x/corpus", world / "x/data", world / "x/gpukb.toml")
    assert not list(world.rglob("evil"))


def test_no_backup_of_a_damaged_index_or_during_a_build(world):
    root = IndexRoot(world / "data")
    with root.lock(), pytest.raises(IndexLockedError):
        take(world)
    (world / "data" / root.current_name() / "chunks.jsonl").write_bytes(b"x")
    with pytest.raises(IndexCorruptError):
        take(world)
    assert not list((world / "b").glob("*"))
