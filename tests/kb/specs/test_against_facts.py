"""Every figure of the first tier agrees with the adjudicated facts, or shows both and says why."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from kb.specs.fields import FIELDS
from kb.specs.schema import Entry

KEYS = {
    "memory_bandwidth_gbs": "memory_bandwidth_gb_s",
    "bf16_tflops_dense": "bf16_tensor_tflops",
    "bf16_tflops_sparse": "bf16_tensor_tflops_sparse",
    "fp16_tensor_tflops_dense": "fp16_tensor_tflops",
    "fp16_tensor_fp16acc_tflops_dense": "fp16_tensor_fp16acc_tflops",
    "fp8_fp16acc_tflops_dense": "fp8_tensor_fp16acc_tflops",
    "fp8_tflops_dense": "fp8_tensor_tflops",
    "fp8_tflops_sparse": "fp8_tensor_tflops_sparse",
    "fp4_tflops_dense": "fp4_tensor_tflops",
    "fp4_tflops_sparse": "fp4_tensor_tflops_sparse",
    "int8_tops_dense": "int8_tops",
    "int4_tops_dense": "int4_tops",
    "interconnect_gbs_bidirectional": "interconnect_gb_s",
    "launch_price_usd": "price_usd",
    "pcie_gen": "pcie",
    "release_date": "released_on",
    "tf32_tflops_dense": "tf32_tensor_tflops",
    "tf32_tflops_sparse": "tf32_tensor_tflops_sparse",
    "video_decode_1080p30_streams": "video_decode_1080p30",
}
IDS = dict(
    line.rstrip("\n").split("\t")
    for line in (Path(__file__).parent / "adjudicated_ids.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)


@pytest.fixture(scope="module")
def rows(facts) -> list[dict[str, str]]:
    with (facts / "specs_adjudicated.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def same(written: str, value: float | str | None) -> bool:
    if isinstance(value, float):
        try:
            return abs(float(written) - value) < 1e-9
        except ValueError:
            return False
    return value is not None and (written == value or str(value).startswith(f"{written}-"))


def states(entry: Entry, written: str) -> bool:
    """Whether the entry states the value as one that holds or may hold."""
    low, dash, high = written.partition("-")
    preferred = entry.preferred
    if dash and preferred is not None and preferred.value is None:
        return (preferred.low, preferred.high) == (float(low), float(high))
    return any(same(written, figure.value) for figure in entry.figures)


def explains(entry: Entry, written: str) -> bool:
    """Whether the entry shows the value as rejected, with the reason in both languages."""
    return any(same(written, f.value) and f.note_zh and f.note_en for f in entry.rejected)


def test_every_adjudicated_card_is_in_the_first_tier(catalog, rows):
    assert {row["gpu"] for row in rows} == set(IDS)
    assert {spec.gpu_id for spec in catalog.gpus.values() if spec.tier == 1} == set(IDS.values())


def test_every_adjudicated_figure_is_stated(catalog, rows):
    for row in rows:
        entry = catalog.entry(IDS[row["gpu"]], KEYS.get(row["field"], row["field"]))
        for written in filter(None, row["value"].split(" or ")):
            assert states(entry, written), f"{row['gpu']} {row['field']}: {written} is missing"
        if row["confidence"] != "unresolved" and row["value"]:
            assert entry.state in ("known", "range", "variants", "conflicting")
            assert entry.preferred.confidence == row["confidence"]
        assert row["unit"] in (FIELDS[entry.key].unit, "count", "USD", "streams", "")


def test_every_other_figure_is_shown_with_the_reason(catalog, rows):
    for row in rows:
        entry = catalog.entry(IDS[row["gpu"]], KEYS.get(row["field"], row["field"]))
        for written in filter(None, row["rejected_or_other_values"].split(" | ")):
            assert states(entry, written) or explains(entry, written), f"{row['gpu']} {row['field']}: {written}"


def test_what_is_unresolved_is_not_stated_as_certain(catalog, rows):
    for row in rows:
        entry = catalog.entry(IDS[row["gpu"]], KEYS.get(row["field"], row["field"]))
        if row["confidence"] == "unresolved" and entry.state != "unresolved":
            # Settled by a further source: then the doubtful figure is shown as rejected.
            assert entry.preferred.source.authority == "vendor", f"{row['gpu']} {row['field']}"
            assert all(explains(entry, w) for w in row["rejected_or_other_values"].split(" | "))


def test_nothing_is_stated_beyond_the_facts(catalog, rows):
    """A first-tier figure for an adjudicated field is one of that row's figures."""
    written = {
        (IDS[row["gpu"]], KEYS.get(row["field"], row["field"])): [
            v for v in (*row["value"].split(" or "), *row["rejected_or_other_values"].split(" | ")) if v
        ]
        for row in rows
    }
    allowed = {("gaudi-3", "bf16_tensor_tflops"): {1856.0}}
    for (gpu_id, key), values in written.items():
        entry = catalog.entry(gpu_id, key)
        if (
            entry.state == "range"
            or entry.preferred is None
            or entry.preferred.source.as_of in ("2023-08", "2017-05-10")
        ):
            continue
        for figure in entry.figures:
            known = any(same(v, figure.value) for v in values) or figure.value in allowed.get((gpu_id, key), set())
            assert known, f"{gpu_id} {key} states {figure.value}, the facts say {values}"


def test_disagreements_say_why(catalog):
    for spec in catalog.gpus.values():
        for entry in spec.entries.values():
            if entry.state in ("variants", "conflicting", "unresolved"):
                assert entry.reason_zh, (spec.gpu_id, entry.key)
                assert entry.reason_en, (spec.gpu_id, entry.key)


def test_second_tier_figures_are_the_databases(catalog, facts):
    with (facts / "breadth.csv").open(encoding="utf-8", newline="") as handle:
        by_ref = {row["tpu_url"].rsplit("/", 1)[1]: row for row in csv.DictReader(handle)}
    columns = {
        "memory_gb": ("memory_size_gb", 1),
        "shader_cores": ("shading_units", 1),
        "fp32_tflops": ("single_float_performance_gflop_s", 1000),
        "tdp_w": ("thermal_design_power_w", 1),
        "memory_bandwidth_gb_s": ("memory_bandwidth_gb_s", 1),
    }
    second = [spec for spec in catalog.gpus.values() if spec.tier == 2]
    for spec in second:
        row = by_ref[spec.entries["vendor"].preferred.source.ref.rsplit("/", 1)[1]]
        for key, (column, divisor) in columns.items():
            entry = spec.entries[key]
            if entry.is_known:
                assert entry.value == pytest.approx(float(row[column]) / divisor, rel=1e-5)
