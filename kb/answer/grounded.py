"""Answers from passages: search, decide whether they hold the answer, choose the words, write a cited draft."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final
from weakref import WeakKeyDictionary

from kb.answer.draft import Draft, Evidence
from kb.answer.evidence import evidence_of
from kb.answer.extract.aspects import Asked
from kb.answer.extract.candidate import Candidate, Read
from kb.answer.extract.choice import WEAK_COVER, Choices, choose
from kb.answer.extract.definition import Definition, terms_headed
from kb.answer.extract.entities import missing_entities
from kb.answer.extract.held import lacking
from kb.answer.extract.passage import Passage, read_passage, title_text
from kb.answer.extract.picked import Run
from kb.answer.extract.pointed import file_named, number_pointed_at, rows_with
from kb.answer.extract.rendering import Renderer
from kb.answer.extract.scoring import Scorer
from kb.answer.extract.terms import TermWeights
from kb.answer.question import Question
from kb.answer.refusal import judge
from kb.index.generation import Generation
from kb.retrieval.hybrid import MOST_HITS, HybridRetriever
from kb.text import fold
from kb.types import Chunk, Contributions, Filters, Hit, SearchMode, SearchResult, Stage

_READ: Final = 8
"""So many passages are read at least, whatever `top_k` is."""
_CACHED_PASSAGES: Final = 2048
_READING_WEIGHT: Final = 4.0
"""How much the best unit's cover of the question adds to what the search's signals say; with it, at the same rate of
false refusals, 2 % more of the questions without an answer are refused."""
_READING_MIDDLE: Final = 0.45
_FEW_NAMED: Final = 2
_FEW_PART: Final = 20
"""One document in so many is few."""
_MOST_POINTED: Final = 256
"""Passages of one file read for a row."""
_READ_MORE: Final = 3
_MOST_SEARCHES: Final = 2
_SMALLEST: Final = 1e-6
_LONGEST_TERM: Final = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """What documents say to a question.

    Attributes:
        draft: the answer; `None` if the passages found do not hold it.
        evidence: every passage read, best first.
        timings_ms: of the search's stages.
        search_ms: all searching together; stages that ran side by side count once.
        trace: what was decided and why, for `include: ["trace"]`.
    """

    draft: Draft | None
    evidence: tuple[Evidence, ...]
    timings_ms: Mapping[Stage, float]
    search_ms: float = 0.0
    trace: Mapping[str, Any] = field(default_factory=dict)


def read_ahead(generation: Generation, most: int = _CACHED_PASSAGES) -> None:
    """Read all headings and the first passages of a generation ahead, so that no question waits (0.3 ms each)."""
    reader = _reader_of(generation)
    reader.headed("")
    for row in range(min(most, len(generation.chunks))):
        reader.read(generation.chunks[row])


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
        return _Search(self._generation, self._retriever, self._reader, question, filters).finding(top_k)


class _Search:
    """One question: what was searched, read and decided so far."""

    def __init__(
        self,
        generation: Generation,
        retriever: HybridRetriever,
        reader: _PassageReader,
        question: Question,
        filters: Filters,
    ) -> None:
        self._generation = generation
        self._retriever = retriever
        self._reader = reader
        self._question = question
        self._filters = filters
        self._timings: dict[Stage, float] = {}
        self._search_ms = 0.0
        self._hits: dict[str, Hit] = {}
        self._trace: dict[str, Any] = {}

    def finding(self, top_k: int) -> Finding:
        text = self._question.standalone
        result = self._search(text, top_k=min(max(top_k, _READ), MOST_HITS), meanwhile=lambda: self._asked)
        self._add(result.hits)
        self._search_names(result)
        self._look_up_definition(result)
        started = time.perf_counter()
        asked = self._asked
        read = self._read()
        scorer = Scorer(asked, read)
        pointed = self._pointed_at()
        refused = "" if pointed else self._refusal(text, result, scorer, read)
        answer = Choices(pointed) if pointed or refused else choose(asked, scorer)
        spent = time.perf_counter() - started
        if not (refused or pointed) and (
            self._search_more(asked, answer) | self._read_on(answer) | self._search_other(scorer)
        ):
            started = time.perf_counter()
            answer = choose(asked, Scorer(asked, self._read()))
            spent += time.perf_counter() - started
        if answer.runs and (absent := lacking(asked, answer.runs)):
            self._trace["missing"], refused, answer = absent, "missing_names", Choices()
        self._trace |= {
            "refused": refused or ("" if answer.runs else "not_held"),
            "scores": [round(run.score, 3) for run in answer.runs],
            "extract_ms": round(spent * 1e3, 3),
        }
        evidence = {key: evidence_of(hit, self._generation) for key, hit in self._hits.items()}
        draft = (
            Draft("answered", None, Renderer(asked, evidence, self._question.language).parts(answer.runs))
            if answer.runs
            else None
        )
        return Finding(draft, tuple(evidence.values())[:top_k], self._timings, self._search_ms, self._trace)

    def _pointed_at(self) -> tuple[Run, ...]:
        """Rows that the question points at by a number, in the one file it names."""
        text = self._question.standalone
        name = file_named(text)
        number = number_pointed_at(text) if name else ""
        if not number or not self._filters.is_empty:
            return ()
        named = [doc_id for doc_id in self._generation.documents.ids() if fold(doc_id.rsplit("/", 1)[-1]) == name]
        if len(named) != 1:
            return ()
        chunks = self._generation.chunks
        passages = [self._reader.read(chunks[int(row)]) for row in chunks.rows_of(named[0])[:_MOST_POINTED]]
        runs: list[Run] = []
        for passage, place in rows_with(number, passages):
            hit = Hit(passage.chunk, len(runs) + 1, 1.0, Contributions(), passage.chunk.pieces[0])
            self._add([hit])
            runs.append(Run((Candidate(hit, passage, passage.units[place], place),), 1.0))
        return tuple(runs)

    def _read(self) -> Read:
        return [(hit, self._reader.read(hit.chunk)) for hit in self._hits.values()]

    def _add(self, hits: Iterable[Hit]) -> bool:
        """Keep hits that are new; whether there were any."""
        before = len(self._hits)
        for hit in hits:
            self._hits.setdefault(hit.chunk.chunk_id, hit)
        return len(self._hits) > before

    @cached_property
    def _asked(self) -> Asked:
        """The question, taken apart; first asked for while the embedding model computes."""
        return Asked.read(self._question.standalone, self._reader.weights, self._reader.is_title)

    def _search(
        self, text: str, *, top_k: int, mode: SearchMode = "hybrid", meanwhile: Callable[[], object] | None = None
    ) -> SearchResult:
        started = time.perf_counter()
        result = self._retriever.search(
            self._generation,
            text,
            top_k=top_k,
            mode=mode,
            filters=self._filters,
            codes=tuple(mention.text for mention in self._question.cards) if mode == "hybrid" else (),
            meanwhile=meanwhile,
        )
        self._search_ms += (time.perf_counter() - started) * 1e3
        for stage, ms in result.timings_ms.items():
            self._timings[stage] = self._timings.get(stage, 0.0) + ms
        return result

    def _search_names(self, result: SearchResult) -> None:
        """Search for a rare name of the question that no hit holds though some passage does."""
        texts = [passage.text for _, passage in self._read()]
        missed = self._reader.weights.missed_names(self._asked.terms, texts)
        if missed and result.hits:
            lowest = result.hits[-1].score
            hits = self._search(" ".join(missed), top_k=_READ_MORE, mode="sparse").hits
            self._add(replace(hit, score=min(hit.score, lowest)) for hit in hits)

    def _look_up_definition(self, result: SearchResult) -> None:
        """Take the section that is about nothing but the thing whose meaning is asked."""
        definition = Definition.asked_by(self._asked.text)
        if definition is None or not definition.is_bare or not result.hits or not self._filters.is_empty:
            return
        lowest = result.hits[-1]
        for row in self._reader.headed(definition.term)[:_READ_MORE]:
            chunk = self._generation.chunks[row]
            if chunk.language == self._asked.language:
                self._add([replace(lowest, chunk=chunk, piece=chunk.pieces[0])])

    def _search_more(self, asked: Asked, answer: Choices) -> bool:
        """Search again for parts of the question that nothing read answers; whether anything new was found."""
        found = False
        for aspect in answer.unmet[:_MOST_SEARCHES]:
            found |= self._add(self._search(asked.standalone(aspect), top_k=_READ_MORE).hits)
        if answer.unmet and answer.runs:
            found |= self._add(self._beside(answer.runs[0].candidates[0].hit))
        if not answer.runs:
            found |= self._add(self._search(asked.text, top_k=_READ_MORE, mode="sparse").hits)
        return found

    def _search_other(self, scorer: Scorer) -> bool:
        """Search in the other language for what nothing read says well; whether anything new was found."""
        is_weak = any(scorer.cover(aspect.focus).max() < WEAK_COVER for aspect in self._asked.aspects)
        if not is_weak or not self._asked.translated:
            return False
        hits = self._search(self._asked.translated, top_k=_READ_MORE, mode="sparse").hits
        lowest = min((hit.score for hit in self._hits.values()), default=0.0)
        return self._add(replace(hit, score=min(hit.score, lowest)) for hit in hits)

    def _read_on(self, answer: Choices) -> bool:
        """Take the passage behind one whose last line introduces it; whether there was a new one."""
        return self._add([hit for run in answer.runs for hit in self._introduced_by(run.candidates[-1])])

    def _introduced_by(self, item: Candidate) -> Iterator[Hit]:
        if item.unit.leads and item.number + 1 == len(item.passage.units):
            yield from self._beside(item.hit, (1,))

    def _beside(self, hit: Hit, places: Iterable[int] = (-1, 1)) -> Iterator[Hit]:
        """The passages before and behind one in its document."""
        chunks = self._generation.chunks
        row = chunks.row_of(hit.chunk.chunk_id)
        for other in (row + place for place in places):
            if 0 <= other < len(chunks) and chunks.doc_id_of(other) == hit.chunk.doc_id:
                yield replace(hit, chunk=chunks[other], piece=chunks[other].pieces[0])

    def _refusal(self, text: str, result: SearchResult, scorer: Scorer, read: Read) -> str:
        """Why the passages cannot hold the answer; empty if they may."""
        decision = judge(text, result, self._generation)
        if decision.refuse and decision.reason != "weak_evidence":
            return decision.reason
        if missing := missing_entities(text, (passage.text for _, passage in read)):
            self._trace["missing"] = missing
            return "missing_entities"
        if absent := scorer.subject.absent_names():
            self._trace["missing"] = absent
            return "missing_names"
        confidence = min(max(decision.confidence, _SMALLEST), 1 - _SMALLEST)
        evidence = math.log(confidence / (1 - confidence)) + _READING_WEIGHT * (scorer.best_cover - _READING_MIDDLE)
        self._trace["confidence"] = round(1 / (1 + math.exp(-evidence)), 3)
        return "weak_evidence" if evidence < 0 else ""


class _PassageReader:
    """Reads passages of one generation, each once."""

    def __init__(self, generation: Generation) -> None:
        self._documents = generation.documents
        self._chunks = generation.chunks
        self.weights = TermWeights(generation.lexical)
        self._read = lru_cache(maxsize=_CACHED_PASSAGES)(self._read_chunk)

    def is_title(self, term: str) -> bool:
        """Whether a term stands in the names of some documents, of few."""
        few = max(_FEW_NAMED, len(self._documents) // _FEW_PART)
        return 0 < self._named[term] <= few

    @cached_property
    def _named(self) -> Counter[str]:
        """How many documents' titles and paths hold each term."""
        summaries = self._documents.summaries()
        return Counter(term for summary in summaries for term in title_text(summary.title, summary.doc_id).latin)

    def headed(self, term: str) -> Sequence[int]:
        """Rows of the chunks whose heading is a term; see `terms_headed`."""
        return self._by_heading.get(term, ())

    @cached_property
    def _by_heading(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row in range(len(self._chunks)):
            path = self._chunks[row].heading_path
            if path and len(path[-1]) <= _LONGEST_TERM:
                for term in terms_headed(path[-1]):
                    found.setdefault(term, []).append(row)
        return found

    def read(self, chunk: Chunk) -> Passage:
        """A chunk, read."""
        return self._read(chunk)

    def _read_chunk(self, chunk: Chunk) -> Passage:
        return read_passage(self._documents.get(chunk.doc_id), chunk)


_READERS: WeakKeyDictionary[Generation, _PassageReader] = WeakKeyDictionary()
_LOCK = threading.Lock()


def _reader_of(generation: Generation) -> _PassageReader:
    with _LOCK:
        reader = _READERS.get(generation)
        if reader is None:
            reader = _READERS[generation] = _PassageReader(generation)
        return reader
