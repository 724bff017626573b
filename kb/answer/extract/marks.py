"""Signs in table cells that say yes or no (`✅`, `No`, `不支持`), and questions that ask for rows with one of them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from kb.text import fold

Mark = Literal["yes", "no", "untested", "experimental"]
"""What a cell says of a thing: it has it, lacks it, nobody tried, or it is not finished."""

_SIGNS: Final[dict[str, Mark]] = {
    **dict.fromkeys(("✅", "✓", "✔", "✔️", "√", "yes", "y", "true", "是", "支持", "有", "supported", "⭕"), "yes"),
    **dict.fromkeys(("❌", "✗", "✘", "×", "x", "no", "n", "false", "否", "不支持", "无", "not supported"), "no"),
    **dict.fromkeys(("🟡", "untested", "not tested", "need test", "待测试", "未测试", "未验证"), "untested"),
    **dict.fromkeys(("🔵", "experimental", "实验性", "实验"), "experimental"),
}
_NOTE: Final = re.compile(r"[\s*†‡¹²³\\]+$|\s*\(\d+\)$|\[\d+\]$")
_ASKED: Final[tuple[tuple[Mark, re.Pattern[str]], ...]] = (
    (
        "untested",
        re.compile(r"\b(?:not|un)[- ]?(?:yet )?(?:tested|verified)\b|\bneed test|未测试|未验证|没有?测试|待测试"),
    ),
    ("experimental", re.compile(r"\bexperimental\w*\b|实验")),
    (
        "no",
        re.compile(
            r"\b(?:not|n't|no|never|without|lacks?|lacking|unsupported)\b|不(?:能|可|支持|提供|具备|兼容)|没有?(?:\S{0,4})(?:支持|提供)|缺少?"
        ),
    ),
    ("yes", re.compile(r"\b(?:support|offer|provide|compatib)\w*|支持|提供|具备|兼容")),
)


@lru_cache(maxsize=8192)
def mark_of(cell: str) -> Mark | None:
    """What a cell that holds a sign and nothing else says."""
    return _SIGNS.get(_NOTE.sub("", fold(cell).strip("`*_ ")).strip())


@lru_cache(maxsize=1024)
def mark_asked(question: str) -> Mark | None:
    """The sign that rows must carry to answer a question; None where it asks for none."""
    folded = fold(question)
    return next((mark for mark, pattern in _ASKED if pattern.search(folded)), None)
