"""What a question wants converted: an amount or a card's figure, into another unit, direction or number of cards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from kb.answer.question.model import Amount, Conversion
from kb.answer.question.reading import Reading
from kb.answer.question.scanner import fold_in_place
from kb.quantity import Quantity
from kb.specs.fields import FIELDS

Sparsity = Literal["", "dense", "sparse"]
Direction = Literal["", "one", "both"]

_UNITS: Mapping[str, str] = {
    "tb/s": "TB/s",
    "tbps": "TB/s",
    "gb/s": "GB/s",
    "gbps": "GB/s",
    "gib/s": "GiB/s",
    "mb/s": "MB/s",
    "gbit/s": "Gb/s",
    "gb": "GB",
    "gib": "GiB",
    "tb": "TB",
    "tib": "TiB",
    "mb": "MB",
    "mib": "MiB",
    "pflops": "PFLOPS",
    "tflops": "TFLOPS",
    "gflops": "GFLOPS",
    "eflops": "EFLOPS",
    "pops": "POPS",
    "tops": "TOPS",
    "kw": "kW",
    "mw": "MW",
    "千瓦": "kW",
    "兆瓦": "MW",
    "w": "W",
    "watts": "W",
    "瓦": "W",
    "ghz": "GHz",
    "mhz": "MHz",
    "byte/s": "B/s",
    "bytes": "B",
    "字节": "B",
    "petaflops": "PFLOPS",
    "teraflops": "TFLOPS",
    "gigabytes": "GB",
    "terabytes": "TB",
    "kilowatts": "kW",
}
_UNIT = re.compile(
    r"(?<![a-z0-9/])(" + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)) + r")(?![a-z0-9/])"
)
_SAME_UNITS = {"TFLOPS": ("TFLOPS", "TOPS"), "TOPS": ("TOPS", "TFLOPS")}
_WRITTEN = re.compile(r"([\d.,]+)\s*(\D+)$")
_ASKING = re.compile(
    r"(多少|几|合|等于|换成|换算成|换算|转成|转换成|转为|折合|相当于|how many|how much|in|into|to|as|of)"
    r"\s*(?:个|the)?\s*$"
)
_MACHINE = re.compile(r"服务器|整机|节点|\b(?:node|server|system|box)s?\b")
_CARDS = re.compile(
    r"(?<![\d.a-z])(\d{1,6}|[两二三四五六七八九十]+|two|three|four|five|six|eight|sixteen)\s*"
    r"(?:张|卡|块|颗|片|台|[x×*]|个|-?\s*gpus?\b|cards?\b|-?\s*way\b|-?\s*card\b)?\s*(?=[\x00x×*]|的|服务器|机|整机|总|合计|一共|节点|并联|node|server|system|total)"
)
_ASKED_OF_SO_MANY = re.compile(
    r"(?<![\d.a-z])(\d{1,6}|[两二三四五六七八九十]+)\s*(?:张|块|卡|颗|片)(?:卡)?\s*(?=是?多少|是?几|要多少|需要多少|how|呢|\W*$)"
    r"|\b(\d{1,6}|two|three|four|five|six|eight|sixteen)\s+of\s+(?=them\b|these\b|those\b)"
)
"""How many cards the figure is wanted of ("8 张多少 kW", "8 张呢", "eight of them")."""
_CARDS_AFTER = re.compile(
    r"(?<=\x00)\s*[x×*]\s*(\d{1,4})(?![\d.a-z])|(?<=\x00)\s*(\d{1,4}|[两二三四五六七八九十]+)\s*(?:张|卡|块|-?gpu|way)"
)


def read_conversion(reading: Reading, numerals: Mapping[str, int]) -> Conversion | None:
    """The conversion asked for, if one is."""
    amount = _amount(reading)
    unit = _target_unit(reading, amount)
    cards = _cards(reading, numerals)
    says_convert = reading.has("convert")
    sparsity = _other_sparsity(reading)
    if cards > 1:
        return Conversion(amount, unit, cards=cards)
    if unit and (says_convert or (amount is not None and amount.unit != unit)):
        return Conversion(amount, unit, _direction(reading))
    if says_convert and amount is not None and (sparsity or reading.has("direction")):
        return Conversion(amount, "", _direction(reading), sparsity)
    own = {unit for key in reading.asked.keys for unit in _SAME_UNITS.get(FIELDS[key].unit, (FIELDS[key].unit,))}
    asks_unit = unit and unit not in own and not reading.stated
    if asks_unit and reading.cards and not reading.has("compare", "filter", "superlative"):
        return Conversion(None, unit, _direction(reading))
    return None


def asks_of_so_many(reading: Reading) -> bool:
    """Whether a figure is wanted of a number of cards that stands without their name."""
    return _ASKED_OF_SO_MANY.search(reading.folded) is not None


def _amount(reading: Reading) -> Amount | None:
    for stated in reading.stated:
        if stated.operator is None and stated.quantity.unit:
            quantity = stated.quantity
            return _as_written(reading.text[quantity.start : quantity.end].strip(), quantity)
    return None


def _as_written(text: str, quantity: Quantity) -> Amount:
    """An amount in the unit it was written in (`3.35 TB/s`), not in the canonical one."""
    match = _WRITTEN.match(fold_in_place(text))
    unit = _UNITS.get(match.group(2).strip()) if match else None
    if match is None or unit is None:
        return Amount(quantity.value, quantity.unit, text)
    return Amount(float(match.group(1).replace(",", "")), _bits(text, unit), text)


def _bits(text: str, unit: str) -> str:
    """Gb/s where a small b was written: bits, not bytes."""
    return unit[0] + "b/s" if unit.endswith("B/s") and re.search(r"[GTM]b(?:/|p)", text) else unit


def _target_unit(reading: Reading, amount: Amount | None) -> str:
    found = list(_UNIT.finditer(reading.folded))
    if not found:
        return ""
    asked = [match for match in found if _ASKING.search(reading.folded[: match.start()])]
    chosen = (asked or found)[-1]
    unit = _UNITS[chosen.group(1)]
    unit = _bits(reading.text[chosen.start() : chosen.end()], unit)
    return "" if amount is not None and unit == amount.unit and len(found) == 1 and not asked else unit


def _cards(reading: Reading, numerals: Mapping[str, int]) -> int:
    if not reading.cards:
        return 1
    asked = _ASKED_OF_SO_MANY.search(reading.folded)
    if asked is None and not (reading.has("total", "convert") or _MACHINE.search(reading.folded)):
        return 1
    match = asked or _CARDS.search(reading.folded) or _CARDS_AFTER.search(reading.folded)
    if match is None:
        return 1
    word = next(group for group in match.groups() if group)
    return int(word) if word.isdigit() else numerals.get(word, 1)


def _other_sparsity(reading: Reading) -> Sparsity:
    """Dense and sparse both named: the one asked for stands last."""
    hits = [hit for hit in reading.hits("modifier") if hit.value("modifier") in {"dense", "sparse"}]
    values = [hit.value("modifier") for hit in hits]
    if len(set(values)) < 2:
        return ""
    return "sparse" if values[-1] == "sparse" else "dense"


def _direction(reading: Reading) -> Direction:
    values = [hit.value("direction") for hit in reading.hits("direction")]
    if not values:
        return ""
    return "one" if values[-1] == "one" else "both"
