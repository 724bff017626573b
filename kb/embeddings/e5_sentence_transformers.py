"""Writes multilingual-e5-small as a folder that sentence-transformers opens, with the same weights.

That is how the bundled model runs on a GPU: same weights, same tokenizer, vectors that agree to four decimals.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kb.embeddings.e5_tokenizer import END_ID, PAD_ID, START_ID, UNKNOWN_ID
from kb.embeddings.e5_weights import E5Shape, E5Weights

_FULL_WIDTH_TILDE: Final = "\uff5e"  # in Chinese ranges; the model keeps it, NFKC would not
_TILDE_STAND_IN: Final = "\ue5e5"
_MODULES: Final = (("0", "", "Transformer"), ("1", "1_Pooling", "Pooling"), ("2", "2_Normalize", "Normalize"))


def write_sentence_transformers(weights: E5Weights, folder: Path) -> None:
    """Write the weights, the tokenizer and the configuration into `folder`.

    Raises:
        OptionalDependencyError: if safetensors is not installed; sentence-transformers brings it.
    """
    from kb.optional import require

    safetensors = require("safetensors.numpy", extra="gpu")
    (folder / "1_Pooling").mkdir()
    (folder / "2_Normalize").mkdir()
    safetensors.save_file(_state(weights), folder / "model.safetensors", metadata={"format": "pt"})
    for name, content in _configuration(weights).items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _state(weights: E5Weights) -> dict[str, NDArray[np.float32]]:
    shape = weights.shape
    size, wide = shape.hidden, shape.feed_forward
    state = {
        "embeddings.word_embeddings.weight": weights.matrix("emb.word", shape.vocabulary, size),
        "embeddings.position_embeddings.weight": weights.matrix("emb.pos", shape.positions, size),
        "embeddings.token_type_embeddings.weight": weights.matrix("emb.type", shape.token_types, size),
        "embeddings.LayerNorm.weight": weights.vector("emb.ln.w", size),
        "embeddings.LayerNorm.bias": weights.vector("emb.ln.b", size),
    }
    # Never read, since vectors are the mean over tokens; without them loading warns about missing weights.
    state["pooler.dense.weight"] = np.zeros((size, size), np.float32)
    state["pooler.dense.bias"] = np.zeros(size, np.float32)
    linear = (
        ("q", "attention.self.query", size, size),
        ("k", "attention.self.key", size, size),
        ("v", "attention.self.value", size, size),
        ("ao", "attention.output.dense", size, size),
        ("fi", "intermediate.dense", wide, size),
        ("fo", "output.dense", size, wide),
    )
    for layer in range(shape.layers):
        theirs = f"encoder.layer.{layer}."
        for ours, name, outputs, inputs in linear:
            state[f"{theirs}{name}.weight"] = weights.matrix(f"l{layer}.{ours}.w", outputs, inputs)
            state[f"{theirs}{name}.bias"] = weights.vector(f"l{layer}.{ours}.b", outputs)
        for ours, name in (("aln", "attention.output.LayerNorm"), ("oln", "output.LayerNorm")):
            state[f"{theirs}{name}.weight"] = weights.vector(f"l{layer}.{ours}.w", size)
            state[f"{theirs}{name}.bias"] = weights.vector(f"l{layer}.{ours}.b", size)
    return state


def _configuration(weights: E5Weights) -> dict[str, Any]:
    shape = weights.shape
    start, pad, end, unknown = weights.pieces[:4]
    return {
        "config.json": _model_config(shape),
        "tokenizer.json": _tokenizer(weights),
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": shape.positions,
            "bos_token": start,
            "eos_token": end,
            "sep_token": end,
            "cls_token": start,
            "unk_token": unknown,
            "pad_token": pad,
            "model_input_names": ["input_ids", "attention_mask"],
        },
        "modules.json": [
            {"idx": index, "name": name, "path": path, "type": f"sentence_transformers.models.{kind}"}
            for index, (name, path, kind) in enumerate(_MODULES)
        ],
        "1_Pooling/config.json": {
            "word_embedding_dimension": shape.hidden,
            "pooling_mode_mean_tokens": True,
            "pooling_mode_cls_token": False,
            "pooling_mode_max_tokens": False,
        },
        "sentence_bert_config.json": {"max_seq_length": shape.positions, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "},
            "default_prompt_name": None,
            "similarity_fn_name": "cosine",
        },
    }


def _model_config(shape: E5Shape) -> dict[str, Any]:
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.feed_forward,
        "vocab_size": shape.vocabulary,
        "max_position_embeddings": shape.positions,
        "type_vocab_size": shape.token_types,
        "layer_norm_eps": shape.norm_epsilon,
        "hidden_act": "gelu",
        "pad_token_id": PAD_ID,
        "attention_probs_dropout_prob": 0.0,
        "hidden_dropout_prob": 0.0,
        "position_embedding_type": "absolute",
        "dtype": "float32",
    }


def _tokenizer(weights: E5Weights) -> dict[str, Any]:
    """The tokenizer in the `tokenizers` package's format.

    That format has no table of single code points: it is NFKC, apart from what the model drops, folds or keeps.
    """
    specials = {index: weights.pieces[index] for index in (START_ID, PAD_ID, END_ID, UNKNOWN_ID)}
    start, end = specials[START_ID], specials[END_ID]
    template: list[dict[str, Any]] = [
        {"SpecialToken": {"id": start, "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": end, "type_id": 0}},
    ]
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": index,
                "content": piece,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for index, piece in sorted(specials.items())
        ],
        "normalizer": {"type": "Sequence", "normalizers": _normalizers(weights)},
        "pre_tokenizer": metaspace,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": template,
            "pair": [*template, {"Sequence": {"id": "B", "type_id": 0}}, template[-1]],
            "special_tokens": {
                piece: {"id": piece, "ids": [index], "tokens": [piece]}
                for index, piece in ((START_ID, start), (END_ID, end))
            },
        },
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": UNKNOWN_ID,
            "vocab": list(zip(weights.pieces, weights.scores.tolist(), strict=True)),
            "byte_fallback": False,
        },
    }


def _normalizers(weights: E5Weights) -> list[dict[str, Any]]:
    def of(text: str) -> str:
        points = sorted(point for point, becomes in weights.normalisation.items() if becomes == text)
        return "[" + "".join(f"\\x{{{point:x}}}" for point in points) + "]"

    def replace(kind: str, pattern: str, content: str) -> dict[str, Any]:
        return {"type": "Replace", "pattern": {kind: pattern}, "content": content}

    return [
        replace("Regex", of(""), ""),
        replace("Regex", of(" "), " "),
        replace("String", _FULL_WIDTH_TILDE, _TILDE_STAND_IN),
        {"type": "NFKC"},
        replace("String", _TILDE_STAND_IN, _FULL_WIDTH_TILDE),
        replace("Regex", " {2,}", " "),
        {"type": "Strip", "strip_left": True, "strip_right": True},
    ]
