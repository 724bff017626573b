"""Answers from passages: search, decide whether they hold the answer, choose the words, write a cited draft."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final
from weakref import WeakKeyDictionary

from kb.answer.draft import Draft, Evidence
from kb.answer.evidence import evidence_of
from kb.answer.extract.aspects import Asked
from kb.answer.extract.choice import choose
from kb.answer.extract.entities import missing_entities
from kb.answer.extract.passage import Passage, read_passage
from kb.answer.extract.rendering import Renderer
from kb.answer.extract.scoring import Scorer
from kb.answer.extract.terms import TermWeights
from kb.answer.question import Question
from kb.answer.refusal import judge
from kb.index.generation import Generation
from kb.retrieval.hybrid import MOST_HITS, HybridRetriever
from kb.types import Filters, Hit, SearchResult, Stage

_READ: Final = 8
"""So many passages are read at least, whatever `top_k` is."""
_CACHED_PASSAGES: Final = 2048


@dataclass(frozen=True, slots=True)
class Finding:
    """What documents say to a question.

    Attributes:
        draft: the answer; `None` if the passages found do not hold it.
        evidence: every passage read, best first.
        timings_ms: of the search's stages.
        trace: what was decided and why, for `include: ["trace"]`.
    """

    draft: Draft | None
    evidence: tuple[Evidence, ...]
    timings_ms: Mapping[Stage, float]
    trace: Mapping[str, Any] = field(default_factory=dict)


class GroundedComposer:
    """Answers from the passages of one generation."""

    def __init__(self, generation: Generation, retriever: HybridRetriever) -> None:
        self._generation = generation
        self._retriever = retriever
        self._reader = _reader_of(generation)

    def find(self, question: Question, filters: Filters, top_k: int) -> Finding:
        """Search and answer.

        Args:
            question: understood; its standalone form is searched.
            filters: limits of the search.
            top_k: how many passages are evidence.
        """
        text = question.standalone
        result = self._retriever.search(
            self._generation,
            text,
            top_k=min(max(top_k, _READ), MOST_HITS),
            filters=filters,
            codes=tuple(mention.text for mention in question.cards),
        )
        started = time.perf_counter()
        evidence = tuple(evidence_of(hit, self._generation) for hit in result.hits)
        draft, trace = self._draft(question, text, result, evidence)
        trace["extract_ms"] = round((time.perf_counter() - started) * 1e3, 3)
        return Finding(draft, evidence[:top_k], result.timings_ms, trace)

    def _draft(
        self, question: Question, text: str, result: SearchResult, evidence: tuple[Evidence, ...]
    ) -> tuple[Draft | None, dict[str, Any]]:
        read = [(hit, self._reader.passage(hit)) for hit in result.hits]
        trace: dict[str, Any] = {"hits": len(read)}
        if not self._is_held(text, result, read, trace):
            return None, trace
        asked = Asked.read(text, self._reader.weights)
        runs = choose(asked, Scorer(asked, read))
        trace["scores"] = [round(run.score, 3) for run in runs]
        if not runs:
            return None, trace
        parts = Renderer(asked, {item.key: item for item in evidence}).parts(runs)
        return Draft("answered", None, parts), trace

    def _is_held(
        self, text: str, result: SearchResult, read: list[tuple[Hit, Passage]], trace: dict[str, Any]
    ) -> bool:
        """Whether the passages may hold the answer; the one place where a question is refused before it is read."""
        decision = judge(text, result, self._generation)
        trace["confidence"] = round(decision.confidence, 3)
        if decision.refuse:
            trace["refused"] = decision.reason
            return False
        missing = missing_entities(text, (passage.text for _, passage in read))
        if missing:
            trace["missing"] = missing
            trace["refused"] = "missing_entities"
            return False
        return True


class _PassageReader:
    """Reads passages of one generation, each once."""

    def __init__(self, generation: Generation) -> None:
        self._documents = generation.documents
        self._chunks = generation.chunks
        self.weights = TermWeights(generation.lexical)
        self._read = lru_cache(maxsize=_CACHED_PASSAGES)(self._read_chunk)

    def passage(self, hit: Hit) -> Passage:
        """The passage of a hit."""
        return self._read(hit.chunk)

    def _read_chunk(self, chunk: Any) -> Passage:
        return read_passage(self._documents.get(chunk.doc_id), chunk)


_READERS: WeakKeyDictionary[Generation, _PassageReader] = WeakKeyDictionary()
_LOCK = threading.Lock()


def _reader_of(generation: Generation) -> _PassageReader:
    with _LOCK:
        reader = _READERS.get(generation)
        if reader is None:
            reader = _READERS[generation] = _PassageReader(generation)
        return reader
