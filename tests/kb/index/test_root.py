from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from kb.errors import IndexCorruptError, IndexLockedError, IndexMismatchError, IndexMissingError
from kb.index.root import IndexRoot
from tests.kb.index.conftest import CHUNKER, CROSS, EMBEDDING, build


def test_no_index_yet(root):
    assert root.current_name() is None
    assert root.generations() == ()
    assert root.next_number() == 1
    with pytest.raises(IndexMissingError, match="no index") as caught:
        root.open_current()
    assert caught.value.hint == "Run: gpukb index build"


def test_publishing_makes_current(root):
    first = build(root)
    second = build(root, publish=False)
    assert (first[:11], second[:11]) == ("gen-000001-", "gen-000002-")
    assert root.current_name() == first
    assert (root.path / "CURRENT").read_text() == f"{first}\n"
    root.publish(second)
    assert root.open_current().name == second
    root.publish(first)
    assert root.open_current().name == first
    assert root.generations() == (first, second)


def test_only_finished_generations_are_published(root, name):
    (root.path / "gen-000009-abcd").mkdir()
    for wrong in ("gen-000009-abcd", "gen-000001-ffff", "..", ""):
        with pytest.raises(IndexMissingError):
            root.publish(wrong)
    assert root.current_name() == name


@pytest.mark.parametrize("content", ["", "gen-1", "../gen-000001-abcd", "gen-000001-abcd\ngen-000002-abcd", "\x00"])
def test_a_damaged_current_file_is_named(root, name, content):
    (root.path / "CURRENT").write_text(content)
    with pytest.raises(IndexCorruptError, match="CURRENT"):
        root.open_current()


def test_a_current_file_that_cannot_be_read_is_named(root):
    (root.path / "CURRENT").mkdir(parents=True)
    with pytest.raises(IndexCorruptError, match="CURRENT cannot be read: Is a directory"):
        root.current_name()


def test_a_current_generation_that_is_gone_is_named(root, name):
    (root.path / "CURRENT").write_text("gen-000007-abcd\n")
    with pytest.raises(IndexCorruptError, match="gen-000007-abcd"):
        root.open_current()


def test_the_models_in_use_are_compared(root, name):
    root.open_current(EMBEDDING, CROSS, CHUNKER)
    with pytest.raises(IndexMismatchError, match="another embedding model: model 'made-up/small' in the index"):
        root.open_current(replace(EMBEDDING, model="another/same-width"), CROSS)
    with pytest.raises(IndexMismatchError, match="dim 8 in the index, 1024 now"):
        root.open_current(replace(EMBEDDING, dim=1024))
    with pytest.raises(IndexMismatchError, match="another second encoder"):
        root.open_current(EMBEDDING, replace(CROSS, revision="2"))
    with pytest.raises(IndexMismatchError, match="chunker"):
        root.open_current(EMBEDDING, CROSS, "structure-2")


def test_one_writer_at_a_time(root):
    with root.lock(), pytest.raises(IndexLockedError, match=str(os.getpid())), IndexRoot(root.path).lock():
        pass
    with root.lock():
        pass


def test_the_lock_of_a_killed_process_is_free(root):
    script = (
        "import sys, time; from pathlib import Path; from kb.index.root import IndexRoot\n"
        "with IndexRoot(Path(sys.argv[1])).lock():\n print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(root.path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(IndexLockedError, match=str(holder.pid)), root.lock():
            pass
        holder.send_signal(signal.SIGKILL)
    with root.lock():
        pass


def test_pruning_keeps_the_newest_and_the_current(root):
    names = [build(root, publish=False) for _ in range(4)]
    root.publish(names[0])
    (root.path / "gen-000009-abcd").mkdir()
    (root.path / ".building-left").mkdir()
    (root.path / "notes").mkdir()
    with root.lock():
        assert sorted(root.prune(keep=2)) == sorted([names[1], "gen-000009-abcd", ".building-left"])
    assert root.generations() == (names[0], *names[2:])
    assert (root.path / "notes").is_dir()
    with root.lock():
        root.prune(keep=9)
        assert root.generations() == (names[0], *names[2:])
        root.prune(keep=0)
    assert root.generations() == (names[0],)
