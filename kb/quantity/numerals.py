"""Chinese numerals: 一百二十八, 三点三五, 两千, 十二."""

from __future__ import annotations

import re

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}
_SIGN = "一二两三四五六七八九十"
NUMERAL = rf"(?:[{_SIGN}百千零〇]{{2,}}(?:点[{_SIGN}零〇]+)?|[{_SIGN}]点[{_SIGN}零〇]+|十)"
"""A numeral of more than one sign (or 十), which no other word can be before a unit."""
_SIGNS = re.compile("[一二两三四五六七八九十百千万亿零〇点]+")


def numeral_value(text: str) -> float | None:
    """The value of a numeral; `None` if its signs make none (一二三, 百)."""
    if not _SIGNS.fullmatch(text):
        return None
    whole, point, decimals = text.partition("点")
    value = _whole(whole)
    if value is None or not point:
        return value
    if not decimals or any(sign not in _DIGITS for sign in decimals):
        return None
    return float(f"{value:.0f}." + "".join(str(_DIGITS[sign]) for sign in decimals))


def _whole(text: str) -> float | None:
    total = section = digit = 0
    last = ""
    for sign in text:
        if sign in _DIGITS:
            if _DIGITS.get(last):
                return None
            digit = _DIGITS[sign]
        elif sign in _TENS:
            if not digit and (sign != "十" or last in _TENS):
                return None
            section += (digit or 1) * _TENS[sign]
            digit = 0
        else:
            total += (section + digit) * _MYRIADS[sign]
            section = digit = 0
        last = sign
    return float(total + section + digit) if text else None


def numeral_of(number: int) -> str:
    """The numeral of a number from 1 to 9,999: 128 is 一百二十八, 1005 一千零五."""
    signs = "零一二三四五六七八九"
    written = ""
    gap = False
    for unit, worth in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
        digit = number // worth % 10
        if digit:
            written += ("零" if gap and written else "") + signs[digit] + unit
        gap = not digit
    return written.removeprefix("一") if 10 <= number < 20 else written
