"""The words of a question, what each weighs, and how much of them some text holds.

Latin terms are compared whole (`a100` is not in `a1000`), Chinese ones as they stand in the text, so that passages
need no word segmentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from kb.index.lexical import LexicalIndex
from kb.text import CJK, STOP_WORDS, bigrams, fold, words

_CJK_RUN: Final = re.compile(f"[{CJK}]+")
_LATIN_TOKEN: Final = re.compile(r"[a-z0-9]+(?:[-_./+#][a-z0-9]+)*[+#]*")
# Words that ask or bind and say nothing about the matter.
_EMPTY_ZH: Final = re.compile(
    "请问|什么时候|什么样|为什么|什么|多少|几[个张块种位次台条款颗]?|哪[个些里种家款年]?|怎么样?|怎样|如何|是否|是不是|有没有|能不能|可不可以|可以|"
    "会不会|要不要|需要|吗|呢|吧|啊|的|了|是|在|和|与|及|或|就|都|也|还|那个?|这个?|一个|一下|到底|究竟|分别|大概|大约|"
    "应该|应当|有|用|把|被|让|给|对|从|到|里面?|上面?|中|要|会|能|得|它|其|之|为|各|个|一共|总共|其中|来说|来讲|告诉我|说说|介绍"
)
_EMPTY_EN: Final = STOP_WORDS | frozenset(
    "much many get one any there than then also about both between same give given list say said tell show each per "
    "use used using need which versu vs".split()
)
_CONTEXT_PART: Final = 0.6
_PASSAGE_PART: Final = 0.25
_PARTS_ONLY: Final = 0.8


@dataclass(frozen=True, slots=True)
class Text:
    """Some text, ready to be compared.

    Attributes:
        folded: as `kb.text.fold` gives it.
        latin: its Latin terms.
    """

    folded: str
    latin: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Text:
        folded = fold(text)
        return cls(folded, frozenset(words(_CJK_RUN.sub(" ", folded))))


EMPTY: Final = Text("", frozenset())


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question.

    Attributes:
        text: as it is compared.
        weight: how much it tells passages apart.
        variants: any of them is as good (for codes and figures with parts).
        parts: all of them together are nearly as good.
        is_chinese: it is looked for as it stands.
    """

    text: str
    weight: float
    variants: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    is_chinese: bool = False

    def share_in(self, text: Text) -> float:
        """How much of the term stands in a text, 0–1."""
        if self.is_chinese:
            return 1.0 if self.text in text.folded else 0.0
        if self.text in text.latin or any(variant in text.latin for variant in self.variants):
            return 1.0
        if not self.parts:
            return 0.0
        return _PARTS_ONLY * sum(part in text.latin for part in self.parts) / len(self.parts)


class TermWeights:
    """Weights of terms in one generation."""

    def __init__(self, lexical: LexicalIndex) -> None:
        self._word: Callable[[str], float] = lru_cache(maxsize=4096)(lexical.words.idf)
        self._bigram: Callable[[str], float] = lru_cache(maxsize=4096)(lexical.bigrams.idf)

    def terms(self, text: str) -> tuple[Term, ...]:
        """The terms of a question or a part of it, each once, with words that only ask left out."""
        folded = fold(text)
        found: dict[str, Term] = {}
        for token in _LATIN_TOKEN.findall(folded):
            term = self._latin(token)
            if term is not None:
                found.setdefault(term.text, term)
        for run in _CJK_RUN.findall(_EMPTY_ZH.sub(" ", folded)):
            for term in self._chinese(run):
                found.setdefault(term.text, term)
        return tuple(found.values())

    def _latin(self, token: str) -> Term | None:
        if token in _EMPTY_EN:
            return None
        whole, *others = words(token) or [""]
        if not whole or whole in _EMPTY_EN:
            return None
        joined = tuple(other for other in others if other == re.sub(r"[-_/+#.]+", "", token))
        parts = tuple(other for other in others if other not in joined)
        return Term(whole, self._word(whole), joined, parts)

    def _chinese(self, run: str) -> Iterable[Term]:
        if len(run) == 1:
            yield Term(run, self._bigram(run) / 4, is_chinese=True)
            return
        pieces = [word for word in words(run) if len(word) > 1]
        for word in pieces:
            yield Term(word, self._word(word) / 2, is_chinese=True)
        for pair in bigrams(run):
            yield Term(pair, self._bigram(pair) / 2, is_chinese=True)


def coverage(terms: Iterable[Term], own: Text, context: Text = EMPTY, passage: Text = EMPTY) -> float:
    """Part of the terms, by weight, that stand in a text, 0–1.

    Args:
        terms: of the question.
        own: the text.
        context: headings, the line that leads to it, its table's header: what stands there counts less.
        passage: what stands around: counts little.
    """
    total = reached = 0.0
    for term in terms:
        total += term.weight
        reached += term.weight * max(
            term.share_in(own),
            _CONTEXT_PART * term.share_in(context),
            _PASSAGE_PART * term.share_in(passage),
        )
    return reached / total if total else 0.0
