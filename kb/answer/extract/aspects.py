"""The parts of a question: what each asks, by which words, and what kind of thing would answer it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.answer.expected import Expected, expected_kinds
from kb.answer.extract.glossary import is_vendor
from kb.answer.extract.terms import Term, TermWeights, Text
from kb.retrieval.query import codes_in
from kb.text import fold, language_of, stem, words
from kb.types import Language

Weights = NDArray[np.float64]

_SHARED_PART: Final = 0.4
"""What a word of another part of the question weighs for this part."""

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_NAME_ZH: Final = re.compile(r"[A-Za-z][\w.+-]+")
_NAME_EN: Final = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w.+-]+|\b\w+[A-Z][\w.+-]*")

_VERSION: Final = Expected(
    "version",
    re.compile(r"版本|\bversions?\b|\breleases?\b"),
    re.compile(r"\d+\.\d+|\bv\d|\brc\d|[<>≥≤]=?\s*\d"),
)
_FORMULA: Final = Expected(
    "formula",
    re.compile(r"公式|怎么算|如何计算|怎样计算|怎么计算|\bformula\b|\bhow (?:is|are|do i|to)\b.*\b(?:comput|calculat)"),
    re.compile(r"[=×÷≈]|\w / \w| x "),
)
_MEASURE: Final = Expected(
    "number",
    re.compile(
        r"\bhow (?:wide|fast|small|deep|thick|heavy|strong)\b|\bby (?:what factor|how)\b|\bwhat (?:share|fraction|size|ratio|part|rate)\b"
        r"|\bat which number\b|几倍|几成|百分比|比例"
    ),
    re.compile(
        r"\d|\w+fold\b|\b(?:one|two|three|four|five|six|eight|ten|half|twice|doubl\w+|halv\w+|third|quarter)\b|[一二两三四五六七八九十]倍|分之|翻倍|减半|一半"
    ),
)
_FIGURE: Final = Expected(
    "number",
    re.compile(
        r"^(?!.*(?:为什么|怎么|如何|吗|是否|哪|什么|区别|不同|影响|\bwhy\b|\bhow\b|\bwhich\b|\bdo(?:es)?\b|\bis\b.*\bthe same|\bdiffer)).*"
        r"(?:带宽|容量|算力|频率|延迟|峰值|\bbandwidth|\bcapacity|\bfrequency|\bpeak\b|\bthroughput|\btflops|\bprice)"
    ),
    re.compile(r"\d"),
)
"""A property that is told in figures."""
_SENTENCE_END: Final = re.compile(r"(?<=[？?])|[；;。！!\n]+|(?<=[^\d])\.\s+")
_CLAUSE_END: Final = re.compile(r"，\s*(?=\S)|(?<!\d),\s*(?=\S)|,\s+(?=\S)|(?<=[吗呢])[、 ]")
_PARENTHESES: Final = re.compile(r"[（(]([^（()）]*)[)）]")
_NEXT_ASKED_EN: Final = re.compile(
    r",?\s+(?:and|or)\s+(?=(?:what|which|how|who|when|where|why|does|do|did|is|are|can|its|at what|from which|in which)\b)",
    re.IGNORECASE,
)
_NEXT_ASKED_ZH: Final = re.compile(r"、(?=[^、，。？?]*(?:多少|几|什么|哪|多大|多高|多长|多久|吗|呢|如何|怎么))")
_ASKS: Final = re.compile(
    r"多少|几|什么|哪|吗|呢|谁|如何|怎么|怎样|怎麼|为什么|为何|是否|能否|可否|是不是|有没有|能不能|会不会|要不要|何时|多[大高长久快远宽深重]|"
    r"\b(?:what|which|how|who|whom|whose|when|where|why|does|do|did|is|are|was|were|can|could|should|will|would|has|have)\b",
    re.IGNORECASE,
)
_CONJUNCTION: Final = re.compile(r"和|与|以及|及|、|,\s+|\s+(?:and|or|vs\.?|versus)\s+|/(?=[A-Za-z]{2})", re.IGNORECASE)
_NO_NOUN: Final = (
    r"(?!(?:is|was|does|has|this|its|gives|gets|uses|needs|series|class|bus|loss|access|process|address|status)\b)"
)
_LIST: Final = re.compile(
    r"哪些|哪几|有什么(?!不同|区别|用|好处)|包括|包含|列出|分别|步骤|顺序|流程|\blist\b|\bsteps\b"
    rf"|\b(?:which|what) {_NO_NOUN}(?:{_NO_NOUN}[\w.-]+ ){{0,2}}{_NO_NOUN}\w{{3,}}s\b",
    re.IGNORECASE,
)
_HOW: Final = re.compile(r"怎么(?!样)|如何|怎样|命令|\bhow (?:do|can|to|should)\b|\bcommand", re.IGNORECASE)
_COMMAND: Final = re.compile(
    _HOW.pattern
    + r"|指令|[哪什]\S{0,2}(?:参数|选项|变量)|环境变量|设成|\bflag\b|\bsetting\b|\bvariable\b|\boption\b|\bconfig",
    re.IGNORECASE,
)
_YES_NO: Final = re.compile(
    r"吗|是否|能否|可否|是不是|有没有|能不能|会不会|要不要|(?:^|[.?!,:]\s+)(?:does|do|did|is|are|was|were|can|could|should|will|has|have)\b",
    re.IGNORECASE,
)
_EXPLANATION: Final = re.compile(
    r"为什么|为何|原因|区别|差别|不同|是什么(?!版本|型号|时候)|什么是|什么意思|指什么|原理|怎么办|如何|怎么|怎样|\bwhy\b|\bwhat (?:is|are|does)\b.*\b(?:mean|do)\b"
    r"|\bdifferen|\bhow (?:do|does|did|can|should|to)\b|\bexplain",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing a question asks.

    Attributes:
        text: its words.
        focus: weight of each of the question's terms that stands in these words, 0 for the others.
        weights: the same, with the others at a part of their weight.
        kinds: of answer that it wants.
        codes: card and part numbers in its words.
    """

    text: str
    focus: Weights
    weights: Weights
    kinds: tuple[Expected, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, taken apart.

    Attributes:
        text: all of it.
        language: of its words.
        terms: all its terms.
        weights: of the terms.
        names: which terms are names: latin words in a Chinese question, capitalised ones in an English one.
        aspects: at least one.
        kinds: of answer, where there is one aspect.
        codes: card and part numbers.
        numbers: figures it states itself.
        wants_amount: it asks how much, so that a figure must answer, not a word such as `two`.
        wants_list, wants_command, wants_explanation, wants_yes_or_no: what form the answer should have.
    """

    text: str
    language: Language
    terms: tuple[Term, ...]
    weights: Weights
    names: frozenset[int]
    aspects: tuple[Aspect, ...]
    kinds: tuple[Expected, ...]
    codes: tuple[str, ...]
    numbers: frozenset[str]
    wants_amount: bool
    wants_list: bool
    wants_command: bool
    wants_explanation: bool
    wants_yes_or_no: bool

    @classmethod
    def read(cls, question: str, weighing: TermWeights) -> Asked:
        """Take a question apart."""
        terms = weighing.terms(question)
        weights = np.array([term.weight for term in terms], np.float64)
        wants_command = _COMMAND.search(question) is not None
        wants_explanation = _EXPLANATION.search(question) is not None
        is_how = _HOW.search(question) is not None
        parts = (
            (part, kinds)
            for clause in _asking(question)
            for kinds in [() if is_how else _kinds(clause)]
            for part in ([clause] if wants_explanation else _conjuncts(clause))
        )
        aspects = tuple(_aspect(part, kinds, terms, weights) for part, kinds in parts)
        aspects = tuple(aspect for aspect in aspects if aspect.focus.any())
        if not aspects:
            aspects = (_aspect(question, () if is_how else _kinds(question), terms, weights),)
        return cls(
            question,
            language_of(question),
            terms,
            weights,
            _names(question, terms),
            aspects,
            aspects[0].kinds if len(aspects) == 1 else (),
            codes_in(question),
            frozenset(_NUMBER.findall(fold(question))),
            wants_amount="how much" in fold(question),
            wants_list=_LIST.search(question) is not None,
            wants_command=wants_command,
            wants_explanation=wants_explanation,
            wants_yes_or_no=_YES_NO.search(question) is not None,
        )

    def standalone(self, aspect: Aspect) -> str:
        """A part of the question that can be searched alone: with the names that stand in the other parts."""
        own = fold(aspect.text)
        names = [self.terms[number].text for number in sorted(self.names)]
        return " ".join((*(name for name in names if name not in own), aspect.text))


def _aspect(part: str, kinds: tuple[Expected, ...], terms: tuple[Term, ...], weights: Weights) -> Aspect:
    text = Text.of(part)
    own = np.array([term.share_in(text) == 1 for term in terms], np.bool_)
    focus = np.where(own, weights, 0)
    return Aspect(part, focus, np.where(own, weights, weights * _SHARED_PART), kinds, codes_in(part))


def _names(question: str, terms: tuple[Term, ...]) -> frozenset[int]:
    pattern = _NAME_ZH if language_of(question) == "zh" else _NAME_EN
    named = {stem(word) for match in pattern.findall(question) for word in words(match)}
    return frozenset(
        number
        for number, term in enumerate(terms)
        if is_vendor(term.text) or (not term.is_chinese and term.text in named)
    )


def _kinds(clause: str) -> tuple[Expected, ...]:
    kinds = expected_kinds(clause)
    if kinds:
        return kinds
    folded = fold(clause)
    return tuple(kind for kind in (_FORMULA, _VERSION, _MEASURE, _FIGURE) if kind.asked.search(folded))[:1]


def _asking(question: str) -> list[str]:
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


def _conjuncts(clause: str) -> list[str]:
    parts = [part.strip() for part in _CONJUNCTION.split(clause)]
    return [part for part in parts if part and fold(part)] or [clause]
