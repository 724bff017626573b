from __future__ import annotations

import pytest

from kb.errors import CatalogError
from kb.specs.fields import FIELDS, field, sparse_key
from kb.specs.schema import QUALIFIERS

CONTRACT = [
    "vendor",
    "architecture",
    "released_on",
    "process_nm",
    "form_factor",
    "pcie",
    "compute_units",
    "shader_cores",
    "tensor_cores",
    "rt_cores",
    "memory_gb",
    "memory_type",
    "memory_bus_bits",
    "memory_bandwidth_gb_s",
    "l2_mb",
    "fp64_tflops",
    "fp32_tflops",
    "fp16_tflops",
    "fp64_tensor_tflops",
    "tf32_tensor_tflops",
    "fp16_tensor_tflops",
    "bf16_tensor_tflops",
    "fp8_tensor_tflops",
    "fp4_tensor_tflops",
    "int8_tops",
    "int4_tops",
    "tf32_tensor_tflops_sparse",
    "fp16_tensor_tflops_sparse",
    "bf16_tensor_tflops_sparse",
    "fp8_tensor_tflops_sparse",
    "fp4_tensor_tflops_sparse",
    "int8_tops_sparse",
    "int4_tops_sparse",
    "interconnect",
    "interconnect_gb_s",
    "tdp_w",
    "price_usd",
    "video_decode_1080p30",
    "pixel_rate_gpixel_s",
    "texture_rate_gtexel_s",
    "mig_slices",
    "compute_capability",
]


@pytest.mark.parametrize("key", CONTRACT)
def test_every_field_of_the_http_contract_is_defined(key):
    assert FIELDS[key].label("zh")
    assert FIELDS[key].label("en")


def test_labels_are_unique():
    for language in ("zh", "en"):
        labels = [f.label(language) for f in FIELDS.values()]
        assert len(labels) == len(set(labels))


def test_a_term_leads_to_one_field():
    owners: dict[str, str] = {}
    for f in FIELDS.values():
        for term in (*f.terms_zh, *f.terms_en):
            key = "".join(term.lower().replace("-", "").split())
            assert owners.setdefault(key, f.key) == f.key, f"{term!r} belongs to {owners[key]} and {f.key}"


def test_sparse_fields_pair_with_dense_ones():
    assert sparse_key("int8_tops") == "int8_tops_sparse"
    assert sparse_key("memory_gb") is None
    for f in FIELDS.values():
        if f.sparse_of:
            assert FIELDS[f.sparse_of].unit == f.unit
            assert "sparse" in f.qualifiers
            assert "dense" in FIELDS[f.sparse_of].qualifiers


def test_what_must_be_said_with_a_figure():
    assert FIELDS["interconnect_gb_s"].note("en") == "both directions together"
    assert FIELDS["interconnect_gb_s"].note("zh") == "双向合计"
    assert all(q in QUALIFIERS for f in FIELDS.values() for q in f.qualifiers)


def test_an_unknown_field_names_the_known_ones():
    with pytest.raises(CatalogError, match=r"no field 'vram'.*memory_gb"):
        field("vram")
