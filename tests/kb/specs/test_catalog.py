from __future__ import annotations

import time

import pytest

from kb.errors import CatalogError, NotFoundError
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS


def test_both_tiers_are_there(catalog):
    tiers = [spec.tier for spec in catalog.gpus.values()]
    assert tiers.count(1) == 124
    assert tiers.count(2) > 1200
    assert tiers == sorted(tiers)


def test_every_entry_says_something(catalog):
    for spec in catalog.gpus.values():
        assert list(spec.entries) == list(FIELDS)
        for entry in spec.entries.values():
            assert entry.is_known or entry.others or (entry.reason_zh and entry.reason_en), (spec.gpu_id, entry.key)


def test_every_figure_has_source_date_confidence_and_unit(catalog):
    for spec in catalog.gpus.values():
        for entry in spec.entries.values():
            for figure in (*entry.figures, *entry.rejected):
                assert figure.sources, (spec.gpu_id, entry.key)
                assert figure.as_of
                assert figure.confidence in ("high", "medium", "low")
                assert figure.unit == FIELDS[entry.key].unit
                assert figure.shown("zh")
                assert figure.shown("en")


@pytest.mark.parametrize(
    ("gpu_id", "key", "value", "text"),
    [
        ("t4", "memory_bandwidth_gb_s", 320, "320 GB/s"),
        ("a100-sxm4-80gb", "memory_bandwidth_gb_s", 2039, "2039 GB/s"),
        ("a100-pcie-80gb", "tdp_w", 300, "300 W"),
        ("h100-sxm5-80gb", "interconnect_gb_s", 900, "900 GB/s"),
        ("h100-sxm5-80gb", "rt_cores", 0, "0"),
        ("h100-pcie-80gb", "memory_type", "HBM2e", "HBM2e"),
        ("l4", "released_on", "2023-03-21", "2023-03-21"),
        ("iluvatar-mr-v100", "video_decode_1080p30", 128, "128 streams"),
        ("rtx-4080", "memory_gb", 16, "16 GB"),
        ("tesla-p100-sxm2", "memory_gb", 16, "16 GB"),
        ("t4", "transistors_m", 13600, "13.6 billion"),
        ("a30", "mig_slices", 4, "4"),
    ],
)
def test_known_figures(catalog, gpu_id, key, value, text):
    entry = catalog.entry(gpu_id, key)
    assert entry.state == "known"
    assert entry.value == value
    assert entry.preferred.shown("en") == text


def test_qualifiers_come_with_the_field_and_the_record(catalog):
    assert catalog.entry("a100-sxm4-80gb", "int8_tops").preferred.qualifiers == ("dense",)
    assert catalog.entry("a100-sxm4-80gb", "interconnect_gb_s").preferred.qualifiers == ("both_directions",)
    assert "per_gpu" in catalog.entry("a16", "memory_gb").preferred.qualifiers
    assert catalog.entry("a16", "tdp_w").preferred.qualifiers == ("per_card",)
    assert catalog.entry("t4", "price_usd").preferred.qualifiers == ("street_price",)
    assert catalog.entry("rtx-4090", "price_usd").preferred.qualifiers == ("list_price",)


def test_a_range_has_two_bounds(catalog):
    entry = catalog.entry("a2", "tdp_w")
    assert entry.state == "range"
    assert entry.value is None
    assert entry.bounds == (40, 60)
    assert entry.preferred.text == "40–60 W"


def test_variants_list_every_figure(catalog):
    entry = catalog.entry("atlas-300i-duo", "memory_gb")
    assert entry.state == "variants"
    assert [f.text for f in entry.figures] == ["48 GB", "96 GB"]
    assert entry.bounds == (48, 96)
    package, die = catalog.entry("ascend-910c", "memory_gb").figures
    assert (package.value, package.qualifiers) == (128, ("per_package",))
    assert (die.value, die.qualifiers) == (64, ("per_die",))


def test_a_conflict_keeps_both_figures_and_the_reason(catalog):
    entry = catalog.entry("iluvatar-mr-v100", "int8_tops")
    assert entry.state == "conflicting"
    assert [(f.value, f.qualifiers[-1]) for f in entry.figures] == [(192, "spec_sheet"), (384, "launch_event")]
    assert "规格书" in entry.reason("zh")
    assert "发布会" in entry.reason("zh")
    assert "spec sheet" in entry.reason("en")


