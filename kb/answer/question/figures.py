"""Figures that a question states: bounds of a filter, claims about a card, alternatives, amounts to convert."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.question.clauses import Clause
from kb.answer.question.fields_asked import THROUGHPUT_KEYS, FieldReading
from kb.answer.question.model import Condition, Operator
from kb.quantity import Quantity, convert

_TFLOPS_KEYS = tuple(sorted(key for key in THROUGHPUT_KEYS if key.endswith("tflops")))
_LINK_OR_MEMORY = ("memory_bandwidth_gb_s", "interconnect_gb_s")

UNIT_FIELDS: dict[str, tuple[str, ...]] = {
    "GB": ("memory_gb",),
    "GiB": ("memory_gb",),
    "MB": ("l2_mb", "l3_mb"),
    "MiB": ("l2_mb", "l3_mb"),
    "GB/s": _LINK_OR_MEMORY,
    "Gb/s": ("interconnect_gb_s",),
    "TFLOPS": ("fp16_tensor_tflops", *_TFLOPS_KEYS),
    "TOPS": ("int8_tops", "int4_tops", "fp8_tensor_tflops", "fp4_tensor_tflops"),
    "W": ("tdp_w",),
    "bit": ("memory_bus_bits",),
    "nm": ("process_nm",),
    "USD": ("price_usd",),
    "MHz": ("boost_clock_mhz", "base_clock_mhz"),
    "streams": ("video_decode_1080p30",),
}
"""What a figure in that (canonical) unit may be about, likeliest first."""

COUNT_FIELDS = ("rt_cores", "tensor_cores", "shader_cores", "compute_units", "mig_slices", "video_decode_1080p30")
"""Fields without a unit, for bare numbers beside their word."""

_FIELD_UNITS = {
    "memory_gb": "GB",
    "l2_mb": "MB",
    "l3_mb": "MB",
    "memory_bandwidth_gb_s": "GB/s",
    "interconnect_gb_s": "GB/s",
    "tdp_w": "W",
    "memory_bus_bits": "bit",
    "process_nm": "nm",
    "price_usd": "USD",
    "boost_clock_mhz": "MHz",
    "base_clock_mhz": "MHz",
}

_YEAR = re.compile(r"(?<![\d.])((?:19|20)\d{2})(?!\d|\.\d|\s*(?:gb|mhz|w\b|tflops|tops|张|个))\s*年?")
_YEAR_AFTER = re.compile(r"\s*(?:之后|以后|以来|后|起|and later|or later|onwards?|and after)")
_YEAR_BEFORE = re.compile(r"\s*(?:之前|以前|前|or earlier|and before|and earlier)")
_YEAR_WORD_AFTER = re.compile(r"(?:after|since|later than|newer than|晚于|不早于)\s*$")
_YEAR_WORD_BEFORE = re.compile(r"(?:before|earlier than|older than|until|早于|不晚于)\s*$")
_OPERATORS: dict[str, Operator] = {
    "gte": "gte",
    ">=": "gte",
    "ge": "gte",
    "min": "gte",
    "gt": "gt",
    ">": "gt",
    "lte": "lte",
    "<=": "lte",
    "le": "lte",
    "max": "lte",
    "lt": "lt",
    "<": "lt",
}
_MOST_GAP = 6
_SUPPORTING = re.compile(r"有|支持|has\b|have\b|supports?\b")
"""Terms of fields that begin with the word for having ("有 NVLink")."""
YEAR = _YEAR
_NARROWEST_BUS_BITS = 32


def is_figure_of_a_card(quantity: Quantity) -> bool:
    """Whether a quantity may be a card's figure: "4 bit" weights are no bus width."""
    return quantity.unit in UNIT_FIELDS and not (quantity.unit == "bit" and quantity.value < _NARROWEST_BUS_BITS)


@dataclass(frozen=True, slots=True)
class Stated:
    """A quantity of the question with the clause it stands in and how it is bounded."""

    quantity: Quantity
    clause: Clause
    operator: Operator | None

    @property
    def text(self) -> str:
        """Its words."""
        return self.quantity.text


def operator_of(quantity: Quantity, clause: Clause) -> Operator | None:
    """How a figure is bounded: by its own sign or by the nearest word before or after it."""
    if quantity.comparator in _OPERATORS:
        return _OPERATORS[quantity.comparator]
    before = [hit for hit in clause.of_kind("comparator") if 0 <= quantity.start - hit.end <= _MOST_GAP]
    after = [hit for hit in clause.of_kind("comparator") if 0 <= hit.start - quantity.end <= 1]
    found = before[-1:] or after[:1]
    return _OPERATORS[found[0].value("comparator")] if found else None


def in_field_unit(value: float, unit: str, key: str) -> float:
    """A stated value in the unit of a field; unchanged where the field has none of its own.

    Memory is sold in "GB" that are GiB on the device, so the two are taken as one.
    """
    target = _FIELD_UNITS.get(key) or ("TOPS" if key.endswith("tops") or "_tops_" in key else "")
    if not target and "tflops" in key:
        target = "TFLOPS"
    same = {"TOPS": "TFLOPS", "TFLOPS": "TOPS", "GiB": "GB", "MiB": "MB"}.get(unit) == target
    if not target or same or unit in {"", target}:
        return value
    return convert(value, unit, target)


