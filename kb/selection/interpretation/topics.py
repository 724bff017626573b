"""What conditions are about: the fields a text names, with the words that tell them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kb.selection.interpretation.tokens import Token

_PLAIN: Final[Mapping[str, str]] = {
    "fp64": "fp64_tflops",
    "fp32": "fp32_tflops",
    "tf32": "tf32_tensor_tflops",
    "fp16": "fp16_tensor_tflops",
    "bf16": "bf16_tensor_tflops",
    "fp8": "fp8_tensor_tflops",
    "fp4": "fp4_tensor_tflops",
    "int8": "int8_tops",
    "int4": "int4_tops",
}
"""What a bare number format means: dense matrix throughput, for FP64 and FP32 the vector units'."""
_TENSOR: Final = {**_PLAIN, "fp64": "fp64_tensor_tflops", "fp32": "fp32_matrix_tflops"}
_VECTOR: Final = {**_PLAIN, "fp16": "fp16_tflops"}
_WITHOUT_SPARSE: Final = frozenset({"fp64", "fp32"})
_MODIFIERS: Final = ("tensor", "dense", "sparse", "vector")
FEATURES: Final = frozenset(
    {"rt_cores", "tensor_cores", "interconnect", "mig_slices", "fp64_tensor_tflops", "video_decode_1080p30"}
    | {key for key in _PLAIN.values() if key not in ("fp64_tflops", "fp32_tflops")}
    | {f"{key}_sparse" for name, key in _PLAIN.items() if name not in _WITHOUT_SPARSE}
)
"""Fields that a card may have or lack."""


@dataclass(slots=True)
class Topic:
    """A field that a text names.

    Attributes:
        first, last: positions of its tokens.
        key: of the field; empty for "compute" without a number format.
        feature: what having it means, where that is another field; else `key`.
        used: whether a condition was made of it.
    """

    first: int
    last: int
    key: str
    feature: str = ""
    used: bool = False


def find_topics(tokens: Sequence[Token]) -> list[Topic]:
    """The topics of a text, in order; each token is part of one at most."""
    found: list[Topic] = []
    position = 0
    while position < len(tokens):
        topic = _at(tokens, position)
        if topic is not None:
            found.append(topic)
            position = topic.last
        position += 1
    return found


def _at(tokens: Sequence[Token], position: int) -> Topic | None:
    token = tokens[position]
    if token.is_a("precision", *_MODIFIERS):
        return _throughput(tokens, position)
    if token.is_a("compute"):
        return Topic(position, position, "")
    if token.is_a("link", "link_kind"):
        last = _follows(tokens, position, "bandwidth")
        if last:
            return Topic(position, last, "interconnect_gb_s")
        return Topic(position, position, "interconnect_gb_s", "" if token.is_a("link_kind") else "interconnect")
    if token.is_a("bandwidth"):
        last = _follows(tokens, position, "link", "link_kind")
        return Topic(position, last or position, "interconnect_gb_s" if last else "memory_bandwidth_gb_s")
    key = token.get("field")
    if key == "memory_gb" and (last := _follows(tokens, position, "bandwidth")):
        return Topic(position, last, "memory_bandwidth_gb_s")
    return Topic(position, position, key) if key else None


def _follows(tokens: Sequence[Token], position: int, *kinds: str) -> int:
    """The position of a word of those kinds right after, fillers between; 0 if there is none."""
    for following in range(position + 1, min(position + 4, len(tokens))):
        if tokens[following].is_a(*kinds):
            return following
        if not (tokens[following].is_filler or tokens[following].is_a("one_way", "both_ways")):
            return 0
    return 0


def _throughput(tokens: Sequence[Token], position: int) -> Topic | None:
    """A number format with the modifiers on both sides of it: `dense INT8`, `FP16 Tensor 稀疏算力`."""
    last = position
    formats: list[str] = []
    modifiers: set[str] = set()
    for following in range(position, len(tokens)):
        token = tokens[following]
        if token.kind == "mark" and token.text in "()（）[]" and _parenthesised(tokens, following):
            continue
        if token.is_a("precision"):
            if formats:
                break
            formats.append(token.get("precision"))
        elif token.is_a(*_MODIFIERS):
            modifiers |= {tag.kind for tag in token.tags if tag.kind in _MODIFIERS}
        elif not (token.is_a("compute") or (token.is_filler and following + 1 < len(tokens))):
            break
        if not token.is_filler or token.is_a("compute"):
            last = following
    if not formats:
        return _without_format(position, last, modifiers)
    return Topic(position, last, throughput_key(formats[0], modifiers))


def _parenthesised(tokens: Sequence[Token], position: int) -> bool:
    """Whether a bracket stands around a modifier: `FP16 算力（稀疏）`."""
    around = [tokens[i] for i in (position - 1, position + 1) if 0 <= i < len(tokens)]
    return any(token.is_a(*_MODIFIERS) for token in around)


def _without_format(first: int, last: int, modifiers: set[str]) -> Topic | None:
    if "sparse" in modifiers and "dense" not in modifiers:
        return Topic(first, last, "", "fp16_tensor_tflops_sparse")
    if modifiers == {"tensor"}:
        return Topic(first, last, "tensor_cores")
    return Topic(first, last, "")


def throughput_key(precision: str, modifiers: set[str]) -> str:
    """The field of a number format under its modifiers; dense unless it says sparse."""
    if "vector" in modifiers:
        return _VECTOR[precision]
    key = (_TENSOR if "tensor" in modifiers else _PLAIN)[precision]
    is_sparse = "sparse" in modifiers and "dense" not in modifiers and precision not in _WITHOUT_SPARSE
    return f"{key}_sparse" if is_sparse else key


def with_sparsity(key: str, modifiers: set[str]) -> str:
    """A throughput field, sparse where the words beside its figure say so."""
    if "sparse" in modifiers and "dense" not in modifiers and f"{key}_sparse" in FEATURES:
        return f"{key}_sparse"
    return key
