"""The converted files of multilingual-e5-small: made once per machine, kept in a cache folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kb.embeddings.e5_weights import WEIGHTS_SHA256, E5Weights, find_weights, load_weights
from kb.errors import EmbeddingError
from kb.storage import locked, publish_folder

CONVERTER_VERSION: Final = 2
"""Raised whenever the converted files change, so that old ones are not used."""

_CHECKSUMS_FILE: Final = "checksums.json"


def onnx_folder(cache_dir: Path) -> Path:
    """The folder with the ONNX graph and the tokenizer, converted first if it is not there.

    Raises:
        EmbeddingError: if the weights are missing or damaged, or a converted file is.
        StorageError: if the cache folder cannot be written.
    """
    return _folder(cache_dir, "onnx", _write_onnx_folder)


def sentence_transformers_folder(cache_dir: Path) -> Path:
    """A folder that sentence-transformers opens, with the same weights, converted first if it is not there.

    Raises:
        EmbeddingError, StorageError: as `onnx_folder`.
    """
    return _folder(cache_dir, "sentence-transformers", _write_sentence_transformers_folder)


def _write_onnx_folder(weights: E5Weights, folder: Path) -> None:
    from kb.embeddings.e5_onnx import write_onnx
    from kb.embeddings.e5_tokenizer import write_tokenizer

    write_onnx(weights, folder)
    write_tokenizer(weights, folder)


def _write_sentence_transformers_folder(weights: E5Weights, folder: Path) -> None:
    from kb.embeddings.e5_sentence_transformers import write_sentence_transformers

    write_sentence_transformers(weights, folder)


def _folder(cache_dir: Path, kind: str, write: Callable[[E5Weights, Path], None]) -> Path:
    version = hashlib.sha256(f"{WEIGHTS_SHA256} {CONVERTER_VERSION} {kind}".encode()).hexdigest()[:12]
    folder = cache_dir / f"multilingual-e5-small-{kind}-{version}"
    if not folder.is_dir():
        # Folders appear whole in any case; the lock only spares a second process the same work.
        with locked(cache_dir / ".convert.lock", wait=True):
            if not folder.is_dir():
                weights = load_weights(find_weights())
                publish_folder(folder, lambda aside: _write_checked(weights, aside, write))
    _verify(folder)
    return folder


def _write_checked(weights: E5Weights, folder: Path, write: Callable[[E5Weights, Path], None]) -> None:
    write(weights, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    checksums = {path.relative_to(folder).as_posix(): _sha256(path) for path in files}
    (folder / _CHECKSUMS_FILE).write_text(json.dumps(checksums, indent=1), encoding="utf-8")


def _verify(folder: Path) -> None:
    """Refuse files that changed since they were written; costs a tenth of a second for the whole model."""
    hint = f"Delete the folder {folder}; it is made again at the next start."
    try:
        checksums = json.loads((folder / _CHECKSUMS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EmbeddingError(f"{folder / _CHECKSUMS_FILE} cannot be read.", hint) from error
    for name, expected in checksums.items():
        path = folder / name
        if not path.is_file() or _sha256(path) != expected:
            raise EmbeddingError(f"{path} is missing or damaged.", hint)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
