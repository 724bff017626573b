"""Numbers of a spreadsheet as the sheet shows them: `0.85` under the format `0%` is 85%."""

from __future__ import annotations

import datetime
import math
import re

_QUOTED = re.compile(r'"([^"]*)"|\\(.)')
_BRACKETED = re.compile(r"\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]")
_DIGITS = re.compile(r"[#0?,]*[0#?](?:\.([0#?]+))?")
_FRACTION = re.compile(r"[#0?]+/[#0?\d]+")
_GENERAL = frozenset({"", "general", "@"})
_MIDNIGHT = datetime.time(0)
_SHOWN_DIGITS = 15
"""What a spreadsheet computes with; more are rounding errors of the binary number."""


def shown(value: object, number_format: str = "") -> str:
    """A cell's value as text.

    Args:
        value: as the file stores it.
        number_format: the sheet's format code, for example `#,##0.00 "GB/s"`.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return _number(float(value), number_format)
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == _MIDNIGHT else value.isoformat(" ", "seconds")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return str(value)


def _number(value: float, number_format: str) -> str:
    if not math.isfinite(value):
        return str(value)
    section = _section(value, number_format)
    if value < 0 and ";" in number_format:  # the section for negative numbers has its own sign
        value = -value
    if section.strip().lower() in _GENERAL or _FRACTION.search(section) or "e+" in section.lower():
        return _plain(value)
    pattern = _BRACKETED.sub(lambda match: match[1] or "", section)
    literals: list[str] = []

    def keep(match: re.Match[str]) -> str:
        literals.append(match[1] if match[1] is not None else match[2])
        return f"\x00{len(literals) - 1}\x00"

    pattern = _QUOTED.sub(keep, pattern)
    pattern = re.sub(r"[_*].", "", pattern)  # padding
    digits = _DIGITS.search(re.sub(r"\x00\d+\x00", lambda match: " " * len(match[0]), pattern))
    if digits is None:
        return _plain(value)
    number = _digits(value * (100 if "%" in pattern else 1), digits)
    text = pattern[: digits.start()] + number + pattern[digits.end() :]
    return re.sub(r"\x00(\d+)\x00", lambda match: literals[int(match[1])], text).strip()


def _section(value: float, number_format: str) -> str:
    """The part of the format that holds for this value: positive; negative; zero."""
    sections = number_format.split(";")
    if value < 0 and len(sections) > 1:
        return sections[1] if "-" in sections[1] or "(" in sections[1] else "-" + sections[1]
    return sections[2] if value == 0 and len(sections) > 2 else sections[0]


def _digits(value: float, match: re.Match[str]) -> str:
    places = match[1] or ""
    grouped = "," if "," in match[0] else ""
    text = f"{abs(value):{grouped}.{len(places)}f}"
    optional = len(places) - len(places.rstrip("#?"))
    for _ in range(optional):
        if not text.endswith("0"):
            break
        text = text[:-1]
    return ("-" if value < 0 and float(f"{value:.{len(places)}f}") != 0 else "") + text.removesuffix(".")


def _plain(value: float) -> str:
    """The shortest text of the number, without the noise behind its 15th digit."""
    rounded = float(f"{value:.{_SHOWN_DIGITS}g}")
    return str(int(rounded)) if rounded.is_integer() and abs(rounded) < 1e15 else repr(rounded)
