"""Number formats of weights and caches: their true bits, scales included, and what a card computes them in.

Scales: INT4 in groups of 128 with a 16-bit scale and a 4-bit zero point (GPTQ, AWQ), NF4 in blocks of 64 with doubly
quantised scales (Dettmers et al., QLoRA, 2023), NVFP4 in blocks of 16 with an 8-bit scale, MXFP4 in blocks of 32 with
an 8-bit scale (OCP Microscaling Formats v1.0, 2023), FP8 in blocks of 128 × 128 with a 32-bit scale (DeepSeek-V3,
2024), INT8 with a 16-bit scale per output channel of some thousand weights, which rounds to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kb.errors import RequestError
from kb.sizing.bounds import Bounds

_SIXTEEN = ("fp16_tensor_tflops", "bf16_tensor_tflops", "fp16_tflops", "fp32_tflops")


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How weights are stored and computed.

    Attributes:
        name: key, lower case.
        bits: of one number, without scales.
        scale_bits: of scales and zero points, for each number.
        compute: catalogue fields of what it is computed in, the right one first, then what stands in for it.
        faster: fields of formats that engines may also compute it in, which only raise the upper bound.
        quantises: only the matrices of the layers are stored so; embeddings and norms stay in 16 bits.
    """

    name: str
    bits: float
    scale_bits: float
    compute: tuple[str, ...]
    faster: tuple[str, ...] = ()
    quantises: bool = False

    @property
    def multiplies_as_int8(self) -> bool:
        """Whether engines may multiply such weights as INT8 as well."""
        return "int8_tops" in self.faster

    @property
    def bytes(self) -> float:
        """Of one number, without scales."""
        return self.bits / 8

    @property
    def cache_bytes(self) -> Bounds:
        """Of one number in a KV cache: the scale of an 8-bit cache is one for a whole head or tensor."""
        return Bounds(self.bytes, self.bytes_with_scales if self.bits < 8 else self.bytes)

    @property
    def bytes_with_scales(self) -> float:
        """Of one number, with its share of the scales."""
        return (self.bits + self.scale_bits) / 8


_ACCUMULATE = "fp16_tensor_fp16acc_tflops"
_TABLE = (
    NumberFormat("fp32", 32, 0, ("fp32_tflops",), ("tf32_tensor_tflops", "fp32_matrix_tflops")),
    NumberFormat("fp16", 16, 0, _SIXTEEN, (_ACCUMULATE, "bf16_tensor_tflops")),
    NumberFormat("bf16", 16, 0, ("bf16_tensor_tflops", *_SIXTEEN)),
    NumberFormat("fp8", 8, 32 / 128**2, ("fp8_tensor_tflops", *_SIXTEEN), ("fp8_tensor_fp16acc_tflops",), True),
    NumberFormat("int8", 8, 0, ("int8_tops", *_SIXTEEN), (), True),
    NumberFormat("int4", 4, (16 + 4) / 128, _SIXTEEN, (_ACCUMULATE, "int8_tops", "fp8_tensor_tflops"), True),
    NumberFormat("nf4", 4, 8 / 64 + 32 / (64 * 256), _SIXTEEN, (_ACCUMULATE,), True),
    NumberFormat("nvfp4", 4, 8 / 16, ("fp4_tensor_tflops", *_SIXTEEN), ("fp8_tensor_tflops", "int8_tops"), True),
    NumberFormat("mxfp4", 4, 8 / 32, ("fp4_tensor_tflops", *_SIXTEEN), ("fp8_tensor_tflops", "int8_tops"), True),
)
FORMATS: Mapping[str, NumberFormat] = MappingProxyType({row.name: row for row in _TABLE})
"""Every format by name."""

_ALIASES = {
    "tf32": "fp32", "float32": "fp32", "float16": "fp16", "half": "fp16", "bfloat16": "bf16", "fp4": "nvfp4",
    "w8a8": "int8", "w4a16": "int4", "awq": "int4", "gptq": "int4", "e4m3": "fp8",
}  # fmt: skip


def number_format(name: str) -> NumberFormat:
    """The format of that name.

    Raises:
        RequestError: there is none; the hint lists all.
    """
    key = name.strip().lower()
    found = FORMATS.get(_ALIASES.get(key, key))
    if found is None:
        raise RequestError(f"There is no number format {name!r}.", f"Formats: {', '.join(FORMATS)}.")
    return found
