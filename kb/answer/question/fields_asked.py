"""Which fields of the catalogue a question asks for.

Most words name their field (`kb/specs/fields.yaml`). Three families need their neighbours: number formats (tensor or
vector, dense or sparse), bandwidths (memory or link) and memory (how much or which kind).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from kb.answer.question.clauses import Clause
from kb.answer.question.scanner import Hit

PRECISION_KEYS = {
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
"""What a bare number format means."""
VECTOR_KEYS = {"fp64": "fp64_tflops", "fp32": "fp32_tflops", "fp16": "fp16_tflops"}
MATRIX_KEYS = {**PRECISION_KEYS, "fp64": "fp64_tensor_tflops", "fp32": "fp32_matrix_tflops"}
FP16_ACCUMULATE_KEYS = {"fp16": "fp16_tensor_fp16acc_tflops", "fp8": "fp8_tensor_fp16acc_tflops"}
SPARSE_PRECISIONS = {"tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4"}
MAIN_COMPUTE = ("fp32_tflops", "fp16_tensor_tflops", "int8_tops", "fp8_tensor_tflops")
"""What "compute" without a number format means."""
MAIN_QUOTIENT = "int8_tops"
"""What "efficiency" without a number format is counted in."""
TENSOR_COMPUTE = ("fp16_tensor_tflops", "int8_tops", "fp8_tensor_tflops")
THROUGHPUT_KEYS = frozenset(
    {*PRECISION_KEYS.values(), *VECTOR_KEYS.values(), *MATRIX_KEYS.values(), *FP16_ACCUMULATE_KEYS.values()}
)

Sparsity = Literal["", "dense", "sparse", "both"]
_UNIT_ASKED = re.compile(
    r"(?:多少|几|how many)\s*(gb/s|tb/s|gbps|tflops|pflops|tops|gb|gbs|g|mb|w|kw|bit|nm|watts|mhz)(?![a-z0-9/])"
)
_UNIT_KEYS = {
    "gb/s": "memory_bandwidth_gb_s",
    "tb/s": "memory_bandwidth_gb_s",
    "gbps": "memory_bandwidth_gb_s",
    "tflops": "fp16_tensor_tflops",
    "pflops": "fp16_tensor_tflops",
    "tops": "int8_tops",
    "gb": "memory_gb",
    "gbs": "memory_gb",
    "g": "memory_gb",
    "mb": "l2_mb",
    "w": "tdp_w",
    "kw": "tdp_w",
    "watts": "tdp_w",
    "bit": "memory_bus_bits",
    "nm": "process_nm",
    "mhz": "boost_clock_mhz",
}
"""What "how many <unit>" asks for where no field is named."""
_SIZE_ORPHANS = {"多大", "容量", "大小", "how big", "how large", "how much", "多少", "capacity", "size"}
_BARE_MEMORY = {"显存", "内存", "memory", "vram", "记忆体"}
_WHICH_MEMORY = {"what memory", "which memory"}
_SPACED_TERM = re.compile(r"(?:显存|内存)\s+带宽")
_KIND_AND_SIZE = re.compile(
    r"(?:type|kind|类型|种类)\s*(?:&|and|和|与|跟|及|、|/|,)\s*(?:the\s+)?(?:size|capacity|容量|大小|多大)"
)
_SIZE_WORDS = ("多", "几", "容量", "大小", "size", "capacity", "how")
_MEMORY_FIELDS = {"memory_gb", "memory_type", "memory_bandwidth_gb_s", "memory_bus_bits"}
_GENERIC_MEMORY = {"hbm", "dram"}
"""Words for memory as such, besides kinds of it."""
_LINK_KINDS = {"什么互联", "用什么", "哪种", "几代", "第几代", "which generation"}


@dataclass(slots=True)
class FieldReading:
    """The fields asked for, and what was said about them."""

    keys: list[str] = field(default_factory=list)
    at: dict[str, int] = field(default_factory=dict)
    sparsity: Sparsity = ""
    generic: bool = False

    def add(self, keys: Iterable[str], position: int) -> None:
        """Note that keys are asked for at a position; the first one counts."""
        for key in keys:
            if key and key not in self.at:
                self.keys.append(key)
            self.at.setdefault(key, position)

    def drop(self, key: str) -> None:
        """Forget a key."""
        self.keys.remove(key)
        del self.at[key]

    def nearest(self, position: int, allowed: Iterable[str]) -> str | None:
        """The asked key out of `allowed` that stands nearest to a position, before it rather than after."""
        found = [
            (abs(self.at[key] - position) + (2 if self.at[key] > position else 0), key)
            for key in allowed
            if key in self.at
        ]
        return min(found)[1] if found else None


def read_fields(clauses: Sequence[Clause], *, has_cuda_word: bool = False) -> FieldReading:
    """The fields that the clauses name, in order."""
    reading = FieldReading()
    everywhere: set[str] = set().union(*(clause.modifiers() for clause in clauses)) if clauses else set()
    reading.sparsity = _sparsity(everywhere)
    has_precision = any(clause.has("precision") for clause in clauses)
    for clause in clauses:
        modifiers = clause.modifiers()
        if not modifiers & {"dense", "sparse"}:
            modifiers |= everywhere & {"dense", "sparse"}
        if not modifiers & {"fp16acc", "fp32acc"}:
            modifiers |= everywhere & {"fp16acc", "fp32acc"}
        _read_clause(clause, modifiers, reading, has_precision=has_precision, has_cuda_word=has_cuda_word)
    if not has_precision:
        _read_compute(clauses, reading, everywhere)
    _drop_doubtful(clauses, reading)
    if not reading.keys and "sparse" in everywhere and "dense" not in everywhere:
        reading.add(("fp16_tensor_tflops_sparse",), next(c.start for c in clauses if "sparse" in c.modifiers()))
    _read_orphans(clauses, reading)
    if not reading.keys:
        for clause in clauses:
            for match in _UNIT_ASKED.finditer(clause.text):
                reading.add((_UNIT_KEYS[match.group(1)],), clause.start + match.start())
    reading.keys.sort(key=lambda key: reading.at[key])
    return reading


def _read_orphans(clauses: Sequence[Clause], reading: FieldReading) -> None:
    """Fields that no word names outright: the direction of a link, memory by a kind of it, sparsity as a feature."""
    sized = any(word in clause.text for clause in clauses for word in _SIZE_ORPHANS)
    rate = next((m for clause in clauses for m in _UNIT_ASKED.finditer(clause.text) if m.group(1) == "gb/s"), None)
    if rate is not None and reading.keys == ["interconnect"]:
        reading.add(("interconnect_gb_s",), reading.at["interconnect"] + 1)
    for clause in clauses:
        both = _KIND_AND_SIZE.search(clause.text)
        if both is not None and reading.keys == ["memory_type"]:
            reading.add(("memory_gb",), clause.start + both.end())
        direction = clause.of_kind("direction")
        if direction and not reading.keys:
            reading.add(("interconnect_gb_s",), direction[0].start)
        kinds = clause.of_kind("memory_type")
        if kinds and not reading.keys and (sized or all(hit.text in _GENERIC_MEMORY for hit in kinds)):
            reading.add(("memory_gb",), kinds[0].start)
        sparse = next((hit for hit in clause.hits if hit.value("modifier") == "sparse"), None)
        if sparse and clause.has("supports", "lacks") and not clause.has("precision", "compute"):
            reading.add(("fp16_tensor_tflops_sparse",), sparse.start)


def _sparsity(modifiers: set[str]) -> Sparsity:
    if {"dense", "sparse"} <= modifiers:
        return "both"
    return "sparse" if "sparse" in modifiers else "dense" if "dense" in modifiers else ""


def _read_clause(
    clause: Clause, modifiers: set[str], reading: FieldReading, *, has_precision: bool, has_cuda_word: bool
) -> None:
    for index, hit in enumerate(clause.hits):
        if hit.is_a("precision"):
            reading.add(precision_keys(hit.value("precision"), modifiers), hit.start)
        elif hit.is_a("link"):
            reading.add(_link_keys(clause, hit), hit.start)
        elif hit.is_a("bandwidth") or hit.value("field") == "memory_bandwidth_gb_s":
            _drop_memory_before(clause, index, reading)
            if _is_a_list_of_two(clause, index):
                reading.add(("memory_gb",), hit.start)
            bare = hit.is_a("bandwidth")
            of_link = bare and "interconnect" in reading.at and "memory_gb" not in reading.at
            reading.add(("interconnect_gb_s",) if of_link else _bandwidth_keys(clause, index), hit.start)
        elif hit.value("field") in {"l2_mb", "l3_mb"} and clause.has("bandwidth"):
            # The bandwidth of a cache is asked, which no field holds.
            continue
        elif hit.text.strip() in _WHICH_MEMORY:
            reading.add(("memory_gb", "memory_type"), hit.start)
        elif hit.is_a("field") and not _is_no_question(clause, index, has_precision, has_cuda_word):
            reading.add((hit.value("field"),), hit.start)


def _is_no_question(clause: Clause, index: int, has_precision: bool, has_cuda_word: bool) -> bool:
    """Whether a field's word only serves another word here."""
    hit = clause.hits[index]
    key = hit.value("field")
    if hit.is_a("modifier") and clause.has("precision", "compute"):
        return True
    if has_precision and (hit.is_a("compute") or hit.text == "tops"):
        return True
    if key == "memory_gb" and _only_names_a_kind(clause, index):
        return True
    return key == "compute_capability" and hit.is_a("compute") and not has_cuda_word


