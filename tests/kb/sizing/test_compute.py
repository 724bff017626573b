from __future__ import annotations

import math

import pytest

from kb.sizing import accelerators_of
from kb.sizing.compute import INT8_TIMES, PACKED, TIMES, compute_rate
from kb.sizing.formats import FORMATS, number_format

MAKERS = {"nvidia", "amd", "intel"}


def rate(catalog, gpu_id, precision):
    return compute_rate(accelerators_of(catalog.get(gpu_id))[0], number_format(precision))


@pytest.mark.parametrize(
    ("gpu_id", "precision", "field", "support"),
    [
        ("h100-sxm5-80gb", "fp8", "fp8_tensor_tflops", "native"),
        ("a100-sxm4-80gb", "fp8", "fp16_tensor_tflops", "lacks"),
        ("a100-sxm4-80gb", "int8", "int8_tops", "native"),
        ("h100-sxm5-80gb", "nvfp4", "fp16_tensor_tflops", "lacks"),
        ("b200-sxm", "nvfp4", "fp4_tensor_tflops", "native"),
        ("t4", "bf16", "fp16_tensor_tflops", "lacks"),
        ("tesla-p40", "fp16", "fp32_tflops", "lacks"),
        ("a100-sxm4-80gb", "int4", "fp16_tensor_tflops", "native"),
    ],
)
def test_what_a_format_is_computed_in(catalog, gpu_id, precision, field, support):
    found = rate(catalog, gpu_id, precision)
    assert (found.field, found.support) == (field, support)
    assert found.is_bounded


def test_what_nobody_publishes_bounds_nothing(catalog):
    found = rate(catalog, "rtx-4090-d", "fp16")
    assert found.support == "not_published"
    assert math.isinf(found.rate.high)


def test_geforce_halves_fp32_accumulation_only_in_the_common_level(catalog):
    found = rate(catalog, "rtx-4090", "fp16")
    assert (found.rate.low, found.rate.high) == (165.2, 330.3)


def test_int8_is_at_most_so_many_times_as_fast_as_16_bits(catalog):
    checked = 0
    for spec in catalog.gpus.values():
        sixteen = [spec.entries[key].bounds for key in ("fp16_tensor_tflops", "bf16_tensor_tflops")]
        int8 = spec.entries["int8_tops"].bounds
        known = [bounds[0] for bounds in sixteen if bounds is not None]
        if int8 is None or not known or spec.vendor_id not in MAKERS:
            continue
        checked += 1
        assert int8[1] <= INT8_TIMES * max(known) * 1.001, spec.gpu_id
    assert checked > 30


@pytest.mark.parametrize("key", list(TIMES))
def test_fewer_bits_are_at_most_so_many_times_as_fast_as_16(catalog, key):
    checked = 0
    for spec in catalog.gpus.values():
        sixteen = [spec.entries[key].bounds for key in ("fp16_tensor_tflops", "bf16_tensor_tflops")]
        fewer = spec.entries[key].bounds
        known = [bounds[1] for bounds in sixteen if bounds is not None]
        if fewer is not None and known:
            checked += 1
            assert fewer[1] <= TIMES[key] * max(known) * 1.001, spec.gpu_id
    assert checked > 5


def test_fp8_that_nobody_publishes_is_bounded_by_16_bits(catalog):
    found = rate(catalog, "h800-sxm5-80gb", "fp8")
    assert (found.support, found.rate.high / found.rate.low) == ("not_published", TIMES["fp8_tensor_tflops"])
    assert [note.key for note in found.notes] == ["format_bounded"]


def test_vectors_of_16_bits_are_at_most_so_many_times_as_fast(catalog):
    for spec in catalog.gpus.values():
        half, single = spec.entries["fp16_tflops"].bounds, spec.entries["fp32_tflops"].bounds
        if half is not None and single is not None and spec.vendor_id in MAKERS:
            assert half[1] <= PACKED * single[1] * 1.01, spec.gpu_id


def test_every_card_and_format_gives_a_rate_or_none(catalog):
    for spec in list(catalog.gpus.values())[::5]:
        for card in accelerators_of(spec):
            for form in FORMATS.values():
                found = compute_rate(card, form)
                assert found is None or 0 < found.rate.low <= found.rate.high
