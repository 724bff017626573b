"""The unigram tokenizer of multilingual-e5-small, run by sentencepiece.

sentencepiece needs 55 MB for this vocabulary where the `tokenizers` package needs 280 MB, reads a question in 4 µs,
and its encoder keeps no state between calls, so threads may share it.
"""

from __future__ import annotations

import importlib
import json
import unicodedata
from pathlib import Path
from typing import Any, Final

import sentencepiece

from kb.embeddings.e5_weights import E5Weights

VOCABULARY_FILE: Final = "sentencepiece.model"
NORMALISATION_FILE: Final = "normalisation.json"

START_ID: Final = 0
PAD_ID: Final = 1
END_ID: Final = 2
UNKNOWN_ID: Final = 3


def write_tokenizer(weights: E5Weights, folder: Path) -> None:
    """Write the vocabulary and the normalisation table into `folder`."""
    (folder / VOCABULARY_FILE).write_bytes(_vocabulary(weights))
    table = {str(code_point): text for code_point, text in sorted(weights.normalisation.items())}
    (folder / NORMALISATION_FILE).write_text(json.dumps(table), encoding="utf-8")


def _vocabulary(weights: E5Weights) -> bytes:
    # Late, since only writing needs it; by name, since the generated module has no types.
    protocol: Any = importlib.import_module("sentencepiece.sentencepiece_model_pb2")
    kinds = protocol.ModelProto.SentencePiece
    special = {START_ID: kinds.CONTROL, PAD_ID: kinds.CONTROL, END_ID: kinds.CONTROL, UNKNOWN_ID: kinds.UNKNOWN}
    model = protocol.ModelProto()
    for index, (piece, score) in enumerate(zip(weights.pieces, weights.scores.tolist(), strict=True)):
        model.pieces.add(piece=piece, score=score, type=special.get(index, kinds.NORMAL))
    trainer = model.trainer_spec
    trainer.model_type = protocol.TrainerSpec.UNIGRAM
    trainer.vocab_size = len(weights.pieces)
    trainer.bos_id, trainer.pad_id, trainer.eos_id, trainer.unk_id = START_ID, PAD_ID, END_ID, UNKNOWN_ID
    trainer.bos_piece, trainer.pad_piece, trainer.eos_piece, trainer.unk_piece = weights.pieces[:4]
    # Normalisation is done before, by `E5Tokenizer.normalise`; sentencepiece only folds white space.
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = True
    model.normalizer_spec.remove_extra_whitespaces = True
    model.normalizer_spec.escape_whitespaces = True
    content: bytes = model.SerializeToString(deterministic=True)
    return content


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
