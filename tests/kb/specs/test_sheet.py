from __future__ import annotations

import pytest

from kb.specs.fields import FIELDS
from kb.specs.schema import GpuSpec
from kb.specs.sheet import NOTES, doc_id_of, profile_key, sheet, sheet_named, system_key


def cards(catalog) -> list[GpuSpec]:
    """All of the first tier and every twentieth of the second."""
    specs = list(catalog.gpus.values())
    return [s for s in specs if s.tier == 1] + [s for s in specs if s.tier == 2][::20]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_each_line_stands_at_its_span_and_names_card_and_field(catalog, language):
    for spec in cards(catalog):
        rendered = sheet(spec, language)
        assert rendered.text.startswith(f"# {spec.label(language)}\n")
        for key, span in rendered.spans.items():
            line = rendered.text[span.start : span.end]
            assert line == rendered.line(key)
            assert rendered.text[span.start - 1] == "\n"
            assert rendered.text[span.end] == "\n"
            if key == NOTES:
                assert all(note in line for note in spec.notes(language))
                continue
            assert "\n" not in line
            assert spec.label(language) in line
            if key in FIELDS:
                assert FIELDS[key].label(language) in line


@pytest.mark.parametrize("language", ["zh", "en"])
def test_each_figure_is_in_its_line_with_its_source(catalog, language):
    for spec in cards(catalog):
        rendered = sheet(spec, language)
        for key, entry in spec.entries.items():
            for figure in entry.figures:
                assert figure.shown(language) in rendered.line(key)
                assert figure.source.label(language) in rendered.line(key)
            for figure in entry.rejected:
                assert figure.shown(language) in rendered.line(key)


def test_a_first_tier_sheet_has_a_line_for_every_field(catalog):
    assert set(sheet(catalog.get("t4"), "zh").spans) == set(FIELDS)


def test_lines_read_well(catalog):
    zh, en = (sheet(catalog.get("t4"), language) for language in ("zh", "en"))
    assert zh.line("memory_bandwidth_gb_s").startswith("- T4 显存带宽：320 GB/s［来源：NVIDIA T4 产品简介")
    assert en.line("memory_bandwidth_gb_s").startswith("- T4 — Memory bandwidth: 320 GB/s [source: NVIDIA T4 product")
    assert zh.line("fp8_tensor_tflops") == (
        "- T4 FP8 算力（稠密）：硬件不支持，Turing 没有 FP8（NVIDIA 从 Ada 和 Hopper 开始支持 FP8）。"
    )
    assert "双向合计" in sheet(catalog.get("a100-sxm4-80gb"), "zh").line("interconnect_gb_s")
    conflict = sheet(catalog.get("iluvatar-mr-v100"), "zh").line("int8_tops")
    assert "192 TOPS（稠密，规格书口径）" in conflict
    assert "384 TOPS（稠密，发布会口径）" in conflict
    assert "各来源不一致" in conflict


def test_a_chinese_sheet_is_chinese(catalog):
    text = sheet(catalog.get("iluvatar-mr-v100"), "zh").text
    assert text.startswith("# 智铠100（MR-V100）\n")
    assert "厂商：天数智芯" in text


def test_document_ids():
    assert doc_id_of("t4", "zh") == "catalog/zh/t4"
    assert sheet_named("catalog/zh/t4") == ("t4", "zh")
    assert sheet_named("catalog/t4") == ("t4", None)
    assert sheet_named("docs/zh/t4.md") is None


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_sheet_ends_in_the_machines_and_slices_of_its_card(catalog, language):
    spec = catalog.get("h100-sxm5-80gb")
    rendered = sheet(spec, language)
    for system in spec.systems:
        line = rendered.line(system_key(system))
        assert system.name in line
        assert str(system.gpu_count) in line
    for profile in spec.profiles:
        line = rendered.line(profile_key(profile))
        assert profile.name in line
        assert f"{profile.memory_gb:g} GB" in line
    assert {"dgx-h100", "hgx-h100"} <= {system.system_id for system in spec.systems}
    assert {"1g.10gb", "7g.80gb"} <= {profile.name for profile in spec.profiles}
    assert catalog.get("t4").profiles == ()
