"""The clauses of a question: stretches between separators, with the words found in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kb.answer.question.scanner import BLANK, Hit, Tag, is_latin
from kb.text import CJK

_CLAUSE_END = re.compile(
    r"(?<=[吗呢啊])[ ]+|[ ]+(?=为什么|为啥|为何)|:(?!\d)|"
    r"[，,；;。？?！!\n]|\.(?=\s|$)|\b(?:and then|as well as)\b|以及|并且|然后|顺便|另外"
)
_OPEN_QUESTION = re.compile(r"多少|几[个张款颗路槽]|哪|什么|何时|\b(?:how|what|which|when|who)\b")
_VERB_FIRST = re.compile(
    r"^\W*(?:so\s+|and\s+|then\s+)?(?:does|do|did|is|are|was|were|has|have|can|could|will)\b|.*\b(?:right|correct|true)\W*$"
)
_CJK_RUN = re.compile(f"[{CJK}]+")
_LATIN_RUN = re.compile(r"[a-z][a-z0-9'’]*|\d[a-z0-9.]*")
_WHICH = {"哪些", "哪几种", "哪几个", "哪种", "which", "which ones", "list"}
_STEPS = {"开启", "打开", "部署", "升级", "优化", "调优", "安装"}
_IS_DONE = re.compile(r"[^，,。？?！!；;]{0,16}?(?:之后|以后|后(?!端|续|面)|的话|的情况下|时(?!间|钟|延))")
_WORD = re.compile(f"\\s*[{CJK}]")


@dataclass(slots=True)
class Clause:
    """A stretch of a question between separators, with the words found in it."""

    start: int
    end: int
    text: str
    hits: list[Hit] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[Hit]:
        """Its words of that kind."""
        return [hit for hit in self.hits if hit.is_a(kind)]

    def has(self, *kinds: str) -> bool:
        """Whether it has a word of any of those kinds."""
        for hit in self.hits:
            for tag in hit.tags:
                if tag.kind in kinds:
                    return True
        return False

    @property
    def asks_yes_no(self) -> bool:
        """Whether it wants a yes or a no: it has a Chinese question word for that, or begins with an English verb."""
        if _OPEN_QUESTION.search(self.text):
            return False
        hits = self.of_kind("yes_no")
        return any(not hit.text.isascii() for hit in hits) or bool(_VERB_FIRST.match(self.text))

    def modifiers(self) -> set[str]:
        """Values of its modifiers."""
        return {hit.value("modifier") for hit in self.hits if hit.is_a("modifier")}


def split_clauses(masked: str, hits: Sequence[Hit]) -> list[Clause]:
    """The clauses of a folded text, each with the words that stand in it."""
    clauses: list[Clause] = []
    start = 0
    bounds = [(match.start(), match.end()) for match in _CLAUSE_END.finditer(masked)] + [(len(masked), len(masked) + 1)]
    for stop, following in bounds:
        if stop > start:
            clause = Clause(start, following, masked[start:stop])
            clause.hits = [hit for hit in hits if start <= hit.start < following]
            clauses.append(clause)
        start = following
    return clauses or [Clause(0, len(masked) + 1, masked)]


def is_open(clause: Clause) -> bool:
    """Whether it has a question word."""
    return _OPEN_QUESTION.search(clause.text) is not None


def explains(clause: Clause) -> bool:
    """Whether a clause asks why, how or what something is: documents answer, the catalogue does not."""
    if clause.has("why", "explain", "sizing"):
        return True
    return clause.has("how") and not clause.has("compare", "overview", "convert")


def unexplained_words(masked: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Words of substance that no entry of the vocabulary accounts for, in order."""
    chars = list(masked)
    for hit in hits:
        for i in range(hit.start, hit.end):
            chars[i] = BLANK
    rest = "".join(chars)
    found = [(match.start(), match.group()) for match in _CJK_RUN.finditer(rest)]
    found += [
        (match.start(), match.group())
        for match in _LATIN_RUN.finditer(rest)
        if not (match.start() and is_latin(rest[match.start() - 1])) and len(match.group()) > 1
    ]
    return tuple(word for _, word in sorted(found))


def without_conditions(masked: str, hits: Sequence[Hit]) -> list[Hit]:
    """Hits in which a step that is taken first asks for no instructions ("开启稀疏之后能到多少")."""
    kept: list[Hit] = []
    for hit in hits:
        if hit.is_a("how") and hit.text.strip() in _STEPS and _IS_DONE.match(masked, hit.end):
            hit = replace(hit, tags=tuple(tag for tag in hit.tags if tag.kind != "how") or (Tag("filler"),))
        kept.append(hit)
    return kept


def without_things(masked: str, hits: Sequence[Hit]) -> list[Hit]:
    """Hits in which "which" and "哪些" ask for cards only where no other noun follows ("哪些格式", "which formats")."""
    kept: list[Hit] = []
    for position, hit in enumerate(hits):
        if hit.is_a("filter") and hit.text in _WHICH:
            # A vendor may stand between: "which AMD generation", "哪种英伟达架构".
            following = next((later for later in hits[position + 1 :] if not later.is_a("vendor")), None)
            gap = masked[hit.end : following.start if following else len(masked)]
            names_a_thing = following is not None and following.is_a("thing") and not following.is_a("role")
            vendors = any(later.is_a("vendor") for later in hits[position + 1 : position + 2])
            if (_WORD.match(gap) and not vendors) or (names_a_thing and (vendors or not gap.strip())):
                kinds = tuple(tag for tag in hit.tags if tag.kind != "filter")
                hit = replace(hit, tags=(*kinds, Tag("which_thing")))
        kept.append(hit)
    return kept
