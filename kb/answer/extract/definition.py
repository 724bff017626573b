"""Questions that ask what a thing is, and the words that say it: "什么是张量并行？", "What is a warp?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from kb.answer.extract.candidate import Candidate
from kb.text import fold

_TERM: Final = r"(?P<term>[^,，。;；?？!！:：]{1,40}?)"
_ASKS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:请问|那么?)?(?:什么是|什么叫做?|何为|何谓|(?:请?解释|介绍)一?下(?:什么是)?){_TERM}[?？。]?",
        rf"(?:请问|那么?)?{_TERM}(?:到底|究竟)?(?:是(?:什么|啥|个?什么东西)(?:意思|技术|东西)?|指的?是?什么|什么意思"
        r"|是(?:做|干)什么(?:用)?的)[?？。]?",
        rf"what(?:'s| is| are) (?:an? |the )?{_TERM}(?: in (?:a |an )?gpus?)?\??",
        rf"what (?:does|do) (?:an? |the )?{_TERM} (?:mean|stand for|do)\??",
        rf"(?:please )?(?:define|explain)(?: what)? (?:an? |the )?{_TERM}(?: is| are| means?)?[.?]?",
    )
)
_PROPERTY: Final = re.compile(r"的|\b(?:of|for|in|on|per|between|with)\b|\d\s*(?:个|张|块)")
_FULL_NAME: Final = r"(?:\s*[(（][^)）]{1,60}[)）])?"
_SAYS_WHAT: Final = r"\s*(?:是(?!否|不是)|指|即|(?:is|are) (?!not\b)|means?\b|stands? for\b|refers? to\b|denotes?\b)"


@dataclass(frozen=True, slots=True)
class Definition:
    """What a question wants defined.

    Attributes:
        is_bare: it asks of the thing itself, not of a thing's property (`the bandwidth of the T4`).
        opens: finds the thing at the start of a text.
        says: the same, followed by words that say what it is.
        heads: finds a heading that is nothing but the thing.
    """

    is_bare: bool
    opens: re.Pattern[str]
    says: re.Pattern[str]
    heads: re.Pattern[str]

    @classmethod
    @lru_cache(maxsize=256)
    def asked_by(cls, question: str) -> Definition | None:
        """None where a question asks for something else."""
        folded = fold(question).strip()
        found = next(filter(None, (pattern.fullmatch(folded) for pattern in _ASKS)), None)
        if found is None:
            return None
        term = r"[\s\-]*".join(map(re.escape, re.split(r"[\s\-]+", found["term"].strip())))
        start = rf"\W{{0,3}}(?:(?:an?|the) )?{term}s?{_FULL_NAME}"
        is_bare = _PROPERTY.search(found["term"]) is None
        return cls(
            is_bare=is_bare,
            opens=re.compile(rf"{start}(?![a-z0-9])"),
            says=re.compile(start + _SAYS_WHAT),
            heads=re.compile(start + r"\W*"),
        )

    def is_given_by(self, item: Candidate) -> bool:
        """Whether a unit says what the thing is, or opens the section that is about nothing else."""
        text = item.unit.text.folded
        if item.unit.row is not None or self.opens.match(text) is None:
            return False
        return self.says.match(text) is not None or (
            item.number == 0 and self.heads.fullmatch(fold(item.passage.heading)) is not None
        )
