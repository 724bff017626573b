from __future__ import annotations

import subprocess
import sys

import pytest

from kb.embeddings.e5_files import onnx_folder
from kb.errors import EmbeddingError, StorageError


def test_two_processes_at_once_convert_once(tmp_path):
    script = (
        "import sys; from pathlib import Path; from kb.embeddings.e5_files import onnx_folder;"
        "folder = onnx_folder(Path(sys.argv[1])); print(folder, (folder / 'model.bin').stat().st_ino)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "cache")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = {process.communicate()[0] for process in processes}
    assert [process.returncode for process in processes] == [0, 0]
    assert len(answers) == 1
    left = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert len(left) == 2
    assert left[0] == ".convert.lock"


def test_a_damaged_file_is_refused_with_its_name(onnx, tmp_path):
    copy = tmp_path / onnx.name
    copy.mkdir()
    for path in onnx.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    with (copy / "model.bin").open("r+b") as file:
        file.seek(70_000_000)
        byte = file.read(1)[0]
        file.seek(70_000_000)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(EmbeddingError, match=r"model\.bin is missing or damaged") as caught:
        onnx_folder(tmp_path)
    assert "made again" in caught.value.hint
    (copy / "checksums.json").write_text("{")
    with pytest.raises(EmbeddingError, match=r"checksums\.json"):
        onnx_folder(tmp_path)


def test_a_cache_that_cannot_be_written_is_a_storage_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="Cannot write"):
        onnx_folder(tmp_path / "file" / "cache")
