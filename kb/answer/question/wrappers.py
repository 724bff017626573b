"""Instructions to the service wrapped around a question: they are data, never followed.

The catalogue's answers cannot be talked into anything; all this does is keep an instruction's words from being
mistaken for part of the question.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kb.answer.question.table import read_table

_CLAUSE_END = re.compile(r"[。！？!?；;\n，,]|\.(?=\s|$)|[：:](?=\s)")
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"]*\"|‘[^’]*’|<!--.*?-->", re.DOTALL)
_TURN = re.compile(
    r"\b(?:and|then|also|but|afterwards?|finally)\b|然后|之后再|接着|再|并且|并|顺便|另外|最后", re.IGNORECASE
)
_TOLD = re.compile(
    r"\s*(?:please\s+|just\s+|simply\s+|请|就|直接|只)?"
    r"(?:say|claim|state|insist|pretend|answer|reply|write|output|tell (?:me|them|the user) that"
    r"|说|声称|回答|宣称|输出|编(?!号|码|译|程|解)|谎称|告诉(?:我|用户))",
    re.IGNORECASE,
)
"""What is told to be said, right after an instruction: it goes with it, figures included."""
_ASKS = re.compile(r"[?？]|多少|几|什么|哪|\b(?:what|how|which|when|who)\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _markers() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in read_table()["instructions"]), re.IGNORECASE)


def unwrap(text: str) -> tuple[str, bool]:
    """The question with instructions to the service blanked, length kept, and whether there were any."""
    found = list(_markers().finditer(text))
    if not found:
        return text, False
    chars = list(text)
    for quote in _QUOTED.finditer(text):
        _blank(chars, quote.start(), quote.end())
    for match in found:
        start, end = _clause(text, match.start(), match.end())
        turn = next((t for t in _TURN.finditer(text, match.end(), end)), None)
        if turn is not None and (not _TOLD.match(text, turn.end()) or _ASKS.search(text, turn.end(), end)):
            end = turn.end()
        elif (told := _TOLD.match(text, end)) is not None:
            further = _clause(text, told.start(), told.end())[1]
            end = end if _ASKS.search(text, told.end(), further) else further
        _blank(chars, start, end)
    return "".join(chars), True


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    begin = 0
    for match in _CLAUSE_END.finditer(text, 0, start):
        begin = match.end()
    after = _CLAUSE_END.search(text, end)
    return begin, after.end() if after else len(text)


def _blank(chars: list[str], start: int, end: int) -> None:
    for i in range(start, end):
        if chars[i] not in "。！？!?\n":
            chars[i] = " "
