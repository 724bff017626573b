"""Units: their spellings in both languages, and how they convert.

A byte is written B and a bit b. Where a text writes all in lower case, `gb/s` means bytes and `gbps` bits.
"""

from __future__ import annotations

import re

from kb.errors import RequestError

# canonical unit: spelling (lower case) -> factor
_SPELLINGS: dict[str, dict[str, float]] = {
    "GB/s": {
        "gb/s": 1, "gb/sec": 1, "gbyte/s": 1, "gbytes/s": 1, "tb/s": 1e3, "tb/sec": 1e3, "tbyte/s": 1e3, "mb/s": 1e-3,
        "pb/s": 1e6, "gib/s": 2**30 / 1e9, "tib/s": 2**40 / 1e9, "gb每秒": 1, "tb每秒": 1e3,
    },
    "Gb/s": {"gbps": 1, "gbit/s": 1, "gbits/s": 1, "tbps": 1e3, "tbit/s": 1e3, "gbe": 1, "mbps": 1e-3, "mbit/s": 1e-3},
    "GB": {"gb": 1, "g": 1, "gbyte": 1, "gbytes": 1, "tb": 1e3, "pb": 1e6, "gigabytes": 1, "gigabyte": 1, "吉字节": 1},
    "GiB": {"gib": 1, "tib": 1024},
    "MB": {"mb": 1, "兆字节": 1, "megabytes": 1},
    "MiB": {"mib": 1},
    "KB": {"kb": 1, "kib": 1.024},
    "TFLOPS": {
        "tflops": 1, "tflop/s": 1, "tflops/s": 1, "tflop": 1, "tf": 1, "teraflops": 1, "teraflop": 1, "万亿次浮点运算": 1,
        "万亿次浮点": 1, "万亿次/秒": 1, "万亿次": 1, "pflops": 1e3, "pflop/s": 1e3, "pflop": 1e3, "pf": 1e3, "petaflops": 1e3,
        "千万亿次浮点": 1e3, "千万亿次": 1e3, "eflops": 1e6, "exaflops": 1e6, "百亿亿次": 1e6, "gflops": 1e-3, "gflop/s": 1e-3,
    },
    "TOPS": {"tops": 1, "ai tops": 1, "tops/s": 1, "pops": 1e3, "万亿次整数运算": 1, "gops": 1e-3},
    "W": {"w": 1, "瓦": 1, "瓦特": 1, "watt": 1, "watts": 1, "kw": 1e3, "千瓦": 1e3, "kilowatts": 1e3, "兆瓦": 1e6},
    "kWh": {"kwh": 1, "千瓦时": 1, "度电": 1},
    "nm": {"nm": 1, "纳米": 1},
    "bit": {"bit": 1, "bits": 1, "位": 1, "比特": 1, "-bit": 1},
    "MHz": {"mhz": 1, "ghz": 1e3, "兆赫": 1},
    "mm²": {"mm²": 1, "mm2": 1, "平方毫米": 1},
    "mm": {"mm": 1, "毫米": 1},
    "ms": {"ms": 1, "毫秒": 1, "µs": 1e-3, "μs": 1e-3, "us": 1e-3, "微秒": 1e-3, "ns": 1e-6},
    "s": {"秒": 1, "s": 1, "sec": 1, "seconds": 1, "second": 1},
    "h": {"h": 1, "小时": 1, "hours": 1, "hour": 1},
    "USD": {"美元": 1, "美金": 1, "usd": 1, "dollars": 1, "dollar": 1, "刀": 1, "$": 1},
    "CNY": {"元": 1, "人民币": 1, "块钱": 1, "rmb": 1, "cny": 1, "¥": 1, "￥": 1},
    "%": {"%": 1, "percent": 1, "个百分点": 1},
    "GPixel/s": {"gpixel/s": 1, "gpixels/s": 1},
    "GTexel/s": {"gtexel/s": 1, "gtexels/s": 1},
    "tokens/s": {"token/s": 1, "tokens/s": 1, "tok/s": 1, "tps": 1},
    "tokens": {"token": 1, "tokens": 1},
    "°C": {"°c": 1, "℃": 1, "摄氏度": 1},
    "streams": {"路": 1, "streams": 1, "stream": 1},
    "cards": {"张卡": 1, "块卡": 1, "张": 1, "卡": 1, "cards": 1, "gpus": 1, "个gpu": 1, "块gpu": 1, "张gpu": 1, "颗": 1},
    "nodes": {"台": 1, "节点": 1, "nodes": 1, "servers": 1, "个节点": 1},
    "times": {"倍": 1, "x": 1, "×": 1},
}  # fmt: skip

