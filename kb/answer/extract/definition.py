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


_MOST_WORDS: Final = 4
_AND: Final = re.compile(r"\s+(?:and|与|和)\s+|[与和、/]")


def term_of(text: str) -> str:
    """A term as headings and questions are compared: folded, in one spelling of its spaces."""
    return " ".join(re.split(r"[\s\-]+", fold(text).strip(" \t*`")))


@lru_cache(maxsize=4096)
def terms_headed(heading: str) -> frozenset[str]:
    """The things that a heading names and nothing else: "RDMA and GPUDirect RDMA", "MIG (multi-instance GPU)"."""
    named = [*re.findall(r"[(（]([^)）]+)[)）]", heading), re.sub(r"[(（][^)）]*[)）]", " ", heading)]
    parts = [part for name in named for part in (name, *_members(name))]
    return frozenset(term for part in parts if (term := term_of(part)))


def _members(name: str) -> list[str]:
    """What a name of several things joins; what is long is no name."""
    members = _AND.split(name)
    return members if all(len(member.split()) <= _MOST_WORDS for member in members) else []


@dataclass(frozen=True, slots=True)
class Definition:
    """What a question wants defined.

    Attributes:
        term: the thing, folded.
        is_bare: it asks of the thing itself, not of a thing's property (`the bandwidth of the T4`).
        says: finds the thing at the start of a text, followed by words that say what it is.
    """

    term: str
    is_bare: bool
    says: re.Pattern[str]

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
            term=term_of(found["term"]),
            is_bare=is_bare,
            says=re.compile(start + _SAYS_WHAT),
        )

    def is_given_by(self, item: Candidate) -> bool:
        """Whether a unit says what the thing is, or opens the section that is about nothing else."""
        if item.unit.row is not None:
            return False
        is_opening = item.number == 0 and self.term in terms_headed(item.passage.heading)
        return is_opening or self.says.match(item.unit.text.folded) is not None
