"""Questions in one message that have nothing to do with each other: "… of the GTX 980? And which chips has Pascal?"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from kb.answer.extract.clauses import asks
from kb.answer.extract.glossary import is_vendor
from kb.retrieval.query import codes_in
from kb.text import words

_END: Final = re.compile(r"(?<=[？?；;！!])\s*|(?<=。)|(?<=\?)\s+")
_LEANS: Final = re.compile(
    r"呢[？?]?$|^(?:and|or|what about|how about)\b(?! \w+ (?:is|are|does|do)\b)|^(?:那|还有|另外)"
    r"|它|该[卡芯模型文]|(?<!那)其(?!他|它|中|余|实)|这(?!篇|本|份|些文)|(?:同|这)一[张个款]"
    r"|\b(?:it|its|they|their|them|this|that|these|those|same|one)\b",
    re.IGNORECASE,
)
"""Words by which a question leans on the one before it."""
_MOST: Final = 3


def hops_of(question: str, is_title: Callable[[str], bool]) -> tuple[str, ...]:
    """The questions, each about names of its own; empty where there is one, or one leans on another.

    Args:
        question: the whole message.
        is_title: whether a term is part of the name of few documents.
    """
    parts = [part.strip() for part in _END.split(question) if part.strip()]
    if not 1 < len(parts) <= _MOST or not all(asks(part) for part in parts):
        return ()
    names = [_names(part, is_title) for part in parts]
    for number, own in enumerate(names):
        others = frozenset[str]().union(*(other for place, other in enumerate(names) if place != number))
        if not own - others or _LEANS.search(parts[number]):
            return ()
    return tuple(parts)


def _names(part: str, is_title: Callable[[str], bool]) -> frozenset[str]:
    """Cards, vendors and documents that a question names."""
    terms = words(part)
    return frozenset(
        (*codes_in(part), *(term for term in terms if is_vendor(term) or (term.isascii() and is_title(term))))
    )
