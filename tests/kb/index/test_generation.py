from __future__ import annotations

import numpy as np
import pytest

from kb.errors import IndexCorruptError
from kb.index.generation import Generation
from tests.kb.index.conftest import CROSS, EMBEDDING, build, make_vectors


def test_all_parts_are_there(generation, name):
    assert generation.name == name
    assert (generation.manifest.documents, generation.manifest.chunks, generation.manifest.pieces) == (3, 6, 12)
    assert len(generation.vectors) == len(generation.cross_vectors) == len(generation.piece_chunks) == 12
    assert (generation.vectors.dim, generation.cross_vectors.dim) == (EMBEDDING.dim, CROSS.dim)
    assert generation.piece_chunks.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert generation.catalog_bytes() == b'{"t4": 320}'


def test_vectors_stand_in_the_rows_of_their_pieces(generation):
    given = make_vectors(12, EMBEDDING.dim)
    _, rows = generation.vectors.search(given, 1)
    assert rows[:, 0].tolist() == list(range(12))


def test_language_means_are_over_unit_vectors(generation):
    matrix = generation.vectors.matrix()
    np.testing.assert_allclose(generation.language_means["en"], matrix[:6].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(generation.language_means["zh"], matrix[6:].mean(axis=0), atol=1e-6)


def test_an_index_without_a_second_encoder(root):
    generation = root.open(build(root, cross=False))
    assert generation.cross_vectors is None
    assert generation.manifest.cross_embedding is None


def test_further_files_and_calibration(root):
    name = build(root, calibration={"floor": 0.25}, files=[("questions.jsonl", "问".encode())])
    generation = root.open(name)
    assert generation.manifest.calibration == {"floor": 0.25}
    assert generation.read("questions.jsonl") == "问".encode()
    with pytest.raises(KeyError):
        generation.read("../CURRENT")


def test_a_flipped_bit_in_any_file_is_refused_with_its_name(root, name):
    folder = root.path / name
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) >= 20
    for path in files:
        content = path.read_bytes()
        for place in {0, len(content) // 2, len(content) - 1}:
            damaged = bytearray(content)
            damaged[place] ^= 4
            path.write_bytes(damaged)
            with pytest.raises(IndexCorruptError, match=path.name.replace(".", r"\.")) as caught:
                root.open_current()
            assert "gpukb index build" in caught.value.hint
        path.write_bytes(content)
    root.open_current()


def test_a_missing_or_shortened_file_is_refused_with_its_name(root, name):
    path = root.path / name / "chunks.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    with pytest.raises(IndexCorruptError, match=r"chunks\.jsonl"):
        Generation.open(root.path / name)
    path.unlink()
    with pytest.raises(IndexCorruptError, match=r"chunks\.jsonl is missing"):
        Generation.open(root.path / name)


def test_no_file_is_a_pickle(root, name):
    for path in (root.path / name).rglob("*.npy"):
        np.load(path, allow_pickle=False)
    assert not [path for path in (root.path / name).rglob("*") if path.suffix in {".pkl", ".pickle", ".npz"}]


def test_an_open_generation_survives_its_folder(root):
    first = root.open(build(root))
    chunk = first.chunks[3]
    build(root)
    with root.lock():
        assert root.prune(keep=1) == (first.name,)
    assert not first.folder.exists()
    assert first.chunks[4].doc_id == chunk.doc_id
    assert first.documents.get("zh/带宽.md").title == "带宽.md"
    assert first.lexical.scores("A100 带宽").argmax() == 4
    assert first.vectors.matrix().shape == (12, EMBEDDING.dim)
