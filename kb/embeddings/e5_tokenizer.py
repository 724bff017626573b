"""The unigram tokenizer of multilingual-e5-small, run by sentencepiece.

sentencepiece needs 55 MB for this vocabulary where the `tokenizers` package needs 280 MB, reads a question in 4 µs,
and its encoder keeps no state between calls, so threads may share it.
"""

from __future__ import annotations

import json
import struct
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import sentencepiece

from kb.embeddings.e5_weights import E5Weights

VOCABULARY_FILE: Final = "sentencepiece.model"
NORMALISATION_FILE: Final = "normalisation.json"

START_ID: Final = 0
PAD_ID: Final = 1
END_ID: Final = 2
UNKNOWN_ID: Final = 3

# Of sentencepiece's file format: kinds of pieces, and the kind of model.
_NORMAL: Final = 1
_UNKNOWN: Final = 2
_CONTROL: Final = 3
_UNIGRAM: Final = 1


def write_tokenizer(weights: E5Weights, folder: Path) -> None:
    """Write the vocabulary and the normalisation table into `folder`."""
    (folder / VOCABULARY_FILE).write_bytes(_vocabulary(weights))
    table = {str(code_point): text for code_point, text in sorted(weights.normalisation.items())}
    (folder / NORMALISATION_FILE).write_text(json.dumps(table), encoding="utf-8")


def _vocabulary(weights: E5Weights) -> bytes:
    """The vocabulary as sentencepiece's `ModelProto`.

    Written field by field: the generated module that sentencepiece ships insists on the protobuf release it was
    generated with. Numbers are those of `sentencepiece_model.proto`.
    """
    specials = {START_ID: _CONTROL, PAD_ID: _CONTROL, END_ID: _CONTROL, UNKNOWN_ID: _UNKNOWN}
    pieces = [
        _field(1, _field(1, piece.encode()) + _float_field(2, score) + _field(3, specials.get(index, _NORMAL)))
        for index, (piece, score) in enumerate(zip(weights.pieces, weights.scores.tolist(), strict=True))
    ]
    start, pad, end, unknown = (piece.encode() for piece in weights.pieces[:4])
    trainer = _message(
        {3: _UNIGRAM, 4: len(weights.pieces)},
        {40: UNKNOWN_ID, 41: START_ID, 42: END_ID, 43: PAD_ID},
        {45: unknown, 46: start, 47: end, 48: pad},
    )
    # Normalisation is done before, by `E5Tokenizer.normalise`; sentencepiece only folds white space:
    # it adds one in front, removes repeated ones and writes each as U+2581.
    normalizer = _message({1: b"identity", 3: 1, 4: 1, 5: 1})
    return b"".join([*pieces, _field(2, trainer), _field(3, normalizer)])


def _message(*fields: Mapping[int, int | bytes]) -> bytes:
    return b"".join(_field(number, value) for group in fields for number, value in group.items())


def _field(number: int, value: int | bytes) -> bytes:
    """A protobuf field: a number as wire type 0, bytes as wire type 2."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _float_field(number: int, value: float) -> bytes:
    return _varint(number << 3 | 5) + struct.pack("<f", value)


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


class E5Tokenizer:
    """Text to token ids; safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        table = json.loads((folder / NORMALISATION_FILE).read_text(encoding="utf-8"))
        self._table = {int(code_point): text for code_point, text in table.items()}
        self._encoder = sentencepiece.SentencePieceProcessor(model_file=str(folder / VOCABULARY_FILE))

    def normalise(self, text: str) -> str:
        """Text as the model saw text when it was trained (NFKC, white space folded, invisible characters dropped)."""
        # A lone surrogate cannot be written as UTF-8: it becomes U+FFFD, a pair becomes its character.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _has_surrogate(text) else text
        return unicodedata.normalize("NFC", whole.translate(self._table))

    def encode(self, text: str) -> list[int]:
        """Token ids with start and end, however many there are."""
        return [START_ID, *self._encoder.encode(self.normalise(text)), END_ID]


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
