from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import RequestError
from kb.quantity import Quantity, canonical_unit, convert, number_tokens, parse_quantities
from kb.quantity.numerals import numeral_of, numeral_value
from kb.types import Span


def the(text: str) -> Quantity:
    """The one quantity of a text."""
    (quantity,) = parse_quantities(text)
    return quantity


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,979 TFLOPS", 1979, "TFLOPS"),
        ("1.979 PFLOPS", 1979, "TFLOPS"),
        ("80GB", 80, "GB"),
        ("80 GB", 80, "GB"),
        ("８０ＧＢ", 80, "GB"),
        ("80G", 80, "GB"),
        ("80 GiB", 80, "GiB"),
        ("1.4 TB", 1400, "GB"),
        ("700瓦", 700, "W"),
        ("700 W", 700, "W"),
        ("1.2 kW", 1200, "W"),
        ("700 watts", 700, "W"),
        ("312 万亿次", 312, "TFLOPS"),
        ("312万亿次浮点运算", 312, "TFLOPS"),
        ("3.35 TB/s", 3350, "GB/s"),
        ("3350 GB/s", 3350, "GB/s"),
        ("400 Gb/s", 400, "Gb/s"),
        ("400Gbps", 400, "Gb/s"),
        ("400 GBps", 400, "GB/s"),
        ("100GbE", 100, "Gb/s"),
        ("624 TOPS", 624, "TOPS"),
        ("2 POPS", 2000, "TOPS"),
        ("4,000 AI TOPS", 4000, "TOPS"),
        ("40 MB", 40, "MB"),
        ("384-bit", 384, "bit"),
        ("384 位", 384, "bit"),
        ("7 nm", 7, "nm"),
        ("7纳米", 7, "nm"),
        ("1.41 GHz", 1410, "MHz"),
        ("$1,599", 1599, "USD"),
        ("1.5 万美元", 15000, "USD"),
        ("2000 美元", 2000, "USD"),
        ("826 mm²", 826, "mm²"),
        ("128 路", 128, "streams"),
        ("50 毫秒", 50, "ms"),
    ],
)
def test_values_and_units(text, value, unit):
    quantity = the(f"它是 {text}。")
    assert (quantity.value, quantity.high, quantity.unit) == (value, None, unit)
    assert quantity.text == text


@pytest.mark.parametrize(
    ("text", "comparator", "value"),
    [
        ("不少于 80GB", ">=", 80),
        ("至少80GB", ">=", 80),
        ("80GB 以上", ">=", 80),
        ("80GB或更多", ">=", 80),
        ("at least 80 GB", ">=", 80),
        ("80 GB or more", ">=", 80),
        ("80GB+", ">=", 80),
        ("≥ 80 GB", ">=", 80),
        (">= 80 GB", ">=", 80),
        ("不超过 150W", "<=", 150),
        ("150W 以下", "<=", 150),
        ("150W以内", "<=", 150),
        ("最多 150 W", "<=", 150),
        ("at most 150 W", "<=", 150),
        ("up to 150 W", "<=", 150),
        ("超过 80GB", ">", 80),
        ("大于80GB", ">", 80),
        ("more than 80 GB", ">", 80),
        ("低于 150W", "<", 150),
        ("under 150 W", "<", 150),
        ("less than 150 W", "<", 150),
        ("约 80GB", "~", 80),
        ("about 80 GB", "~", 80),
        ("80GB 左右", "~", 80),
        ("80GB", "", 80),
        ("不低于 150W", ">=", 150),
        ("不高于 150W", "<=", 150),
    ],
)
def test_comparators(text, comparator, value):
    quantity = the(text)
    assert (quantity.comparator, quantity.value) == (comparator, value)


@pytest.mark.parametrize(
    ("text", "qualifiers"),
    [
        ("312 TFLOPS（稠密）", [("dense",)]),
        ("312 TFLOPS dense, 624 TFLOPS sparse", [("dense",), ("sparse",)]),
        ("稠密 312 TFLOPS，稀疏 624 TFLOPS", [("dense",), ("sparse",)]),
        ("624 TFLOPS with sparsity", [("sparse",)]),
        ("312 TFLOPS without sparsity", [("dense",)]),
        ("NVLink 单向 450 GB/s，双向 900 GB/s", [("per_direction",), ("both_directions",)]),
        ("900 GB/s bidirectional", [("both_directions",)]),
        ("450 GB/s each way", [("per_direction",)]),
        ("单卡 700 W，整机 10.2 kW", [("per_card",), ("per_system",)]),
        ("700 W per GPU", [("per_card",)]),
        ("700 W", [()]),
    ],
)
def test_qualifiers(text, qualifiers):
    assert [q.qualifiers for q in parse_quantities(text)] == qualifiers


