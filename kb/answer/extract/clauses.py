"""Taking a question apart: the clauses that ask, and the things that one clause asks about together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SENTENCE_END: Final = re.compile(r"(?<=[？?])|[；;。！!\n]+|(?<=[^\d])\.\s+")
_CLAUSE_END: Final = re.compile(r"，\s*(?=\S)|(?<!\d),\s*(?=\S)|,\s+(?=\S)|(?<=[吗呢])[、 ]")
_PARENTHESES: Final = re.compile(r"[（(]([^（()）]*)[)）]")
_NEXT_ASKED_EN: Final = re.compile(
    r",?\s+(?:and|or)\s+"
    r"(?=(?:what|which|how|who|when|where|why|does|do|did|is|are|can|its|at what|from which|in which)\b)",
    re.IGNORECASE,
)
_NEXT_ASKED_ZH: Final = re.compile(r"、(?=[^、，。？?]*(?:多少|几|什么|哪|多大|多高|多长|多久|吗|呢|如何|怎么))")
_ASKS: Final = re.compile(
    r"多少|几|什么|哪|吗|呢|谁|如何|怎么|怎样|为什么|为何|是否|能否|可否|是不是|有没有|能不能|会不会|要不要|何时|多[大高长久快远宽深重]"
    r"|\b(?:what|which|how|who|whom|whose|when|where|why)\b"
    r"|(?:^|:)\s*(?:and |or |but )?(?:does|do|did|is|are|was|were|can|could|should|will|would|has|have)\b",
    re.IGNORECASE,
)
_CONJUNCTION: Final = re.compile(
    r"以及|(?<![饱共缓温总调附])和(?![谐平解睦])|(?<!参)与(?!否)|(?<![普涉触波提])及(?![时格其])|、|,\s+"
    r"|\s+(?:and|or|vs\.?|versus)\s+|/(?=[A-Za-z]{2})",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether a text asks something."""
    return _ASKS.search(text) is not None


def asking_clauses(question: str) -> list[str]:
    """The clauses that ask; those that only lead to the question are left out."""
    asked: list[str] = []
    everything: list[str] = []
    for sentence in _SENTENCE_END.split(_PARENTHESES.sub(" ", question)):
        clauses = [clause for clause in _clauses(sentence) if clause.strip()]
        everything += clauses
        first = next((number for number, clause in enumerate(clauses) if _ASKS.search(clause)), None)
        if first is None and (asked or sentence.rstrip().endswith(("?", "？"))):
            first = 0
        if first is not None:
            asked += clauses[first:]
    return asked or everything


def _clauses(sentence: str) -> Iterator[str]:
    for part in _CLAUSE_END.split(sentence):
        for clause in _NEXT_ASKED_EN.split(part):
            yield from _NEXT_ASKED_ZH.split(clause)


def conjuncts(clause: str) -> list[str]:
    """What a clause asks about, one by one: `CANN 和驱动版本` asks for two things."""
    return [part.strip() for part in _CONJUNCTION.split(clause) if part.strip()] or [clause]