def _is_a_list_of_two(clause: Clause, index: int) -> bool:
    """Whether memory and bandwidth are two items of a list set apart by spaces ("显存 带宽 功耗"), not one term."""
    hit = clause.hits[index]
    if not _SPACED_TERM.fullmatch(hit.text):
        return False
    beside = (clause.hits[index - 1] if index else None, *clause.hits[index + 1 : index + 2])
    return any(
        other is not None and other.is_a("field") and (other.end == hit.start - 1 or other.start == hit.end + 1)
        for other in beside
    )


def _drop_memory_before(clause: Clause, index: int, reading: FieldReading) -> None:
    """With its second word misspelt, "memory bandwith" is no question for the size; "memory, bandwidth" is."""
    before = clause.hits[index - 1] if index else None
    if before is None or before.value("field") != "memory_gb":
        return
    between = clause.text[before.end - clause.start : clause.hits[index].start - clause.start]
    if len(between) > 1 or between.strip(" -"):
        return
    if any(word in before.text for word in _SIZE_WORDS):
        return
    if reading.at.get("memory_gb") == before.start:
        reading.drop("memory_gb")


def _only_names_a_kind(clause: Clause, index: int) -> bool:
    """Whether memory is the noun of a kind ("HBM2 显存", "显存是 GDDR6"), not its size."""
    hit = clause.hits[index]
    if hit.text.strip() not in _BARE_MEMORY:
        return False
    following = [other for other in clause.hits if 0 <= other.start - hit.end <= 1]
    if any(other.text.strip() in _SIZE_ORPHANS for other in following):
        return False
    return any(
        0 <= hit.start - other.end <= 1 or 0 <= other.start - hit.end <= 4 for other in clause.of_kind("memory_type")
    )


