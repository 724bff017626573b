"""Which field of a card a figure is about: its unit allows some, the words beside it choose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.answer.gate.lexicon import COMPUTE_UNITS
from kb.answer.question.scanner import Hit
from kb.specs.fields import FIELDS, sparse_key

Factors = dict[str, float]
UNITS: dict[str, Factors] = {
    "GB/s": {"GB/s": 1.0, "Gb/s": 0.125},
    "GB": {"GB": 1.0, "GiB": 1.0, "MB": 1e-3, "MiB": 1 / 1024},
    "MB": {"MB": 1.0, "MiB": 1.0, "KB": 1e-3, "GB": 1e3, "GiB": 1024.0},
    "TFLOPS": {"TFLOPS": 1.0, "AI TOPS": 1.0},
    "TOPS": {"TOPS": 1.0, "AI TOPS": 1.0},
    "W": {"W": 1.0},
    "bit": {"bit": 1.0},
    "MHz": {"MHz": 1.0},
    "nm": {"nm": 1.0},
    "mm²": {"mm²": 1.0},
    "USD": {"USD": 1.0},
    "streams": {"streams": 1.0},
    "GPixel/s": {"GPixel/s": 1.0},
    "GTexel/s": {"GTexel/s": 1.0},
    "million": {"": 1e-6},
    "": {"": 1.0},
}
"""For each field's unit the units of a text, with what turns one into the other. A card's GB are mostly GiB."""

_BY_UNIT: dict[str, tuple[str, ...]] = {
    "GB/s": ("memory_bandwidth_gb_s", "interconnect_gb_s"),
    "Gb/s": ("interconnect_gb_s",),
    "GB": ("memory_gb",),
    "GiB": ("memory_gb",),
    "MB": ("l2_mb", "l3_mb"),
    "MiB": ("l2_mb", "l3_mb"),
    "W": ("tdp_w",),
    "bit": ("memory_bus_bits",),
    "MHz": ("boost_clock_mhz", "base_clock_mhz"),
    "nm": ("process_nm",),
    "mm²": ("die_mm2",),
    "USD": ("price_usd",),
    "streams": ("video_decode_1080p30",),
    "GPixel/s": ("pixel_rate_gpixel_s",),
    "GTexel/s": ("texture_rate_gtexel_s",),
}
"""What a figure with that unit means where no word says."""
MEASURED = {
    "fp32": "fp32_matmul_measured_tflops",
    "fp16": "fp16_matmul_measured_tflops",
    "int8": "int8_matmul_measured_tops",
}
_MATRIX = {
    "fp64": ("fp64_tensor_tflops",),
    "fp32": ("fp32_matrix_tflops",),
    "tf32": ("tf32_tensor_tflops",),
    "fp16": ("fp16_tensor_tflops", "fp16_tensor_fp16acc_tflops"),
    "bf16": ("bf16_tensor_tflops",),
    "fp8": ("fp8_tensor_tflops", "fp8_tensor_fp16acc_tflops"),
    "fp4": ("fp4_tensor_tflops",),
    "int8": ("int8_tops",),
    "int4": ("int4_tops",),
}
_VECTOR = {"fp64": ("fp64_tflops",), "fp32": ("fp32_tflops",), "fp16": ("fp16_tflops",)}
COUNTED = tuple(key for key, spec in FIELDS.items() if spec.unit in ("", "million") and spec.kind == "number")
COMPUTE = tuple(key for key, spec in FIELDS.items() if spec.unit in COMPUTE_UNITS)
SLIPS: dict[str, tuple[str, float, int]] = {
    "mm": ("process_nm", 1.0, 1),
    "Gb/s": ("memory_bandwidth_gb_s", 1.0, 2),
    "GB": ("memory_bandwidth_gb_s", 1.0, 2),
    "MB": ("memory_gb", 1.0, 2),
    "W": ("tdp_w", 1e-3, 1),
}
"""For units that one mistakes: the field that was meant, what turns the number into that field's, and how many digits
(the zeros around them do not count) it must have to be known again."""


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """The fields a figure may be about.

    Attributes:
        keys: any of them.
        named: a word says so, not the unit alone.
        fits: its unit is one of the field's.
    """

    keys: tuple[str, ...] = ()
    named: bool = False
    fits: bool = True


_DIMENSIONS = (
    frozenset({"GB", "GiB", "MB", "MiB", "KB", "GB/s", "Gb/s", "bit"}),
    frozenset({"TFLOPS", "TOPS"}),
    frozenset({"nm", "mm", "mm²"}),
    frozenset({"USD", "CNY"}),
)
"""Units that are mistaken for one another."""


def is_confusable(unit: str, key: str) -> bool:
    """Whether a figure with that unit may be one of the field, written in a wrong unit."""
    return any({unit, FIELDS[key].unit} <= units for units in _DIMENSIONS)


AI_TOPS = FieldChoice(("fp4_tensor_tflops_sparse", "int8_tops_sparse", "int8_tops"), named=True)
"""What vendors call AI TOPS: FP4 with sparsity on late cards, INT8 on others."""


def by_unit(unit: str) -> FieldChoice:
    """What the unit alone means."""
    if unit in COMPUTE_UNITS:
        return FieldChoice(tuple(key for key in COMPUTE if FIELDS[key].unit == unit))
    return FieldChoice(_BY_UNIT.get(unit, ()))


def by_word(hit: Hit, unit: str, modifiers: Iterable[str], around: Sequence[Hit]) -> FieldChoice:
    """What a word means for a figure with that unit, under the modifiers beside it; no keys for a word of no field."""
    keys = _keys_of(hit, unit, frozenset(modifiers), around)
    if not keys:
        return FieldChoice()
    fitting = tuple(key for key in keys if unit in UNITS[FIELDS[key].unit])
    return FieldChoice(fitting or keys, named=True, fits=bool(fitting))


def _keys_of(hit: Hit, unit: str, modifiers: frozenset[str], around: Sequence[Hit]) -> tuple[str, ...]:
    if hit.is_a("precision"):
        return compute_keys(hit.value("precision"), modifiers)
    if hit.is_a("slot"):
        return ()
    if hit.is_a("field"):
        key = hit.value("field")
        if (key in ("boost_clock_mhz", "base_clock_mhz") and len(hit.text) < 4) or hit.text in (
            "clock",
            "frequency",
            "频率",
        ):
            return ("boost_clock_mhz", "base_clock_mhz")
        return (key,) if FIELDS[key].kind == "number" else ()
    if hit.is_a("memory") or hit.is_a("memory_type"):
        if unit in UNITS["GB/s"]:
            return ("memory_bandwidth_gb_s",)
        return ("memory_bus_bits",) if unit == "bit" else ("memory_gb",)
    if hit.is_a("link"):
        return ("interconnect_gb_s",)
    if hit.is_a("bandwidth"):
        return _bandwidth_keys(hit, around)
    return ()


def _bandwidth_keys(hit: Hit, around: Sequence[Hit]) -> tuple[str, ...]:
    before = [other for other in around if other.end <= hit.start and hit.start - other.end <= 16]
    after = [other for other in around if 0 <= other.start - hit.end <= 12]
    if any(other.is_a("link") for other in (*before, *after)):
        return ("interconnect_gb_s",)
    if any(other.is_a("slot") for other in before):
        return ()
    return ("memory_bandwidth_gb_s",)


def compute_keys(precision: str, modifiers: frozenset[str]) -> tuple[str, ...]:
    """The fields of a number format under modifiers (tensor, vector, dense, sparse, what products are summed in)."""
    matrix = _MATRIX[precision]
    if "measured" in modifiers and precision in MEASURED:
        return (MEASURED[precision],)
    if "fp16acc" in modifiers:
        matrix = tuple(key for key in matrix if "fp16acc" in key) or matrix
    elif "fp32acc" in modifiers:
        matrix = tuple(key for key in matrix if "fp16acc" not in key)
    if "sparse" in modifiers and "dense" not in modifiers:
        return tuple(sparse for key in matrix if (sparse := sparse_key(key))) or matrix
    vector = _VECTOR.get(precision, ())
    if "vector" in modifiers and vector:
        return vector
    if "tensor" in modifiers or "dense" in modifiers:
        return matrix
    return (*matrix, *vector)
