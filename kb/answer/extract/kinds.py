"""Kinds of answer that a clause asks for, besides those that `kb.answer.expected` knows."""

from __future__ import annotations

import re
from typing import Final

from kb.answer.expected import Expected, expected_kinds
from kb.text import fold

NUMBER: Final = "number"

_FORMULA: Final = Expected(
    "formula",
    re.compile(r"公式|怎么算|如何计算|怎样计算|怎么计算|\bformula\b|\bhow (?:is|are|do i|to)\b.*\b(?:comput|calculat)"),
    re.compile(r"[=×÷≈]|\w / \w| x "),
)
_VERSION: Final = Expected(
    "version",
    re.compile(r"版本|\bversions?\b|\breleases?\b"),
    re.compile(r"\d+\.\d+|\bv\d|\brc\d|[<>≥≤]=?\s*\d"),
)
_MEASURE: Final = Expected(
    NUMBER,
    re.compile(
        r"""
        \bhow\ (?:wide|fast|small|deep|thick|heavy|strong)\b | \bby\ (?:what\ factor|how)\b | \bat\ which\ number\b
      | \bwhat\ (?:share|fraction|size|ratio|part|rate)\b | 几倍 | 几成 | 百分比 | 比例
        """,
        re.VERBOSE,
    ),
    re.compile(
        r"""
        \d | \w+fold\b | [一二两三四五六七八九十]倍 | 分之 | 翻倍 | 减半 | 一半
      | \b(?:one|two|three|four|five|six|eight|ten|half|twice|doubl\w+|halv\w+|third|quarter)\b
        """,
        re.VERBOSE,
    ),
)
_FIGURE: Final = Expected(
    NUMBER,
    re.compile(
        r"""
        ^(?!.*(?:为什么|怎么|如何|吗|是否|哪|什么|区别|不同|影响
                 |\bwhy\b|\bhow\b|\bwhich\b|\bdo(?:es)?\b|\bis\b.*\bthe\ same|\bdiffer))
        .*(?:带宽|容量|算力|频率|延迟|峰值|\bbandwidth|\bcapacity|\bfrequency|\bpeak\b|\bthroughput|\btflops|\bprice)
        """,
        re.VERBOSE,
    ),
    re.compile(r"\d"),
)
"""A property that is told in figures."""


def kinds_of(clause: str) -> tuple[Expected, ...]:
    """The kinds of thing that would answer a clause; empty where anything may."""
    if kinds := expected_kinds(clause):
        return kinds
    folded = fold(clause)
    return tuple(kind for kind in (_FORMULA, _VERSION, _MEASURE, _FIGURE) if kind.asked.search(folded))[:1]
