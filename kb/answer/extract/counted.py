"""What a question asks the number of, and texts that tell it: `how many NVSwitches`, `four NVSwitch chips`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from kb.text import fold

_ASKED_EN: Final = re.compile(r"\bhow many ((?:[\w-]+ ){0,2}?)([\w-]{3,}s)\b")
_ASKED_ZH: Final = re.compile(r"(?:几|多少)[个块张条路种枚颗组台座项]\s?([a-z][\w-]*|[\u4e00-\u9fff]{2,4})")
_NUMBER_EN: Final = r"(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen)"
_NUMBER_ZH: Final = r"(?:\d[\d,.]*|[一二两三四五六七八九十百千万]+)"
_PLURAL: Final = re.compile(r"(?:(?<=ch|sh|ss)es|(?<=x)es|s)$")


@lru_cache(maxsize=1024)
def counted_in(part: str) -> re.Pattern[str] | None:
    """Finds, in folded text, a number of the things that a part of a question asks how many there are of."""
    folded = fold(part)
    if match := _ASKED_EN.search(folded):
        noun = re.escape(_PLURAL.sub("", match.group(2)))
        return re.compile(rf"\b{_NUMBER_EN} (?:(?!per\b|of\b)[\w-]+ ){{0,2}}{noun}(?:e?s)?\b")
    if match := _ASKED_ZH.search(folded):
        noun = re.escape(match.group(1))
        return re.compile(rf"{_NUMBER_ZH}\s?[个块张条路种枚颗组台座项]?\s?[^，。；,;]{{0,6}}?{noun}")
    return None


@lru_cache(maxsize=1024)
def counted_phrase(part: str) -> str:
    """The words for those things: `tensor cores`; empty where a part does not ask how many there are."""
    folded = fold(part)
    if match := _ASKED_EN.search(folded):
        return f"{match.group(1)}{match.group(2)}"
    match = _ASKED_ZH.search(folded)
    return match.group(1) if match else ""
