"""Kinds of answer that a clause asks for, besides those that `kb.answer.expected` knows."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from kb.answer.expected import Expected, expected_kinds
from kb.answer.extract.definition import Definition
from kb.answer.extract.form import Form
from kb.answer.extract.passage import Unit
from kb.text import fold

NUMBER: Final = "number"
_REMEMBERED: Final = 8192

_CODE_LIKE: Final = re.compile(r"(?<!\d)[a-z]+-?\d[\w.]*")
_HEXADECIMAL: Final = re.compile(r"\b0x[0-9a-f]+\b")
_DATE: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?:\s*年(?:\s*\d+\s*月)?|-\d\d(?:-\d\d)?)?(?!\d)|\d+\s*月(?:\d+日)?")
_NUMBER: Final = re.compile(r"\b0x[0-9a-f]+\b|\d+(?:[.,]\d+)*")
_PART: Final = re.compile(r"\b(?:half|thirds?|quarters?|twice|double[ds]?|halves)\b|分之|一半|翻倍|成多")
"""How much of something, told without a figure."""

_FORMULA: Final = Expected(
    "formula",
    re.compile(r"公式|怎么算|如何计算|怎样计算|怎么计算|\bformula\b|\bhow (?:is|are|do i|to)\b.*\b(?:comput|calculat)"),
    re.compile(r"[=×÷≈]|\w / \w| x "),
)
VERSION: Final = "version"
_SOFTWARE: Final = (
    r"kernels?|drivers?|toolkits?|firmware|compilers?|gcc|cmake|python|cuda|rocm|cann|pytorch|torch|linux|ubuntu|os|sdk"
)
_VERSION: Final = Expected(
    VERSION,
    re.compile(
        rf"""
        版本(?!的?(?:区别|差异|不同)) | \bversions?\b | \breleases?\b
      | (?:最低|最老|最旧|最早|最新|最高).{{0,8}}(?:内核|驱动|固件|系统|编译器|工具包)
      | \b(?:oldest|newest|latest|earliest|minimum|minimal|lowest)\b(?:\ [\w-]+){{0,3}}?\ (?:{_SOFTWARE})\b
        """,
        re.VERBOSE,
    ),
    re.compile(r"\d+\.\d+|\bv\d|\brc\d|[<>≥≤]=?\s*\d|\br?\d{3}\b"),
)
_MEASURE: Final = Expected(
    NUMBER,
    re.compile(
        r"""
        \bhow\ (?:wide|fast|small|deep|thick|heavy|strong)\b | \bby\ (?:what\ factor|how)\b | \bat\ which\ number\b
      | \bwhat\ (?:share|fraction|size|ratio|part|rate)\b | 几倍 | 几成 | 百分比 | 比例
      | (?:哪个|什么|默认)\S{0,4}端口 | \b(?:what|which)\b.*\bport\b
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
    definition = Definition.asked_by(clause)
    if definition is not None and definition.is_bare:
        return ()
    if kinds := expected_kinds(clause):
        return kinds
    folded = fold(clause)
    return tuple(kind for kind in (_FORMULA, _VERSION, _MEASURE, _FIGURE) if kind.asked.search(folded))[:1]


def holds(kind: Expected, unit: Unit, stated: frozenset[str], form: Form) -> bool:
    """Whether a unit holds a kind of thing.

    Args:
        kind: wanted.
        unit: read; a table row is told what its columns are.
        stated: numbers, in figures or in words, that the question states itself, which answer nothing.
        form: of the answer.
    """
    if kind.name == VERSION:
        # a row of a table with a column for each version says in which of them it holds
        told = f"{unit.text.folded}\n{unit.row.versions}" if unit.row is not None else unit.text.folded
        others = _NUMBER.sub(lambda match: " " if match.group() in stated else match.group(), told)
        return kind.held.search(others) is not None
    if kind.name != NUMBER:
        if unit.row is None:
            if unit.kind == "code" and kind.is_unit and _has_other_number(unit.text.folded, stated):
                return True  # programs and their settings seldom write units
            return kind.held.search(unit.text.folded) is not None
        # a column named for what is asked says it without its unit
        names = unit.context.folded
        is_named = kind.is_unit and kind.asked.search(names) is not None and _NUMBER.search(unit.text.folded)
        return bool(is_named) or kind.held.search(f"{names}\n{unit.text.folded}") is not None
    text = _without_codes_and_dates(unit.text.folded)
    if form.count:
        text = _HEXADECIMAL.sub(" ", text)
    if _has_other_number(text, stated):
        return kind.held.search(text) is not None
    words = " ".join(word for word in _NUMBER.sub(" ", text).split() if word not in stated)
    return (_PART if form.amount else kind.held).search(words) is not None


@lru_cache(maxsize=_REMEMBERED)
def _without_codes_and_dates(folded: str) -> str:
    return _DATE.sub(" ", _CODE_LIKE.sub(" ", folded))


def _has_other_number(text: str, stated: frozenset[str]) -> bool:
    """Whether a text holds a number that the question does not state itself."""
    return any(number not in stated for number in _NUMBER.findall(text))