def test_an_unresolved_figure_has_no_winner(catalog):
    entry = catalog.entry("b300-sxm", "fp4_tensor_tflops")
    assert entry.state == "unresolved"
    assert entry.preferred is None
    assert {f.value for f in entry.others} == {12600, 13125, 14000}


def test_wrong_figures_are_kept_with_the_reason(catalog):
    wrong = {f.value: f.note_en for f in catalog.entry("mi300x", "memory_bandwidth_gb_s").rejected}
    assert set(wrong) == {10300}
    assert "TechPowerUp" in wrong[10300]


@pytest.mark.parametrize(
    ("gpu_id", "key"),
    [
        ("a100-sxm4-80gb", "fp8_tensor_tflops"),
        ("t4", "fp8_tensor_tflops"),
        ("v100-sxm2-32gb", "fp8_tensor_tflops"),
        ("t4", "tf32_tensor_tflops"),
        ("v100-pcie-16gb", "tf32_tensor_tflops"),
        ("t4", "int8_tops_sparse"),
        ("v100-pcie-16gb", "fp16_tensor_tflops_sparse"),
        ("t4", "interconnect_gb_s"),
        ("l4", "interconnect_gb_s"),
        ("l40s", "interconnect"),
        ("rtx-4090", "interconnect_gb_s"),
        ("t4", "mig_slices"),
        ("l40s", "mig_slices"),
        ("rtx-4090", "mig_slices"),
        ("mi300x", "mig_slices"),
        ("mi250", "fp8_tensor_tflops"),
        ("h100-sxm5-80gb", "fp4_tensor_tflops"),
        ("ascend-910b3", "fp8_tensor_tflops"),
        ("atlas-300i-duo", "bf16_tensor_tflops"),
        ("mlu370-x8", "fp8_tensor_tflops"),
        ("mi300x", "rt_cores"),
        ("gtx-1080-ti", "fp16_tensor_tflops"),
        ("mi300x", "compute_capability"),
        ("iluvatar-mr-v100", "fp8_tensor_tflops"),
    ],
)
def test_what_the_hardware_lacks(catalog, gpu_id, key):
    entry = catalog.entry(gpu_id, key)
    assert entry.state == "not_supported"
    assert entry.reason("zh")
    assert entry.reason("en")


def test_nothing_known_is_called_lacking(catalog):
    """The capabilities never contradict a recorded figure of another card of the same architecture."""
    for spec in catalog.gpus.values():
        for key, entry in spec.entries.items():
            lack = catalog._builder._capabilities.lack_reason(spec.architecture_id, (), key)
            if lack is not None and entry.is_known:
                assert entry.value == 0, f"{spec.gpu_id} {key} is recorded, but {lack[1]}"


def test_what_nobody_publishes(catalog):
    entry = catalog.entry("iluvatar-mr-v100", "shader_cores")
    assert entry.state == "not_published"
    assert entry.bounds is None


def test_second_tier_leaves_out_what_its_database_gets_wrong(catalog):
    assert catalog.entry("a100x", "l2_mb").state == "not_published"
    assert catalog.entry("instinct-mi308x", "memory_bandwidth_gb_s").state == "not_published"
    for spec in catalog.gpus.values():
        if spec.tier == 2:
            assert not any(entry.key.endswith(("tensor_tflops", "tops")) for entry in spec.known)


def test_second_tier_gives_way_to_the_first(catalog):
    names = [spec.name for spec in catalog.gpus.values()]
    assert len(names) == len(set(names))
    assert not {"L40S", "B200", "Tesla T4", "Radeon Instinct MI300X"} & {
        spec.name for spec in catalog.gpus.values() if spec.tier == 2
    }


def test_unknown_ids_and_fields(catalog):
    with pytest.raises(NotFoundError, match="no card 'h150'"):
        catalog.get("h150")
    assert "h150" not in catalog.gpus
    with pytest.raises(CatalogError, match="no field 'vram'"):
        catalog.entry("t4", "vram")


def test_stored_and_read_back_it_is_the_same(catalog):
    data = catalog.to_json_bytes()
    again = Catalog.from_json_bytes(data)
    assert again.to_json_bytes() == data
    assert list(again.gpus) == list(catalog.gpus)
    assert again.get("h200-sxm-141gb").entries == catalog.get("h200-sxm-141gb").entries
    assert Catalog.load().to_json_bytes() == data


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"format": 99}'])
def test_damaged_bytes_are_refused(data):
    with pytest.raises(CatalogError, match="gpukb index build"):
        Catalog.from_json_bytes(data)


