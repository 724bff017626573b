"""Answers from passages: search, decide whether they hold the answer, choose the words, write a cited draft."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kb.answer.document_search import DocumentSearch, Finding
from kb.answer.draft import Draft, DraftTable, Sentence
from kb.answer.extract.hops import hops_of
from kb.answer.extract.wording import say
from kb.answer.passage_reader import reader_of
from kb.answer.question import Question
from kb.index.generation import Generation
from kb.retrieval.hybrid import HybridRetriever
from kb.types import Filters, Language, Stage

_HOP_GAIN: Final = 0.1
"""Of a question's weight: what an answer to it alone must hold more than one to all questions of a message."""


class GroundedComposer:
    """Answers from the passages of one generation."""

    def __init__(self, generation: Generation, retriever: HybridRetriever) -> None:
        self._generation = generation
        self._retriever = retriever
        self._reader = reader_of(generation)

    def find(self, question: Question, filters: Filters, top_k: int) -> Finding:
        """Search and answer.

        Args:
            question: understood; its standalone form is searched.
            filters: limits of the search.
            top_k: how many passages are evidence.
        """
        finding = self._search(question, filters).finding(top_k)
        hops = hops_of(question.standalone, self._reader.is_title) if filters.is_empty else ()
        if not hops:
            return finding
        searches = [self._search(replace(question, text=hop, standalone=hop, cards=()), filters) for hop in hops]
        found = [search.finding(top_k) for search in searches]
        is_better = any(
            part.draft is not None and search.told_by(part) > search.told_by(finding) + _HOP_GAIN
            for search, part in zip(searches, found, strict=True)
        )
        return _joined(hops, [finding, *found], question.language) if is_better else finding

    def _search(self, question: Question, filters: Filters) -> DocumentSearch:
        return DocumentSearch(self._generation, self._retriever, self._reader, question, filters)


def _joined(hops: Sequence[str], found: Sequence[Finding], language: Language) -> Finding:
    """One finding of those to several questions, after the one to all of them together, which only cost time."""
    parts: list[Sentence | DraftTable] = []
    for hop, finding in zip(hops, found[1:], strict=True):
        if parts:
            parts[-1] = replace(parts[-1], end="\n\n") if isinstance(parts[-1], Sentence) else parts[-1]
        parts += finding.draft.parts if finding.draft else (Sentence(say("not_held", language, question=hop)),)
    is_whole = all(finding.draft is not None for finding in found[1:])
    timings: Counter[Stage] = Counter()
    for finding in found:
        timings.update(finding.timings_ms)
    evidence = {item.key: item for finding in found[1:] for item in finding.evidence}
    return Finding(
        Draft("answered" if is_whole else "partial", None if is_whole else "no_evidence", tuple(parts)),
        tuple(evidence.values()),
        timings,
        sum(finding.search_ms for finding in found),
        {**found[0].trace, "hops": [dict(finding.trace) for finding in found[1:]]},
    )
