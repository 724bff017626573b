"""The parts of a question: what each asks, by which words, and what kind of thing would answer it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from kb.answer.expected import Expected, expected_kinds
from kb.answer.extract.terms import Term, TermWeights
from kb.retrieval.query import codes_in
from kb.text import fold

_SHARED_PART: Final = 0.4
"""What a word of another part of the question weighs for this part."""

_CLAUSE_END: Final = re.compile(r"[？?；;。！!\n]+|(?<=[^\d])\.\s+|[，,]\s*(?=\S)|(?<=[吗呢])[、 ]")
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
_CONJUNCTION: Final = re.compile(
    r"和|与|以及|及|、|\s*,\s*|\s+(?:and|or|vs\.?|versus)\s+|/(?=[A-Za-z]{2})", re.IGNORECASE
)
_LIST: Final = re.compile(
    r"哪些|哪几|有什么|包括|包含|列出|分别|步骤|顺序|流程|\b(?:which|what) (?:\w+ ){0,3}\w+s\b|\blist\b|\bsteps\b",
    re.IGNORECASE,
)
_COMMAND: Final = re.compile(
    r"命令|指令|怎么(?!样)|如何|怎样|参数|设置|配置|环境变量|\bcommand|\bhow (?:do|can|to|should)\b|\bflag\b|\bset\b|\bvariable\b|"
    r"\boption\b|\bconfig",
    re.IGNORECASE,
)
_EXPLANATION: Final = re.compile(
    r"为什么|为何|原因|区别|差别|不同|是什么(?!版本|型号|时候)|什么是|什么意思|指什么|原理|怎么办|如何|怎么|怎样|\bwhy\b|\bwhat (?:is|are|does)\b.*\b(?:mean|do)\b"
    r"|\bdifferen|\bhow (?:do|does|can|should|to)\b|\bexplain",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing a question asks.

    Attributes:
        text: its words.
        focus: terms of these words; how well a text holds them says whether it speaks of this aspect.
        terms: the same and, with less weight, those of the rest of the question.
        kinds: of answer that it wants.
        codes: card and part numbers in its words.
    """

    text: str
    focus: tuple[Term, ...]
    terms: tuple[Term, ...]
    kinds: tuple[Expected, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, taken apart.

    Attributes:
        text: all of it.
        terms: all its terms.
        aspects: at least one.
        kinds: of answer, of all aspects together.
        codes: card and part numbers.
        wants_list, wants_command, wants_explanation: what form the answer should have.
    """

    text: str
    terms: tuple[Term, ...]
    aspects: tuple[Aspect, ...]
    kinds: tuple[Expected, ...]
    codes: tuple[str, ...]
    wants_list: bool
    wants_command: bool
    wants_explanation: bool

    @classmethod
    def read(cls, question: str, weights: TermWeights) -> Asked:
        """Take a question apart."""
        terms = weights.terms(question)
        aspects = tuple(_aspect(part, terms, weights) for part in _parts(question))
        aspects = tuple(aspect for aspect in aspects if aspect.focus)
        if not aspects:
            aspects = (_aspect(question, terms, weights),)
        return cls(
            question,
            terms,
            aspects,
            tuple(dict.fromkeys(kind for aspect in aspects for kind in aspect.kinds)),
            codes_in(question),
            wants_list=_LIST.search(question) is not None,
            wants_command=_COMMAND.search(question) is not None,
            wants_explanation=_EXPLANATION.search(question) is not None,
        )


def _aspect(part: str, terms: tuple[Term, ...], weights: TermWeights) -> Aspect:
    focus = weights.terms(part)
    own = {term.text for term in focus}
    rest = tuple(replace(term, weight=term.weight * _SHARED_PART) for term in terms if term.text not in own)
    return Aspect(part, focus, (*focus, *rest), expected_kinds(part), codes_in(part))


def _parts(question: str) -> list[str]:
    """What is asked, part by part; clauses that only lead to the question belong to none."""
    clauses = [clause for clause in _clauses(_PARENTHESES.sub(" ", question)) if clause.strip()]
    first = next((number for number, clause in enumerate(clauses) if _ASKS.search(clause)), len(clauses) - 1)
    return [part for clause in clauses[max(first, 0) :] for part in _conjuncts(clause)]


def _clauses(text: str) -> Iterator[str]:
    for sentence in _CLAUSE_END.split(text):
        for clause in _NEXT_ASKED_EN.split(sentence):
            yield from _NEXT_ASKED_ZH.split(clause)


def _conjuncts(clause: str) -> list[str]:
    parts = [part.strip() for part in _CONJUNCTION.split(clause)]
    return [part for part in parts if part and fold(part)] or [clause]