def test_the_empty_catalogue_knows_nothing():
    empty = Catalog.load("none")
    assert len(empty) == 0
    assert Catalog.from_json_bytes(empty.to_json_bytes()).to_json_bytes() == empty.to_json_bytes()


def test_vendors_and_families(catalog):
    assert catalog.vendors["iluvatar"].domestic
    assert not catalog.vendors["nvidia"].domestic
    assert catalog.get("iluvatar-mr-v100").vendor_label("zh") == "天数智芯"
    assert set(catalog.families["A100"]) == {"a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm4-40gb", "a100-sxm4-80gb"}
    assert set(catalog.families["MI300"]) == {"mi300x", "mi300a"}


def test_load_time_is_reported(catalog, record_property):
    """Reported, not judged: the machine may be busy."""
    data = catalog.to_json_bytes()
    start = time.process_time()
    Catalog.from_json_bytes(data)
    record_property("catalogue_from_json_cpu_ms", round((time.process_time() - start) * 1000, 1))
    start = time.process_time()
    Catalog.load()
    record_property("catalogue_from_files_cpu_ms", round((time.process_time() - start) * 1000, 1))


@pytest.mark.parametrize(
    ("gpu_id", "key", "value"),
    [
        ("a30", "int8_tops_sparse", 660),
        ("a100-pcie-80gb", "int4_tops", 1248),
        ("a800-sxm4-80gb", "bf16_tensor_tflops", 312),
        ("h200-sxm-141gb", "fp8_tensor_tflops_sparse", 3956),
        ("rtx-5090", "fp4_tensor_tflops", 1676),
    ],
)
def test_what_follows_from_another_figure_is_derived_and_says_how(catalog, gpu_id, key, value):
    entry = catalog.entry(gpu_id, key)
    assert entry.value == pytest.approx(value, rel=1e-3)
    assert entry.preferred.source.authority == "derived"
    assert entry.preferred.note_zh
    assert entry.preferred.note_en


@pytest.mark.parametrize(
    ("gpu_id", "key"),
    [
        ("enflame-t20", "int8_tops_sparse"),
        ("tpu-v5e", "bf16_tensor_tflops_sparse"),
        ("mi355x", "fp4_tensor_tflops_sparse"),
        ("h100-sxm5-80gb", "int4_tops"),
    ],
)
def test_nothing_is_derived_where_the_rule_does_not_hold(catalog, gpu_id, key):
    assert not catalog.entry(gpu_id, key).is_known


def test_cards_by_a_text_field(catalog):
    cards = catalog.cards_by("chip")
    assert cards["GH100"][0] == "h100-sxm5-80gb"
    assert "rtx-3080" in " ".join(cards["GA102"])


def test_boards_of_several_gpus_give_one_gpus_figures_and_the_whole_boards_power(catalog):
    boards = [spec for spec in catalog.gpus.values() if spec.tier == 2 and spec.board_count > 1]
    assert {"tesla-k80", "tesla-m60", "tesla-m10", "gtx-690", "radeon-r9-295x2"} <= {spec.gpu_id for spec in boards}
    for spec in boards:
        assert spec.per == "gpu_of_board"
        assert str(spec.board_count) in spec.notes("zh")[0]
        assert str(spec.board_count) in spec.notes("en")[0]
        for entry in spec.entries.values():
            figure = entry.preferred
            if figure is not None and FIELDS[entry.key].unit in ("GB", "GB/s", "TFLOPS"):
                assert figure.qualifiers[-1] == "per_gpu", (spec.gpu_id, entry.key)
        power = spec.entries["tdp_w"].preferred
        assert power is None or "per_card" in power.qualifiers
    assert catalog.get("gtx-1080").per == "card"
    assert list(catalog.board_counts()) == [spec.board_count for spec in catalog.gpus.values()]


def test_a_wrong_board_is_said_with_its_file(tmp_path):
    import shutil

    from kb.specs.catalog import builtin_folder

    folder = tmp_path / "corpus"
    shutil.copytree(builtin_folder(), folder, ignore=shutil.ignore_patterns("docs", "eval"))
    boards = folder / "specs" / "breadth" / "boards.yaml"
    for text, says in (("tesla-k8000: 2", "tesla-k8000"), ("tesla-k80: 1", "greater than")):
        boards.write_text(text, encoding="utf-8")
        with pytest.raises(CatalogError, match=says) as caught:
            Catalog.load(folder)
        assert "boards.yaml" in str(caught.value)
