"""The words of a question, what each weighs, and how much of them some text holds.

Latin terms are compared whole (`a100` is not in `a1000`), Chinese ones as they stand in the text, so that passages
need no word segmentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from kb.answer.extract.glossary import NO_VARIANTS, Variants, variants_of
from kb.index.lexical import LexicalIndex
from kb.text import CJK, STOP_WORDS, bigrams, fold, words

_CJK_RUN: Final = re.compile(f"[{CJK}]+")
_LATIN_TOKEN: Final = re.compile(r"[a-z0-9]+(?:[-_./+#][a-z0-9]+)*[+#]*")
# Words that ask or bind and say nothing about the matter.
_EMPTY_ZH: Final = re.compile(
    "请问|什么时候|什么样|为什么|什么|多少|几[个张块种位次台条款颗]?|哪[个些里种家款年]?|怎么样?|怎样|如何|是否|是不是|有没有|能不能|可不可以|可以|"
    "会不会|要不要|需要|吗|呢|吧|啊|的|了|是|在|和|与|及|或|就|都|也|还|那个?|这个?|一个|一下|到底|究竟|定义|分别|大概|大约|"
    "应该|应当|有|用|把|被|让|给|对|从|到|里面?|上面?|中|要|会|能|得|它|其|之|为|各|个|一共|总共|其中|来说|来讲|告诉我|说说|介绍"
)
_KEPT_ZH: Final = re.compile(
    "性能|功能|智能|节能|能力|能量|能耗|能效|上限|上下文|上传|上电|上层|要求|需求|摘要|启用|禁用|停用|应用|占用率?|调用|利用率?|使用率|通用|专用|复用|"
    "用户|用量|用途|有效|有限|生效|中断|中心|会话|对齐|对称|对比|对象|个数|里程|参与|及时|主从|从属|到达|被动|在线|就绪|还原|地址"
)
"""Words of the matter that hold characters of empty ones; they stay whole."""
_MORE_EMPTY_EN: Final = """
    much many get one any there than then also about both between same give given list say said tell show each per use
    used using need which versu versus vs roughly approximately exactly actually respectively currently please
    called named
"""
EMPTY_EN: Final = STOP_WORDS | frozenset(_MORE_EMPTY_EN.split())
RARE: Final = 4.0
"""Weight (idf) of a term that stands in two passages of a hundred or fewer."""
_PARTS_ONLY: Final = 0.8
_VARIANT_PART: Final = 0.85


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
        """Read a text."""
        folded = fold(text)
        return cls(folded, frozenset(words(_CJK_RUN.sub(" ", folded))))


EMPTY: Final = Text("", frozenset())


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question.

    Attributes:
        text: as it is compared.
        weight: how much it tells passages apart.
        joined: other ways to write a Latin term that are as good.
        parts: all of them together are nearly as good.
        variants: words that mean the same.
        is_chinese: it is looked for as it stands.
    """

    text: str
    weight: float
    joined: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    variants: Variants = NO_VARIANTS
    is_chinese: bool = False

    @property
    def crosses(self) -> bool:
        """Whether it can be found in a text of the other language."""
        return not self.is_chinese or bool(self.variants.latin)

    def share_in(self, text: Text) -> float:
        """How much of the term stands in a text, 0–1."""
        if self.is_chinese:
            if self.text in text.folded:
                return 1.0
        elif self.text in text.latin or not text.latin.isdisjoint(self.joined):
            return 1.0
        if self.variants is not NO_VARIANTS and self._varies_in(text):
            return _VARIANT_PART
        if not self.parts or any(part[:1].isdigit() and part not in text.latin for part in self.parts):
            return 0.0
        return _PARTS_ONLY * sum(part in text.latin for part in self.parts) / len(self.parts)

    def _varies_in(self, text: Text) -> bool:
        variants = self.variants
        return not text.latin.isdisjoint(variants.latin) or any(word in text.folded for word in variants.chinese)

    def stands_in(self, text: Text) -> bool:
        """Whether a text names it, all its parts at least."""
        return self.share_in(text) >= _PARTS_ONLY


class TermWeights:
    """Weights of terms in one generation."""

    def __init__(self, lexical: LexicalIndex) -> None:
        self._lexical = lexical
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
        for run in _CJK_RUN.findall(_without_empty(folded)):
            for term in self._chinese(run):
                found.setdefault(term.text, term)
        return tuple(found.values())

    def missed_names(self, terms: Iterable[Term], texts: Sequence[Text]) -> tuple[str, ...]:
        """Rare Latin terms that stand in the corpus and in none of the texts."""
        return tuple(
            term.text
            for term in terms
            if not term.is_chinese
            and term.weight >= RARE
            and self._lexical.words.frequency(term.text)
            and not any(term.stands_in(text) for text in texts)
        )

    def _latin(self, token: str) -> Term | None:
        if token in EMPTY_EN:
            return None
        terms = words(token)
        if not terms:
            return None
        whole, *others = terms
        flat = re.sub(r"[-_/+#.]+(?=[a-z0-9])", "", token)
        joined = tuple(other for other in others if other == flat)
        if whole.endswith("s") and (whole[-2:-1].isdigit() or not self._lexical.words.frequency(whole)):
            joined = (*joined, whole[:-1])  # `H100s`, `TPUs`
        if whole.endswith("ly") and not self._lexical.words.frequency(whole):
            joined = (*joined, whole[:-2])  # `quietly` for `--quiet`
        parts = tuple(other for other in others if other != flat)
        if any(char.isdigit() for char in whole) and not any(part[:1].isdigit() for part in parts):
            parts = ()  # `gddr7` is more than `gddr`
        if whole[-1] in "+#":
            parts = ()  # `tf32+` is another thing than `tf32`
        return Term(whole, self._word(whole), joined, parts, variants_of(whole))

    def _chinese(self, run: str) -> Iterable[Term]:
        if len(run) == 1:
            yield Term(run, self._bigram(run) / 4, variants=variants_of(run), is_chinese=True)
            return
        pieces = [word for word in words(run) if len(word) > 1]
        for word in pieces:
            yield Term(word, self._word(word) / 2, variants=variants_of(word), is_chinese=True)
        inside = {pair for word in pieces for pair in bigrams(word)}
        for pair in bigrams(run):
            weight = self._bigram(pair) / 2
            if pair not in inside:  # it spans two words, which the text may part
                weight = weight / 2 if self._lexical.bigrams.frequency(pair) else 0.0
            if weight:
                yield Term(pair, weight, variants=variants_of(pair), is_chinese=True)


def _without_empty(folded: str) -> str:
    """A Chinese text with the words that only ask or bind left out."""
    pieces: list[str] = []
    position = 0
    for kept in _KEPT_ZH.finditer(folded):
        pieces += [_EMPTY_ZH.sub(" ", folded[position : kept.start()]), kept.group()]
        position = kept.end()
    return "".join((*pieces, _EMPTY_ZH.sub(" ", folded[position:])))


def coverage(terms: Iterable[Term], text: Text) -> float:
    """Part of the terms, by weight, that stand in a text, 0–1."""
    total = reached = 0.0
    for term in terms:
        total += term.weight
        reached += term.weight * term.share_in(text)
    return reached / total if total else 0.0
