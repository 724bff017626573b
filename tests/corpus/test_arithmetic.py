"""What documents calculate is right."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.corpus.conftest import CORPUS
from tests.corpus.written_arithmetic import equations, value_of

FEWEST_EQUATIONS = 80

RIDGE_POINTS = {
    "h20-96gb": 37,
    "a100-sxm4-80gb": 153,
    "rtx-4090": 164,
    "t4": 203,
    "h200-sxm-141gb": 206,
    "mi300x": 247,
    "h100-sxm5-80gb": 295,
    "l4": 403,
    "l40s": 419,
}
"""FLOP per byte as `en/roofline.md` prints it."""


KV_KIB_PER_TOKEN = {
    "llama-2-7b": "512",
    "llama-3-8b": "128",
    "qwen2.5-14b": "192",
    "qwen2.5-32b": "256",
    "llama-3-70b": "320",
    "deepseek-v3": "68.6",
}
"""KiB per token of 16-bit KV cache as the documents print it."""


def test_every_written_equation_holds(documents):
    wrong, count = [], 0
    for doc_id, document in documents.items():
        for line in document.text.splitlines():
            for equation in equations(line):
                count += 1
                if not equation.holds:
                    wrong.append(f"{doc_id}: {equation.words} ({equation.left:.6g})")

    assert not wrong, "\n".join(wrong)
    assert count >= FEWEST_EQUATIONS


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("70e9 parameters x 16 bytes = 1,120 GB", True),
        ("70e9 parameters x 16 bytes = 1,020 GB", False),
        ("1.76 x 10,200 / 20 = 898 CFM", True),
        ("1.76 x 10,200 / 20 = 988 CFM", False),
        ("2 × 7/8 × 14 ÷ 300 ≈ 82 ms", True),
        ("2 × 7/8 × 14 ÷ 300 ≈ 92 ms", False),
        ("100 × 2000 = 20 万美元", True),
        ("sqrt(3) x 400 V x 32 A = 22.2 kW", True),
        ("32 × 8192 × 2 = 512 KiB", True),
        ("1,024 GPUs x 989e12 x 40 % utilisation = 4.05e17 FLOP/s", True),
    ],
)
def test_an_equation_is_read(text, holds):
    found = list(equations(text))

    assert [equation.holds for equation in found] == [holds]


def test_only_arithmetic_is_evaluated():
    assert value_of("2 * (3 + 4) ** 2 / 7") == 14
    with pytest.raises(ValueError, match="no arithmetic"):
        value_of("__import__('os')")


def test_ridge_points_follow_from_the_catalogue(documents, catalog):
    table = documents["en/roofline.md"].text
    for card, printed in RIDGE_POINTS.items():
        rate = catalog.entry(card, "fp16_tensor_tflops").value or catalog.entry(card, "bf16_tensor_tflops").value
        ridge = rate * 1000 / catalog.entry(card, "memory_bandwidth_gb_s").value

        assert ridge == pytest.approx(printed, abs=0.6), card
        assert f"| {printed} |" in table


def test_total_processing_performance_follows_from_the_catalogue(documents, catalog):
    rows = re.findall(
        r"^\| ([\w ]+) \| ([\d.]+) at (\d+) bit \| ([\d,]+) \|$", documents["en/export-variants.md"].text, re.M
    )

    assert len(rows) == 4
    for _, rate, bits, printed in rows:
        assert float(rate) * float(bits) == pytest.approx(float(printed.replace(",", "")), abs=1)


def test_kv_cache_per_token_follows_from_the_models_shapes(documents):
    rows = (
        row for path in (CORPUS / "models").glob("*.yaml") for row in yaml.safe_load(path.read_text(encoding="utf-8"))
    )
    shapes = {row["id"]: row for row in rows}
    for model, printed in KV_KIB_PER_TOKEN.items():
        shape = shapes[model]
        if shape["attention"] == "mla":
            values = shape["mla"]["kv_lora_rank"] + shape["mla"]["qk_rope_head_dim"]
        else:
            values = 2 * shape["kv_heads"] * shape["head_dim"]

        assert shape["layers"] * values * 2 / 1024 == pytest.approx(float(printed), abs=0.05), model
        assert f"{printed} KiB" in documents["zh/kv-cache.md"].text
