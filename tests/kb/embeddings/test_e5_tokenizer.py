from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from tokenizers import Tokenizer

from kb.embeddings.e5_tokenizer import E5Tokenizer
from tests.kb.embeddings.conftest import TEXTS


@pytest.fixture(scope="module")
def ours(onnx):
    return E5Tokenizer(onnx)


@pytest.fixture(scope="module")
def theirs(sentence_transformers):
    return Tokenizer.from_file(str(sentence_transformers / "tokenizer.json"))


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_both_tokenizers_give_the_same_ids(ours, theirs, text):
    assert ours.encode(f"passage: {text}") == theirs.encode(f"passage: {text}").ids


def test_both_tokenizers_agree_on_thousands_of_passages(ours, theirs, shared):
    texts = [
        f"passage: {json.loads(line)['text']}"
        for name in ("xquad_zh", "xquad_en", "cmrc_trial")
        for part in ("corpus", "queries")
        for line in (shared / "retrieval" / name / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(texts) > 2000
    encoded = [encoding.ids for encoding in theirs.encode_batch(texts)]
    assert [ours.encode(text) for text in texts] == encoded


def test_start_and_end_surround_every_text(ours):
    assert ours.encode("") == [0, 2]
    assert ours.encode("\u200b\n ") == [0, 2]
    ids = ours.encode("显存")
    assert (ids[0], ids[-1]) == (0, 2)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("ＦＰ８　１６ＧＢ", "FP8 16GB"),
        ("cafe\u0301", "café"),
        ("３００～３５０", "300～350"),
        ("\ufb01ne ½", "fine 1⁄2"),
        ("a\ud83d\ude00b", "a😀b"),
        ("lone \ud800", "lone  "),
    ],
)
def test_normalisation(ours, text, normal):
    assert ours.normalise(text) == normal


def test_threads_may_share_it(ours):
    texts = [f"{text} {number}" for number in range(100) for text in TEXTS]
    expected = [ours.encode(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ours.encode, texts)) == expected


def test_the_vocabulary_is_a_file_of_sentencepiece(onnx, weights):
    protocol = pytest.importorskip("sentencepiece.sentencepiece_model_pb2")
    content = (onnx / "sentencepiece.model").read_bytes()
    model = protocol.ModelProto.FromString(content)
    assert model.SerializeToString(deterministic=True) == content
    assert [piece.piece for piece in model.pieces] == list(weights.pieces)
    assert [piece.type for piece in model.pieces[:5]] == [3, 3, 3, 2, 1]
    assert (model.trainer_spec.unk_id, model.trainer_spec.model_type, model.normalizer_spec.name) == (3, 1, "identity")
