"""What kind of answer a question wants."""

from __future__ import annotations

import pytest

from kb.answer.expected import expected_kinds


def names(question):
    return [kind.name for kind in expected_kinds(question)]


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Radeon RX 9070 XT 首发价多少美元？", ["price", "number"]),
        ("What is the price of sheet 05?", ["price"]),
        ("H100 的功耗是多少？", ["power", "number"]),
        ("What is the L2 cache hit latency of the RTX 5090 in cycles?", ["time"]),
        ("What is the die size of the Rubin GPU in mm2?", ["area"]),
        ("How many jobs may a user run?", ["number"]),
        ("哪一年发布？", ["date"]),
        ("Why is it slow?", ["reason"]),
        ("What is a warp?", []),
        ("How much extra arithmetic does recomputation cost?", ["number"]),
        ("怎么用 nvidia-smi 把功耗限制到 70W？", []),
    ],
)
def test_kinds(question, kinds):
    assert names(question) == kinds


@pytest.mark.parametrize(
    ("question", "holding", "lacking"),
    [
        ("首发价多少美元？", "首发价 1,599 美元", "显存 24 GB，2022 年发布"),
        ("功耗是多少？", "TDP 为 70 W", "显存 16 GB"),
        ("What is the latency in cycles?", "about 273 cycles", "2,048 threads"),
        ("What is the die size?", "609 mm² on 4N", "76.3 billion transistors"),
        ("What temperature triggers a shutdown?", "it stops at 105 °C", "I^2C bus C writes, 24 GB"),
        ("热关断温度是多少度？", "到 105 摄氏度关断", "温度过高会关断"),
    ],
)
def test_a_text_holds_the_unit_or_not(question, holding, lacking):
    unit = next(kind for kind in expected_kinds(question) if kind.is_unit)
    assert unit.held.search(holding.lower())
    assert not unit.held.search(lacking.lower())