def candidate_fields(stated: Stated, reading: FieldReading) -> tuple[str, ...]:
    """The fields a figure may be about: those its unit allows, the one named nearest first."""
    quantity = stated.quantity
    allowed = UNIT_FIELDS.get(quantity.unit, COUNT_FIELDS if not quantity.unit else ())
    allowed = (*allowed, *(f"{key}_sparse" for key in allowed if f"{key}_sparse" in reading.at))
    nearest = reading.nearest(quantity.start, allowed)
    if nearest is None:
        return allowed
    return (nearest, *(key for key in allowed if key != nearest))


def bound_conditions(stated: Sequence[Stated], reading: FieldReading, *, exact: bool = False) -> list[Condition]:
    """The bounds among the stated figures; with `exact` a figure without a bound must be met exactly."""
    conditions: list[Condition] = []
    for item in stated:
        quantity = item.quantity
        fields = candidate_fields(item, reading)
        if not fields or (not quantity.unit and fields[0] not in reading.at):
            continue
        key = fields[0]
        assumed = key not in reading.at
        low = in_field_unit(quantity.value, quantity.unit, key)
        if quantity.high is not None:
            high = in_field_unit(quantity.high, quantity.unit, key)
            conditions += [
                Condition(key, "gte", low, quantity.text, assumed),
                Condition(key, "lte", high, quantity.text, assumed),
            ]
        elif item.operator is not None:
            conditions.append(Condition(key, item.operator, low, quantity.text, assumed))
        elif exact:
            conditions.append(Condition(key, "eq", low, quantity.text, assumed))
    return conditions


def year_conditions(folded: str) -> list[Condition]:
    """Bounds on the release year: "2023 年之后", "before 2020", "2022 年发布的"."""
    conditions: list[Condition] = []
    for match in _YEAR.finditer(folded):
        year = match.group(1)
        text = match.group().strip()
        if _YEAR_AFTER.match(folded, match.end()):
            conditions.append(Condition("released_on", "gte", year, text))
        elif _YEAR_BEFORE.match(folded, match.end()):
            conditions.append(Condition("released_on", "lt", year, text))
        elif _YEAR_WORD_AFTER.search(folded[: match.start()]):
            after = "since" not in folded[: match.start()][-8:] and "不早于" not in folded[: match.start()][-8:]
            conditions.append(Condition("released_on", "gt" if after else "gte", year, text))
        elif _YEAR_WORD_BEFORE.search(folded[: match.start()]):
            conditions.append(Condition("released_on", "lt", year, text))
        elif "年" in match.group() or folded[: match.start()].rstrip().endswith((" in", "year")):
            conditions.append(Condition("released_on", "eq", year, text))
    return conditions


def presence_conditions(clauses: Sequence[Clause], reading: FieldReading, used: set[str]) -> list[Condition]:
    """What cards must have or lack: RT cores, FP8, NVLink, a kind of memory, a PCIe generation."""
    conditions: list[Condition] = []
    for clause in clauses:
        lacks = clause.has("lacks") and not _only_existence_question(clause)
        for hit in clause.of_kind("memory_type"):
            operator: Operator = "lacks" if lacks else "eq"
            conditions.append(Condition("memory_type", operator, hit.value("memory_type"), hit.text))
        conditions += [
            Condition("pcie", "eq", hit.value("pcie_generation"), hit.text) for hit in clause.of_kind("pcie_generation")
        ]
        supports = any(not _ASKS_WHAT.match(clause.text, hit.end - clause.start) for hit in clause.of_kind("supports"))
        if not (supports or clause.has("lacks") or any(_SUPPORTING.match(hit.text) for hit in clause.of_kind("field"))):
            continue
        conditions += _having(clause, reading, used, lacks=lacks)
    return conditions


_ASKS_WHAT = re.compile(r"\s*(?:什么|啥|多|几|哪)")
"""Behind the word for having, these ask what there is ("有什么区别"), not whether it is there."""
_PRESENT = {
    "rt_cores",
    "tensor_cores",
    "interconnect",
    "mig_slices",
    "fp64_tensor_tflops",
    "tf32_tensor_tflops",
    "bf16_tensor_tflops",
    "fp8_tensor_tflops",
    "fp4_tensor_tflops",
    "int8_tops",
    "int4_tops",
    "fp16_tensor_tflops",
}
"""Fields that a card may have or lack."""


def _having(clause: Clause, reading: FieldReading, used: set[str], *, lacks: bool) -> list[Condition]:
    found: list[Condition] = []
    for key in reading.keys:
        inside = clause.start <= reading.at[key] < clause.end
        present = key in _PRESENT or key.endswith("_sparse")
        if inside and present and key not in used:
            found.append(Condition(key, "lacks" if lacks else "has", None, _word_at(clause, reading.at[key])))
    return found


def _word_at(clause: Clause, position: int) -> str:
    return next((hit.text for hit in clause.hits if hit.start == position), "")


def _only_existence_question(clause: Clause) -> bool:
    """Whether the word for lacking is part of a question ("有没有")."""
    return any(hit.is_a("yes_no") for hit in clause.of_kind("lacks")) or "有没有" in clause.text
