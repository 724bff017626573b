"""`gpukb select`: for people and for programs, without an index."""

from __future__ import annotations

import json
import re

import pytest

from kb.cli.main import run


def shown(capsys, *args):
    assert run(["select", *args]) == 0
    return capsys.readouterr().out


def failed(capsys, *args):
    assert run(["select", *args]) in (1, 2)
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def test_conditions_and_ranking_as_options(capsys):
    args = ("-w", "memory_gb>=48", "-w", "tdp_w<=0.3 kW", "-w", "memory_type=HBM2e,HBM3", "-w", "!rt_cores")
    found = json.loads(shown(capsys, *args, "-r", "int8_tops/tdp_w*2", "-r", "tdp_w:asc", "--json"))
    assert found["interpreted"]["constraints"] == {
        "memory_gb": {"gte": 48},
        "tdp_w": {"lte": 300},
        "memory_type": {"in": ["HBM2e", "HBM3"]},
        "rt_cores": {"exists": False},
    }
    assert found["interpreted"]["rank_by"] == [
        {"field": "int8_tops/tdp_w", "order": "desc", "weight": 2},
        {"field": "tdp_w", "order": "asc", "weight": 1},
    ]
    assert found["data"][0]["gpu_id"] == "a100-pcie-80gb"


def test_a_question_in_chinese_is_answered_in_chinese(capsys):
    text = shown(capsys, "INT8 ≥ 200 TOPS, ≤ 300 W 的推理卡，支持 AV1 编码", "--limit", "3")
    assert "INT8 算力（稠密） ≥ 200 TOPS；功耗（TDP） ≤ 300 W" in text
    assert "没有理解: AV1 编码" in text
    assert "满足 20" in text
    assert "--limit 20" in text


def test_a_question_in_english(capsys):
    text = shown(capsys, "cards", "with", "at", "least", "141", "GB", "under", "800", "W")
    assert "Memory ≥ 141 GB; Board power (TDP) < 800 W" in text
    assert "H200 SXM 141GB" in text


def test_where_nothing_passes_the_ways_out_are_shown(capsys):
    text = shown(capsys, "-w", "memory_gb>=400", "--lang", "en")
    assert "0 pass" in text
    assert "Memory ≥ 400 GB → Memory ≥ 288 GB" in text


def test_explained_every_card_left_out_has_its_reason(capsys):
    text = shown(capsys, "--scenario", "inference", "--explain", "--lang", "en")
    assert "  t4: INT8 (dense)\n" in text
    assert "  h100-sxm5-80gb: Board power (TDP)\n" in text


def test_a_model_is_held_by_so_many_cards(capsys):
    args = ("--model", "Llama 3.1 70B", "--precision", "fp8", "--context", "8192", "-w", "memory_gb>=80")
    found = json.loads(shown(capsys, *args, "--json", "--limit", "5000"))
    rows = {row["gpu_id"]: row for row in found["data"]}
    assert rows["h200-sxm-141gb"]["count"] == 1
    assert rows["h100-sxm5-80gb"]["count"] == 2
    assert "on each" in shown(capsys, *args, "--lang", "en")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "nothing to select by"),
        (("-w", "memory_gbs>=48"), "memory_gb"),
        (("-w", "memory_gb>=much"), "memory_gb"),
        (("-r", "memory_type"), "memory_type"),
        (("-r", "int8 tops per watt"), "--rank-by"),
        (("--scenario", "mining"), "inference"),
        (("--precision", "fp8", "-w", "memory_gb>=8"), "--model"),
        (("--scenario", "mining", "--scenarios", "nothing.yaml"), "nothing.yaml"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(capsys, args, words):
    assert words in failed(capsys, *args)


def test_scenarios_of_ones_own(capsys, tmp_path):
    (tmp_path / "mine.yaml").write_text("edge: {zh: 边缘, en: edge, require: {tdp_w: {lte: 75}}}\n", encoding="utf-8")
    found = json.loads(shown(capsys, "--scenario", "edge", "--scenarios", "mine.yaml", "--json"))
    assert found["interpreted"]["constraints"] == {"tdp_w": {"lte": 75}}


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("zh", ["排序: INT8 算力（稠密） / 功耗（TDP） ↓ ×2, 显存容量 ↓ ×1", "显存带宽", "条件: 显存带宽 ≥ 1000 GB/s"]),
        (
            "en",
            [
                "ranked by: INT8 (dense) / Board power (TDP) ↓ ×2, Memory ↓ ×1",
                "conditions: Memory bandwidth ≥ 1000 GB/s",
            ],
        ),
    ],
)
def test_people_read_the_names_of_fields_not_their_keys(capsys, monkeypatch, lang, words):
    monkeypatch.setenv("COLUMNS", "200")
    args = ("-w", "memory_bandwidth_gb_s>=1000", "-r", "int8_tops/tdp_w*2", "-r", "memory_gb", "--explain")
    text = shown(capsys, *args, "--lang", lang)
    assert all(word in text for word in words)
    assert not re.search(r"memory_|int8_|tdp_w|_gb_s", text)
    assert re.search(r"\d GB/s +\d", text)


def test_alternatives_are_one_condition(capsys):
    text = shown(capsys, "at least 80 GB or at least 2 TB/s of bandwidth", "--lang", "en")
    assert "conditions: Memory ≥ 80 GB or Memory bandwidth ≥ 2000 GB/s" in text
    assert "49 pass" in text
