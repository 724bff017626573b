"""Units: their spellings in both languages, and how they convert.

A byte is written B and a bit b. Where a text writes all in lower case, `gb/s` means bytes and `gbps` bits.
"""

from __future__ import annotations

import re
import unicodedata

from kb.errors import RequestError

# Canonical unit, factor, spellings in lower case with `_` for a space.
_TABLE: tuple[tuple[str, float, str], ...] = (
    ("GB/s", 1, "gb/s gb/sec gbyte/s gbytes/s gb每秒"),
    ("GB/s", 1e-3, "mb/s"),
    ("GB/s", 1e3, "tb/s tb/sec tbyte/s tb每秒"),
    ("GB/s", 1e6, "pb/s"),
    ("GB/s", 2**30 / 1e9, "gib/s"),
    ("GB/s", 2**40 / 1e9, "tib/s"),
    ("Gb/s", 1, "gbps gbit/s gbits/s gbe"),
    ("Gb/s", 1e-3, "mbps mbit/s"),
    ("Gb/s", 1e3, "tbps tbit/s"),
    ("GB", 1, "gb g gig gigs gbyte gbytes gigabyte gigabytes 吉字节"),
    ("GB", 1e3, "tb"),
    ("GB", 1e6, "pb"),
    ("GiB", 1, "gib"),
    ("GiB", 1024, "tib"),
    ("MB", 1, "mb megabytes 兆字节"),
    ("MiB", 1, "mib"),
    ("KB", 1, "kb"),
    ("KB", 1.024, "kib"),
    ("TFLOPS", 1, "tflops tflop/s tflops/s tflop tf teraflop teraflops"),
    ("TFLOPS", 1, "万亿次浮点运算 万亿次浮点 万亿次/秒 万亿次"),
    ("TFLOPS", 1e3, "pflops pflop/s pflop pf petaflops 千万亿次浮点 千万亿次"),
    ("TFLOPS", 1e6, "eflops exaflops 百亿亿次"),
    ("TFLOPS", 1e-3, "gflops gflop/s"),
    ("TOPS", 1, "tops tops/s ai_tops 万亿次整数运算"),
    ("TOPS", 1e3, "pops"),
    ("TOPS", 1e-3, "gops"),
    ("W", 1, "w 瓦 瓦特 watt watts"),
    ("W", 1e3, "kw 千瓦 kilowatt kilowatts"),
    ("W", 1e6, "兆瓦"),
    ("kWh", 1, "kwh 千瓦时 度电"),
    ("nm", 1, "nm 纳米"),
    ("bit", 1, "bit bits -bit 位 比特"),
    ("MHz", 1, "mhz 兆赫"),
    ("MHz", 1e3, "ghz"),
    ("mm²", 1, "mm² mm2 平方毫米"),
    ("mm", 1, "mm 毫米"),
    ("ms", 1, "ms 毫秒"),
    ("ms", 1e-3, "µs μs us 微秒"),
    ("ms", 1e-6, "ns"),
    ("s", 1, "s sec second seconds 秒"),
    ("h", 1, "h hour hours 小时"),
    ("USD", 1, "usd $ dollar dollars 美元 美金 刀"),
    ("CNY", 1, "cny rmb ¥ ￥ 元 人民币 块钱"),
    ("%", 1, "% percent 个百分点"),
    ("GPixel/s", 1, "gpixel/s gpixels/s"),
    ("GTexel/s", 1, "gtexel/s gtexels/s"),
    ("tokens/s", 1, "token/s tokens/s tok/s tps"),
    ("tokens", 1, "token tokens"),
    ("°C", 1, "°c ℃ 摄氏度"),
    ("streams", 1, "路 stream streams"),
    ("cards", 1, "张 张卡 块卡 卡 颗 cards gpus 个gpu 块gpu 张gpu"),
    ("nodes", 1, "台 节点 个节点 nodes servers"),
    ("times", 1, "倍 x ×"),
)

COUNT_UNITS = frozenset({"cards", "nodes", "times"})
"""Units that count; a number with one is no figure of a card."""

UNITS: dict[str, tuple[str, float]] = {
    spelling.replace("_", " "): (canonical, factor)
    for canonical, factor, spellings in _TABLE
    for spelling in spellings.split()
}
"""Lower-case spelling to canonical unit and factor."""

_BRIDGES: dict[tuple[str, str], float] = {
    ("Gb/s", "GB/s"): 0.125,
    ("GiB", "GB"): 2**30 / 1e9,
    ("MiB", "MB"): 2**20 / 1e6,
    ("MiB", "GB"): 2**20 / 1e9,
    ("MB", "GB"): 1e-3,
    ("KB", "GB"): 1e-6,
    ("KB", "MB"): 1e-3,
    ("GiB", "MB"): 2**30 / 1e6,
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
    written = unicodedata.normalize("NFKC", spelling).strip()
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
