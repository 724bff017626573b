from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np
import pytest

from kb.errors import StorageError
from kb.index.root import IndexRoot
from kb.index.writer import GenerationWriter
from tests.kb.index.conftest import CHUNKER, CROSS, EMBEDDING, build, make_chunks, make_documents, make_vectors


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def writer_for(root, **changes):
    return GenerationWriter(root, **{"embedding": EMBEDDING, "chunker": CHUNKER, "gpukb_version": "0.1.0", **changes})


def test_two_builds_of_the_same_input_are_the_same_bytes(tmp_path):
    folders = []
    for name in ("one", "two"):
        root = IndexRoot(tmp_path / name)
        folders.append(root.path / build(root))
    one, two = map(files_of, folders)
    assert folders[0].name == folders[1].name
    assert one.keys() == two.keys()
    for name in one.keys() - {"manifest.json"}:
        assert one[name] == two[name], name


def test_a_draft_can_be_searched_before_it_is_finished(root):
    documents = make_documents()
    with root.lock(), writer_for(root) as writer:
        writer.write(documents, make_chunks(documents), make_vectors(12, EMBEDDING.dim))
        draft = writer.draft()
        assert draft.lexical.scores("H100 功耗").shape == (6,)
        assert draft.chunks[0].doc_id == "en/bandwidth.md"
        assert root.generations() == ()
        name = writer.finish({"seen": len(draft.chunks)})
    assert root.open(name).manifest.calibration == {"seen": 6}


def test_a_failed_build_leaves_nothing_and_the_old_index(root, name):
    before = files_of(root.path / name)

    def fail():
        documents = make_documents()
        with root.lock(), writer_for(root) as writer:
            writer.write(documents, make_chunks(documents), make_vectors(12, EMBEDDING.dim))
            raise RuntimeError("no calibration")

    with pytest.raises(RuntimeError, match="no calibration"):
        fail()
    assert root.current_name() == name
    assert files_of(root.path / name) == before
    assert sorted(path.name for path in root.path.iterdir()) == [".lock", "CURRENT", name]


@pytest.mark.parametrize(
    ("vectors", "cross", "message"),
    [
        (make_vectors(11, 8), None, r"shape \(12, 8\), got \(11, 8\)"),
        (make_vectors(12, 9), None, r"shape \(12, 8\), got \(12, 9\)"),
        (make_vectors(12, 8), make_vectors(12, 4), "cross vectors and their model go together"),
        (np.zeros((12, 8), np.float32), None, "no length"),
    ],
)
def test_wrong_vectors_are_refused(root, vectors, cross, message):
    documents = make_documents()
    with root.lock(), writer_for(root) as writer, pytest.raises(ValueError, match=message):
        writer.write(documents, make_chunks(documents), vectors, cross_vectors=cross)


def test_missing_cross_vectors_are_refused(root):
    documents = make_documents()
    with root.lock(), writer_for(root, cross_embedding=CROSS) as writer:
        with pytest.raises(ValueError, match="go together"):
            writer.write(documents, make_chunks(documents), make_vectors(12, 8))
        with pytest.raises(ValueError, match="cross vectors of shape"):
            writer.write(documents, make_chunks(documents), make_vectors(12, 8), cross_vectors=make_vectors(12, 5))


def test_an_empty_index_is_refused(root):
    with root.lock(), writer_for(root) as writer, pytest.raises(ValueError, match="at least one chunk"):
        writer.write(make_documents(), [], np.empty((0, 8), np.float32))


@pytest.mark.parametrize("name", ["../x", "manifest.json", "catalog.json", ""])
def test_a_further_file_needs_a_free_name(root, name):
    documents = make_documents()
    with root.lock(), writer_for(root) as writer:
        writer.write(documents, make_chunks(documents), make_vectors(12, 8))
        with pytest.raises(ValueError, match="no free file name"):
            writer.add_file(name, b"")


def limited_build(folder, limit_bytes):
    """A build in a process that may not write larger files, as on a disk without room."""
    script = (
        "import importlib.util, sys; from pathlib import Path; from kb.index.root import IndexRoot;"
        f"spec = importlib.util.spec_from_file_location('corpus', {__file__.replace('test_writer', 'conftest')!r});"
        "corpus = importlib.util.module_from_spec(spec); spec.loader.exec_module(corpus);"
        "corpus.build(IndexRoot(Path(sys.argv[1])))"
    )

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    return subprocess.run(
        [sys.executable, "-c", script, str(folder)], preexec_fn=limit, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("limit_bytes", [100, 300, 600])
def test_a_disk_that_refuses_is_a_storage_error_and_the_old_index_stays(root, name, limit_bytes):
    before = files_of(root.path / name)
    result = limited_build(root.path, limit_bytes)
    assert result.returncode == 1
    assert "kb.errors.StorageError: Cannot write" in result.stderr
    assert files_of(root.path / name) == before
    assert root.current_name() == name
    assert root.generations() == (name,)


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    root = IndexRoot(tmp_path / "file" / "data")
    with pytest.raises(StorageError, match="Not a directory") as caught, root.lock():
        pass
    assert "choose another folder" in caught.value.hint
    with pytest.raises(StorageError, match="Not a directory"):
        writer_for(root)
