"""Figures of several cards added up."""

from __future__ import annotations

from kb.answer.structured.said import Said, derived
from kb.specs.fields import FIELDS

ADDITIVE = frozenset(
    {"memory_gb", "memory_bandwidth_gb_s", "interconnect_gb_s", "tdp_w", "price_usd", "video_decode_1080p30"}
    | {key for key, field in FIELDS.items() if field.unit in {"TFLOPS", "TOPS"}}
    | {"compute_units", "shader_cores", "tensor_cores", "rt_cores"}
)
"""Fields whose figures of several cards add up."""
_LARGER = {"TFLOPS": "PFLOPS", "TOPS": "POPS", "GB/s": "TB/s"}
_LARGE = 10_000


def total(value: object, key: str, count: int) -> Said | None:
    """So many times a figure, in a larger unit where it is large; `None` where nothing adds up."""
    if not isinstance(value, float | int) or key not in ADDITIVE:
        return None
    unit, amount = FIELDS[key].unit, float(value) * count
    larger = _LARGER.get(unit)
    if larger is not None and amount >= _LARGE:
        return derived(amount / 1000, larger, digits=3)
    return derived(amount, unit, digits=3)
