"""What speaks for and against found passages holding the answer to a question.

None of these signals needs a language model: how well the best passages score, how far they stand out, how much of the
question stands in the best one, and whether the codes and units of the question are anywhere in what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.answer.expected import expected_kinds
from kb.index.generation import Generation
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
        language: of the question.
        top: score of the best passage in the question's own language; 0 without one.
        margin: how far it stands above the mean of the next five.
        lead: how far it stands above the second.
        dense: its dense score.
        words, bigrams: part of the question's words and character pairs, by weight, that stand in it.
        agreement: 1 if both legs rate the same passage best.
        cross_top: cross-language score of the best passage in the other language; 0 without one.
        crossing: that one came first.
        missing_codes: card and part numbers of the question that no passage read holds.
        bound: part of the question's other words that stand beside its codes: for each code the passage that holds it
            and most of them counts, for the question its worst code. 1 without codes.
        is_document_unknown: the question names a document by a word that stands nowhere in the corpus.
        is_unit_missing: the question names the unit of its answer, and no passage read holds a figure in it.
        has_own: there are passages in the question's own language, found or not.
    """

    language: Language = "zh"
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
    read = result.hits[:_READ]
    held = _Held.read(question, result.signals.language, [hit.chunk for hit in read], generation)
    best = read.index(own[0]) if own and own[0] in read else None
    bound = {code: held.bound(code, read) for code in codes_in(question)}
    return Signals(
        language=result.signals.language,
        top=own[0].score if own else 0.0,
        margin=max(result.signals.margin, 0.0) if own else 0.0,
        lead=own[0].score - own[1].score if len(own) > 1 else (own[0].score if own else 0.0),
        dense=(own[0].contributions.dense or 0.0) if own else 0.0,
        words=0.0 if best is None else float(held.words[best]),
        bigrams=0.0 if best is None else float(held.bigrams[best]),
        agreement=float(result.signals.agreement),
        cross_top=max((hit.contributions.cross or 0.0 for hit in other), default=0.0),
        crossing=result.signals.crossing,
        missing_codes=tuple(code for code, share in bound.items() if share is None),
        bound=min((share or 0.0 for share in bound.values()), default=1.0),
        is_document_unknown=_is_document_unknown(question, generation),
        is_unit_missing=_is_unit_missing(question, [hit.chunk for hit in read[:_FEWER_READ]]),
        has_own=bool(result.hits) and not result.signals.is_foreign,
    )


@dataclass(frozen=True, slots=True)
class _Held:
    """Which terms of a question stand in which of some passages, their headings and the names of their documents.

    Attributes:
        words, bigrams: part of the question's terms, by weight, for each passage.
    """

    words: NDArray[np.float64]
    bigrams: NDArray[np.float64]
    _terms: Mapping[str, NDArray[np.bool_]]
    _in: Callable[[str], NDArray[np.bool_]]
    _idf: Callable[[str], float]

    @classmethod
    def read(cls, question: str, language: Language, chunks: Sequence[Chunk], generation: Generation) -> _Held:
        content = _QUESTION_WORDS_ZH.sub(" ", fold(question)) if language == "zh" else question
        rows = np.array([generation.chunks.row_of(chunk.chunk_id) for chunk in chunks], np.int64)
        names = [_name_of(chunk.doc_id, generation) for chunk in chunks]
        in_names = frozenset().union(*names)
        legs = generation.lexical

        def in_passages(term: str) -> NDArray[np.bool_]:
            held = legs.words.holds(term, rows)
            return held | np.array([term in name for name in names], np.bool_) if term in in_names else held

        terms = {term: in_passages(term) for term in set(words(content)) - _FUNCTION_CHARACTERS_ZH}
        pairs = {pair: legs.bigrams.holds(pair, rows) for pair in set(bigrams(content))}
        return cls(
            _shares(terms, legs.words.idf, len(rows)),
            _shares(pairs, legs.bigrams.idf, len(rows)),
            terms,
            in_passages,
            legs.words.idf,
        )

    def bound(self, code: str, hits: Sequence[Hit]) -> float | None:
        """How much of the question's other words stands in a passage with the code; None if no passage holds it."""
        holds_code = self._in(code)
        if not holds_code.any():
            return None
        others = {term: held for term, held in self._terms.items() if term not in code and code not in term}
        if not others:
            return 1.0
        shares = _shares(others, self._idf, len(hits))
        is_other = np.array([hit.contributions.cross is not None for hit in hits], np.bool_)
        shares[is_other] = [hit.contributions.cross for hit in hits if hit.contributions.cross is not None]
        return float(shares[holds_code].max())


def _shares(
    terms: Mapping[str, NDArray[np.bool_]], weight: Callable[[str], float], passages: int
) -> NDArray[np.float64]:
    """For each passage the part of some terms, by weight, that it holds."""
    if not terms:
        return np.zeros(passages)
    weights = np.array([weight(term) for term in terms])
    return np.asarray(weights @ np.array(list(terms.values())).reshape(len(terms), passages) / weights.sum())


def _name_of(doc_id: str, generation: Generation) -> frozenset[str]:
    return _name_words(f"{doc_id} {generation.documents.summary(doc_id).title}")


@lru_cache(maxsize=4096)
def _name_words(name: str) -> frozenset[str]:
    return frozenset(words(name))


def _is_document_unknown(question: str, generation: Generation) -> bool:
    terms = [term for phrase in phrases_naming_documents(question) for term in name_terms(phrase)]
    lexical = generation.lexical.words
    return any(len(term) > 1 and not term.isdigit() and lexical.frequency(term) == 0 for term in terms)


def _is_unit_missing(question: str, chunks: Sequence[Chunk]) -> bool:
    units = [kind for kind in expected_kinds(question) if kind.is_unit]
    if not units:
        return False
    texts = [fold("\n".join((*chunk.heading_path, chunk.caption, chunk.text))) for chunk in chunks]
    return not any(kind.held.search(text) for kind in units for text in texts)