def test_ranges():
    quantity = the("40–60 W")
    assert (quantity.value, quantity.high, quantity.unit) == (40, 60, "W")
    quantity = the("24 到 48 GB")
    assert (quantity.value, quantity.high) == (24, 48)


def test_numbers_in_a_list_share_the_unit():
    assert [(q.value, q.unit) for q in parse_quantities("到底是 250、300 还是 400W？")] == [
        (250, "W"),
        (300, "W"),
        (400, "W"),
    ]
    assert [q.value for q in parse_quantities("156/312 TFLOPS")] == [156, 312]
    assert [q.value for q in parse_quantities("192 or 384 TOPS")] == [192, 384]


@pytest.mark.parametrize(
    "text",
    [
        "FP8 与 INT4、BF16、TF32、NVFP4",
        "H100 与 A100、MI300X、T4",
        "第3代 Tensor Core",
        "第 4 代 NVLink",
        "NVLink 4",
        "PCIe 4.0 x16",
        "PCIe Gen5",
        "CUDA 12.4",
        "2023 年发布",
        "2022-03-22 发布",
        "released in 2023",
        "v1.2.3",
        "见 [1] 和 [12]",
        "Llama-3.1-70B",
        "Qwen2.5-72B",
        "Mixtral 8x7B",
        "HBM2e 和 GDDR6X",
        "1080p30",
        "sm_90",
        "W8A8 与 Q4_K_M",
        "2:4 稀疏",
        "8 张 A100",
        "快 2 倍",
        "128 层",
    ],
)
def test_what_is_no_quantity(text):
    assert parse_quantities(text) == ()


def test_every_number_is_typed():
    text = (
        "1. H100 的 FP8 算力约 1,979 TFLOPS [2]，2022-03-22 发布，第4代 NVLink，8 张卡跑 70B，CUDA 12.4，共 132 个 SM"
    )
    assert [(t.kind, t.text) for t in number_tokens(text, [Span(3, 7)])] == [
        ("list_number", "1."),
        ("card", "H100"),
        ("format", "FP8"),
        ("quantity", "1,979 TFLOPS"),
        ("citation", "[2]"),
        ("date", "2022-03-22"),
        ("ordinal", "第4代"),
        ("count", "8 张卡"),
        ("model_size", "70B"),
        ("version", "CUDA 12.4"),
        ("count", "132"),
    ]


def test_powers_are_not_read_as_digits():
    assert [t.quantity.value for t in number_tokens("70×10⁹") if t.quantity] == [70, 10]


def test_a_quantity_inside_a_card_name_belongs_to_the_name():
    text = "A100 80GB 的带宽 2039 GB/s"
    assert [t.kind for t in number_tokens(text, [Span(0, 9)])] == ["card", "quantity"]
    assert [q.text for q in parse_quantities(text, [Span(0, 9)])] == ["2039 GB/s"]


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (3.35, "TB/s", "GB/s", 3350),
        (2039, "GB/s", "TB/s", 2.039),
        (400, "Gb/s", "GB/s", 50),
        (50, "GB/s", "Gb/s", 400),
        (1.979, "PFLOPS", "TFLOPS", 1979),
        (80, "GiB", "GB", 85.89934592),
        (1, "GB", "MB", 1000),
        (700, "瓦", "kW", 0.7),
        (1, "小时", "秒", 3600),
    ],
)
def test_conversion(value, source, target, expected):
    assert convert(value, source, target) == pytest.approx(expected, rel=1e-12)


def test_what_cannot_be_converted():
    with pytest.raises(RequestError, match="GB/s cannot be converted to W"):
        convert(1, "GB/s", "W")
    with pytest.raises(RequestError, match="unit 'furlong' is not known"):
        convert(1, "furlong", "W")
    assert canonical_unit("tb/s") == "GB/s"


