"""One question asked of the documents: what is searched, read and decided until its answer is found."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, Final

from kb.answer.draft import Draft, Evidence
from kb.answer.evidence import evidence_of
from kb.answer.extract.aspects import Asked
from kb.answer.extract.candidate import Candidate, Read
from kb.answer.extract.choice import WEAK_COVER, Choices, choose
from kb.answer.extract.definition import Definition
from kb.answer.extract.entities import missing_entities
from kb.answer.extract.held import lacking, stands_in
from kb.answer.extract.listed import Listing, asks_for_rows, listings
from kb.answer.extract.listed_words import told
from kb.answer.extract.picked import Run
from kb.answer.extract.pointed import files_named, number_pointed_at, rows_with
from kb.answer.extract.rendering import Renderer
from kb.answer.extract.scoring import Scorer
from kb.answer.extract.terms import EMPTY, Text, coverage
from kb.answer.passage_reader import PassageReader
from kb.answer.question import Question
from kb.answer.refusal import judge
from kb.index.generation import Generation
from kb.retrieval.hybrid import MOST_HITS, HybridRetriever
from kb.text import fold
from kb.types import Contributions, Filters, Hit, SearchMode, SearchResult, Stage

_READ: Final = 8
"""So many passages are read at least, whatever `top_k` is."""
_READING_WEIGHT: Final = 4.0
"""How much the best unit's cover of the question adds to what the search's signals say; with it, at the same rate of
false refusals, 2 % more of the questions without an answer are refused."""
_READING_MIDDLE: Final = 0.45
_MOST_POINTED: Final = 256
"""Passages of one file read for a row."""
_READ_MORE: Final = 3
_MOST_LISTED: Final = 4
"""Documents, of those found, whose tables are read for rows to list."""
_MOST_TABLES: Final = 60
_NAMED_PART: Final = 0.7
"""Of the score of an answer that lacks a name: the least of one that holds it."""
_LISTED_PART: Final = 0.9
"""Of what the best single unit holds of the question: what rows of a table hold together at least."""
_MOST_SEARCHES: Final = 2
_SMALLEST: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Finding:
    """What documents say to a question.

    Attributes:
        draft: the answer; `None` if the passages found do not hold it.
        evidence: every passage read, best first.
        timings_ms: of the search's stages.
        search_ms: all searching together; stages that ran side by side count once.
        trace: what was decided and why, for `include: ["trace"]`.
        said: what the answer says, with the headings above it, to compare.
    """

    draft: Draft | None
    evidence: tuple[Evidence, ...]
    timings_ms: Mapping[Stage, float]
    search_ms: float = 0.0
    trace: Mapping[str, Any] = field(default_factory=dict)
    said: Text = EMPTY


class DocumentSearch:
    """One question: what was searched, read and decided so far."""

    def __init__(
        self,
        generation: Generation,
        retriever: HybridRetriever,
        reader: PassageReader,
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
        """Search, decide whether the passages hold the answer, and choose its words.

        Args:
            top_k: how many passages are evidence.
        """
        text = self._question.standalone
        result = self._search(text, top_k=min(max(top_k, _READ), MOST_HITS), meanwhile=lambda: self._asked)
        self._add(result.hits)
        self._search_names(result)
        self._search_files(result)
        self._look_up_definition(result)
        started = time.perf_counter()
        asked = self._asked
        read = self._read()
        scorer = Scorer(asked, read)
        pointed = self._pointed_at()
        refused = "" if pointed else self._refusal(text, result, scorer, read)
        listed = () if pointed or refused else self._listed(asked, read, scorer)
        if listed:
            return self._finding_listed(listed, top_k)
        answer = Choices(pointed) if pointed or refused else choose(asked, scorer)
        spent = time.perf_counter() - started
        if not (refused or pointed) and (
            self._search_more(asked, answer) | self._read_on(answer) | self._search_other(scorer)
        ):
            started = time.perf_counter()
            answer = choose(asked, Scorer(asked, self._read()))
            spent += time.perf_counter() - started
        if answer.runs and (absent := lacking(asked, answer.runs)):
            answer = self._choose_among(absent, answer)
            if not answer.runs:
                self._trace["missing"], refused = absent, "missing_names"
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
        said = _text_of(item for run in answer.runs for item in run.candidates)
        return Finding(draft, tuple(evidence.values())[:top_k], self._timings, self._search_ms, self._trace, said)

    def told_by(self, finding: Finding) -> float:
        """Part of this question, by weight, that an answer speaks of."""
        return coverage(self._asked.terms, finding.said)

    def _choose_among(self, names: Sequence[str], before: Choices) -> Choices:
        """Choose from the documents that hold some names which an answer lacks; nothing where none answers well."""
        read = [(hit, passage) for hit, passage in self._read() if all(stands_in(passage, name) for name in names)]
        answer = choose(self._asked, Scorer(self._asked, read)) if read else Choices()
        is_good = max((run.score for run in answer.runs), default=0) >= _NAMED_PART * before.runs[0].score
        return answer if answer.runs and is_good and not lacking(self._asked, answer.runs) else Choices()

    def _pointed_at(self) -> tuple[Run, ...]:
        """Rows that the question points at by a number, in the one file it names."""
        text = self._question.standalone
        names = files_named(text)
        number = number_pointed_at(text) if len(names) == 1 else ""
        if not number or not self._filters.is_empty:
            return ()
        named = [doc_id for doc_id in self._generation.documents.ids() if _basename(doc_id) in names]
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

    def _listed(self, asked: Asked, read: Read, scorer: Scorer) -> tuple[Listing, ...]:
        """Rows of a table, in one of the documents found or named, that the question asks to list or to count."""
        if not asks_for_rows(asked):
            return ()
        names = [asked.terms[number].text for number in sorted(asked.names)]
        found = (passage.chunk.doc_id for _, passage in read)
        doc_ids = [*dict.fromkeys(found)][:_MOST_LISTED] + self._reader.titled(names)
        listed = listings(asked, islice(self._reader.tables(dict.fromkeys(doc_ids)), _MOST_TABLES))
        return listed if listed and listed[0].cover >= _LISTED_PART * scorer.best_cover else ()

    def _finding_listed(self, listed: tuple[Listing, ...], top_k: int) -> Finding:
        """An answer of the rows that fit."""
        parts = told(listed, self._evidence_at, self._question.language)
        self._trace |= {"refused": "", "listed": [listing.cover for listing in listed]}
        evidence = tuple(evidence_of(hit, self._generation) for hit in self._hits.values())
        draft = Draft("answered", None, parts)
        around = [text for listing in listed for text in (listing.table.around, *listing.table.names)]
        said = _together([*around, *(Text.of(part.text) for part in parts)])
        return Finding(draft, evidence[:top_k], self._timings, self._search_ms, self._trace, said)

    def _evidence_at(self, doc_id: str, position: int) -> Evidence:
        """The passage of a document that holds a position of its text."""
        chunks = self._generation.chunks
        rows = [int(row) for row in chunks.rows_of(doc_id)]
        row = next((row for row in rows if chunks[row].start <= position < chunks[row].end), rows[0])
        chunk = chunks[row]
        self._add([Hit(chunk, len(self._hits) + 1, 1.0, Contributions(), chunk.pieces[0])])
        return evidence_of(self._hits[chunk.chunk_id], self._generation)

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
        self,
        text: str,
        *,
        top_k: int,
        mode: SearchMode = "hybrid",
        meanwhile: Callable[[], object] | None = None,
        filters: Filters | None = None,
    ) -> SearchResult:
        started = time.perf_counter()
        result = self._retriever.search(
            self._generation,
            text,
            top_k=top_k,
            mode=mode,
            filters=filters or self._filters,
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

    def _search_files(self, result: SearchResult) -> None:
        """Search the files that a question names, where nothing found stands in them."""
        names = files_named(self._asked.text)
        if not names or not result.hits or not self._filters.is_empty:
            return
        found = {hit.chunk.doc_id for hit in self._hits.values()}
        missed = tuple(
            doc_id for doc_id in self._generation.documents.ids() if _basename(doc_id) in names and doc_id not in found
        )
        if missed:
            lowest = result.hits[-1].score
            hits = self._search(self._asked.text, top_k=_READ_MORE, filters=Filters(doc_id=missed)).hits
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
        query = self._asked.translated if is_weak else ""
        if self._asked.form.since and not scorer.subject.tells_release():
            query = self._asked.changed
        if not query:
            return False
        hits = self._search(query, top_k=_READ_MORE, mode="sparse").hits
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


def _text_of(items: Iterable[Candidate]) -> Text:
    """What some units say, with what leads to them."""
    return _together([text for item in items for text in (item.unit.text, item.unit.context, item.passage.headings)])


def _together(texts: Sequence[Text]) -> Text:
    folded = "\n".join(text.folded for text in texts)
    return Text(folded, frozenset[str]().union(*(text.latin for text in texts)))


def _basename(doc_id: str) -> str:
    return fold(doc_id.rsplit("/", 1)[-1])
