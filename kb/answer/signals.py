"""What speaks for and against found passages holding the answer to a question.

None of these signals needs a language model: how well the best passages score, how far they stand out, how much of the
question stands in the best one, and whether the codes and units of the question are anywhere in what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kb.answer.expected import expected_kinds
from kb.index.generation import Generation
from kb.index.lexical import LexicalIndex
from kb.retrieval.names import name_terms, phrases_naming_documents
from kb.retrieval.query import codes_in
from kb.text import bigrams, fold, words
from kb.types import Chunk, Hit, Language, SearchResult

_READ: Final = 8
"""So many of the best passages are searched for codes and units."""
_FEWER_READ: Final = 5

_QUESTION_WORDS_ZH: Final = re.compile("什么|多少|几|谁|哪|何|怎么|怎样|如何|为什么|是否|吗|呢|多[大长高远久重]|请问")
_FUNCTION_CHARACTERS_ZH: Final = frozenset(
    "的了是在和与有被将为对从到中于而其该这那一个由以之及或都也还就会能上下里时后前些种名位次年月日"
)


@dataclass(frozen=True, slots=True)
class Signals:
    """What was read; figures lie in 0–1.

    Attributes:
        top: score of the best passage in the question's own language; 0 without one.
        margin: how far it stands above the mean of the next five.
        lead: how far it stands above the second.
        dense: its dense score.
        words, bigrams: part of the question's words and character pairs, by weight, that stand in it.
        agreement: 1 if both legs rate the same passage best.
        cross_top: score of the best passage in the other language; 0 without one.
        crossing: that one came first.
        missing_codes: card and part numbers of the question that no passage read holds.
        bound: part of the question's other words that stand beside its codes: for each code the passage that holds it
            and most of them counts, for the question its worst code. 1 without codes.
        is_document_unknown: the question names a document by a word that stands nowhere in the corpus.
        is_unit_missing: the question names the unit of its answer, and no passage read holds a figure in it.
        has_own: there are hits in the question's own language.
    """

    top: float = 0.0
    margin: float = 0.0
    lead: float = 0.0
    dense: float = 0.0
    words: float = 0.0
    bigrams: float = 0.0
    agreement: float = 0.0
    cross_top: float = 0.0
    crossing: bool = False
    missing_codes: tuple[str, ...] = ()
    bound: float = 1.0
    is_document_unknown: bool = False
    is_unit_missing: bool = False
    has_own: bool = False


def read_signals(question: str, result: SearchResult, generation: Generation) -> Signals:
    """Read what a search found for a question."""
    own = [hit for hit in result.hits if hit.contributions.cross is None]
    other = [hit for hit in result.hits if hit.contributions.cross is not None]
    asked = _Asked.read(question, result.signals.language, generation)
    texts = {hit.chunk.chunk_id: _with_context(hit.chunk, generation) for hit in result.hits[:_READ]}
    best = _with_context(own[0].chunk, generation) if own else ""
    codes = codes_in(question)
    bound = {code: _bound(code, asked, result.hits[:_READ], texts) for code in codes}
    return Signals(
        top=own[0].score if own else 0.0,
        margin=max(result.signals.margin, 0.0) if own else 0.0,
        lead=own[0].score - own[1].score if len(own) > 1 else (own[0].score if own else 0.0),
        dense=(own[0].contributions.dense or 0.0) if own else 0.0,
        words=asked.words_share(asked.words, best),
        bigrams=asked.bigrams_share(best),
        agreement=float(result.signals.agreement),
        cross_top=other[0].score if other else 0.0,
        crossing=result.signals.crossing,
        missing_codes=tuple(code for code, share in bound.items() if share is None),
        bound=min((share or 0.0 for share in bound.values()), default=1.0),
        is_document_unknown=_is_document_unknown(question, generation),
        is_unit_missing=_is_unit_missing(question, list(texts.values())[:_FEWER_READ]),
        has_own=bool(own),
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """The terms of a question that say what it is about, and what each weighs."""

    words: frozenset[str]
    bigrams: frozenset[str]
    lexical: LexicalIndex

    @classmethod
    def read(cls, question: str, language: Language, generation: Generation) -> _Asked:
        content = _QUESTION_WORDS_ZH.sub(" ", fold(question)) if language == "zh" else question
        return cls(frozenset(words(content)) - _FUNCTION_CHARACTERS_ZH, frozenset(bigrams(content)), generation.lexical)

    def words_share(self, terms: frozenset[str], text: str) -> float:
        """Part of some of the words, by weight, that stands in a text."""
        return _share(terms, set(words(text)), self.lexical.words.idf)

    def bigrams_share(self, text: str) -> float:
        """Part of the character pairs, by weight, that stands in a text."""
        return _share(self.bigrams, set(bigrams(text)), self.lexical.bigrams.idf)


def _share(asked: frozenset[str], held: set[str], weight: Callable[[str], float]) -> float:
    total = sum(map(weight, asked))
    return sum(weight(term) for term in asked & held) / total if total > 0 else 0.0


def _bound(code: str, asked: _Asked, hits: Sequence[Hit], texts: Mapping[str, str]) -> float | None:
    """How much of the question's other words stands in a passage with the code; None if no passage holds it."""
    others = frozenset(term for term in asked.words if term not in code and code not in term)
    shares = [
        hit.score if hit.contributions.cross is not None else asked.words_share(others, texts[hit.chunk.chunk_id])
        for hit in hits
        if code in words(texts[hit.chunk.chunk_id])
    ]
    if not shares:
        return None
    return max(shares) if others else 1.0


def _is_document_unknown(question: str, generation: Generation) -> bool:
    terms = [term for phrase in phrases_naming_documents(question) for term in name_terms(phrase)]
    lexical = generation.lexical.words
    return any(len(term) > 1 and not term.isdigit() and lexical.frequency(term) == 0 for term in terms)


def _is_unit_missing(question: str, texts: Sequence[str]) -> bool:
    units = [kind for kind in expected_kinds(question) if kind.is_unit]
    return bool(units) and not any(kind.held.search(fold(text)) for kind in units for text in texts)


def _with_context(chunk: Chunk, generation: Generation) -> str:
    title = generation.documents.summary(chunk.doc_id).title
    return "\n".join((chunk.doc_id, title, *chunk.heading_path, chunk.caption, chunk.text))