COUNT_UNITS = frozenset({"cards", "nodes", "times"})
"""Units that count; a number with one is no figure of a card."""

UNITS: dict[str, tuple[str, float]] = {
    spelling: (canonical, factor) for canonical, row in _SPELLINGS.items() for spelling, factor in row.items()
}
"""Lower-case spelling to canonical unit and factor."""

_BRIDGES: dict[tuple[str, str], float] = {
    ("Gb/s", "GB/s"): 0.125,
    ("GiB", "GB"): 2**30 / 1e9,
    ("MiB", "MB"): 2**20 / 1e6,
    ("MiB", "GB"): 2**20 / 1e9,
    ("MB", "GB"): 1e-3,
    ("KB", "GB"): 1e-6,
    ("MiB", "GiB"): 1 / 1024,
    ("MB", "GiB"): 1e6 / 2**30,
    ("s", "ms"): 1e3,
    ("h", "s"): 3600.0,
    ("h", "ms"): 3.6e6,
}

_WORD_UNITS = sorted((re.escape(u) for u in UNITS), key=lambda u: (-len(u), u))
UNIT_PATTERN = "|".join(
    rf"{unit}(?![a-z])" if unit[-1].isascii() and unit[-1].isalpha() else unit for unit in _WORD_UNITS
)
"""Any spelling, longest first; a Latin one must end its word."""


def unit_of(spelling: str) -> tuple[str, float]:
    """Canonical unit and factor of a spelling, upper and lower case read as a text means them.

    Raises:
        RequestError: the unit is not known.
    """
    written = spelling.strip()
    if re.fullmatch(r"[KMGTP]b(?:/s(?:ec)?|ps)", written):
        prefix = {"K": 1e-6, "M": 1e-3, "G": 1.0, "T": 1e3, "P": 1e6}[written[0]]
        return "Gb/s", prefix
    if re.fullmatch(r"[KMGTP]Bps", written):
        return UNITS[f"{written[0].lower()}b/s"]
    known = UNITS.get(" ".join(written.lower().split()))
    if known is None:
        raise RequestError(
            f"The unit {spelling!r} is not known.", "Known are for example GB/s, TB/s, GB, TFLOPS, W, nm."
        )
    return known


def canonical_unit(unit: str) -> str:
    """A unit in its canonical spelling: `tb/s` gives `GB/s`.

    Raises:
        RequestError: the unit is not known.
    """
    return unit_of(unit)[0]


def convert(value: float, from_unit: str, to_unit: str) -> float:
    """`value` in another unit: `convert(3.35, "TB/s", "GB/s")` is 3350.

    Raises:
        RequestError: a unit is not known, or they measure different things.
    """
    source, factor = unit_of(from_unit)
    target, divisor = unit_of(to_unit)
    amount = value * factor / divisor
    if source != target:
        if (source, target) in _BRIDGES:
            amount *= _BRIDGES[source, target]
        elif (target, source) in _BRIDGES:
            amount /= _BRIDGES[target, source]
        else:
            raise RequestError(f"{from_unit} cannot be converted to {to_unit}.", "They measure different things.")
    return float(f"{amount:.12g}")