def precision_keys(precision: str, modifiers: set[str]) -> tuple[str, ...]:
    """The fields of one number format under the modifiers beside it."""
    if "vector" in modifiers and precision in VECTOR_KEYS and "tensor" not in modifiers:
        return (VECTOR_KEYS[precision],)
    if "fp16acc" in modifiers and precision in FP16_ACCUMULATE_KEYS:
        dense = FP16_ACCUMULATE_KEYS[precision]
        return (dense, PRECISION_KEYS[precision]) if "fp32acc" in modifiers else (dense,)
    dense = MATRIX_KEYS[precision] if "tensor" in modifiers else PRECISION_KEYS[precision]
    if precision not in SPARSE_PRECISIONS or "sparse" not in modifiers:
        return (dense,)
    return (dense, f"{dense}_sparse") if "dense" in modifiers else (f"{dense}_sparse",)


def _link_keys(clause: Clause, hit: Hit) -> tuple[str, ...]:
    if clause.has("bandwidth", "direction", "quantity"):
        return ("interconnect_gb_s",)
    if hit.value("field") == "interconnect" or clause.has("supports", "lacks", "yes_no", "filter"):
        return ("interconnect", "interconnect_gb_s")
    if any(word in clause.text for word in _LINK_KINDS) or clause.text[: hit.start - clause.start].rstrip().endswith(
        "什么"
    ):
        return ("interconnect",)
    return ("interconnect_gb_s",)


def _bandwidth_keys(clause: Clause, index: int) -> tuple[str, ...]:
    hit = clause.hits[index]
    if hit.value("field") == "memory_bandwidth_gb_s" and not hit.is_a("bandwidth"):
        return ("memory_bandwidth_gb_s",)
    if clause.has("other_bandwidth") or any(other.value("field") in {"l2_mb", "l3_mb"} for other in clause.hits):
        return ()
    for other in reversed(clause.hits[:index]):
        if hit.start - other.end > 12:
            break
        if other.is_a("link"):
            return ()
        if other.value("field") in {"pcie", "memory_gb", "memory_type"} or other.is_a("memory_type"):
            return ("memory_bandwidth_gb_s",) if other.value("field") != "pcie" else ("pcie",)
    for other in clause.hits[index + 1 :]:
        if other.start - hit.end > 14:
            break
        if other.is_a("link"):
            return ()
    return ("memory_bandwidth_gb_s",) if hit.is_a("field") else ()


def _read_compute(clauses: Sequence[Clause], reading: FieldReading, modifiers: set[str]) -> None:
    for clause in clauses:
        for hit in clause.of_kind("compute"):
            weak = hit.value("compute") == "weak"
            if (weak and reading.keys) or clause.has("per_watt"):
                continue
            keys: tuple[str, ...] = TENSOR_COMPUTE if "tensor" in modifiers else MAIN_COMPUTE
            if "sparse" in modifiers:
                keys = tuple(f"{key}_sparse" for key in TENSOR_COMPUTE)
            reading.add(keys, hit.start)
            reading.generic = True


def _drop_doubtful(clauses: Sequence[Clause], reading: FieldReading) -> None:
    """Words that name a field only beside others: "type" beside memory, a bare "how big" after "which memory"."""
    if "memory_type" in reading.at and not _names_memory(clauses):
        reading.drop("memory_type")
    if reading.keys == ["memory_type"]:
        for clause in clauses:
            size = next((hit for hit in clause.hits if hit.text.strip() in _SIZE_ORPHANS), None)
            if size is not None and not clause.has("field", "memory_type", "quantity"):
                reading.add(("memory_gb",), size.start)
                return


def _names_memory(clauses: Sequence[Clause]) -> bool:
    return any(
        hit.is_a("memory_type") or (hit.value("field") in _MEMORY_FIELDS and hit.text != "类型")
        for clause in clauses
        for hit in clause.hits
    )