UNITS = ("GB", "TB", "GB/s", "TB/s", "W", "kW", "TFLOPS", "PFLOPS", "TOPS", "MB", "nm", "bit", "MHz", "GHz")


@given(value=st.integers(1, 10**6), unit=st.sampled_from(UNITS), spaced=st.booleans())
def test_a_written_quantity_is_read_back(value, unit, spaced):
    quantity = the(f"约{value}{' ' if spaced else ''}{unit}，")
    assert quantity.value == pytest.approx(convert(value, unit, quantity.unit))
    assert quantity.unit == canonical_unit(unit)
    assert quantity.comparator == "~"


@given(value=st.integers(1000, 10**9), unit=st.sampled_from(UNITS))
def test_thousands_separators_change_nothing(value, unit):
    assert the(f"{value:,} {unit}").value == the(f"{value} {unit}").value


@given(
    value=st.floats(1e-3, 1e9), pair=st.sampled_from([("GB/s", "TB/s"), ("Gb/s", "GB/s"), ("GiB", "GB"), ("W", "kW")])
)
def test_conversion_there_and_back(value, pair):
    there = convert(value, *pair)
    assert math.isclose(convert(there, pair[1], pair[0]), value, rel_tol=1e-9)


@given(text=st.text(alphabet="0123456789.,-/xX×kKbBgGsSwW %$[]()年第代张约 TFLOPS智铠不少于", max_size=60))
def test_any_text_is_typed_in_order_and_in_place(text):
    end = 0
    for token in number_tokens(text):
        assert end <= token.start < token.end <= len(text)
        assert text[token.start : token.end] == token.text
        end = token.end
        if token.quantity is not None and token.quantity.high is None:
            assert token.quantity.value >= 0


@given(text=st.text(max_size=80))
def test_every_digit_is_in_a_token(text):
    covered = {i for token in number_tokens(text) for i in range(token.start, token.end)}
    assert all(i in covered for i, c in enumerate(text) if c in "0123456789")


@given(number=st.integers(1, 9999))
def test_a_chinese_numeral_is_read_back(number):
    assert numeral_value(numeral_of(number)) == number


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("功耗七百瓦", 700, "W"),
        ("支持一百二十八路解码", 128, "streams"),
        ("带宽三点三五 TB/s", 3350, "GB/s"),
        ("显存八十GB", 80, "GB"),
        ("三百一十二万亿次", 312, "TFLOPS"),
    ],
)
def test_spelt_figures(text, value, unit):
    quantity = the(text)
    assert (quantity.value, quantity.unit) == (value, unit)


@pytest.mark.parametrize("text", ["第三十路", "一路走来", "十二张卡", "百瓦级", "十分好", "一二三 W"])
def test_what_is_no_spelt_figure(text):
    assert parse_quantities(text) == ()


@given(number=st.integers(1000, 10**7), unit=st.sampled_from(["GB/s", "TFLOPS", "W"]))
def test_full_width_digits_and_commas_change_nothing(number, unit):
    wide = f"{number:,}".translate(str.maketrans("0123456789,", "０１２３４５６７８９，"))
    assert the(f"是{wide} {unit}").value == the(f"是 {number} {unit}").value


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("stage 1, 16.6 GB", [("ordinal", "stage 1"), ("quantity", "16.6 GB")]),
        ("4, 800 GB/s in all", [("plain", "4"), ("quantity", "800 GB/s")]),
        ("3g + 2g", [("format", "3g"), ("format", "2g")]),
        ("1g.10gb 与 3g.40gb", [("format", "1g.10gb"), ("format", "3g.40gb")]),
        ("GDDR7，512-bit 位宽", [("format", "GDDR7"), ("quantity", "512-bit")]),
        ("bandwidth of 2039 GB/s", [("quantity", "2039 GB/s")]),
        ("in 2039 and 2039 MHz", [("date", "2039"), ("quantity", "2039 MHz")]),
    ],
)
def test_numbers_that_look_like_others(text, tokens):
    assert [(t.kind, t.text) for t in number_tokens(text)] == tokens


@pytest.mark.parametrize("text", ["UALink 200G", "400G InfiniBand", "200G 网卡", "800G 光模块"])
def test_line_rates_are_bits(text):
    (quantity,) = parse_quantities(text)
    assert quantity.unit == "Gb/s"
    assert the("显存 200G").unit == "GB"
