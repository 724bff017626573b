"""One question from start to end: understand, look up or retrieve, compose, cite, verify."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kb.answer.citations import CitationNumbers, NumberedPart
from kb.answer.document_search import Finding
from kb.answer.draft import Documents, Draft, DraftTable, Evidence, Sentence
from kb.answer.gate import FactChecker
from kb.answer.generative import GenerativeComposer
from kb.answer.grounded import GroundedComposer
from kb.answer.numbers import NumberGate
from kb.answer.phrases import capability, greeting, refusal
from kb.answer.question import Question, QuestionReader
from kb.answer.question.wrappers import unwrap
from kb.answer.structured import StructuredComposer
from kb.errors import LlmError, LlmUnavailableError
from kb.index.generation import Generation
from kb.llm.base import ChatModel
from kb.retrieval.hybrid import HybridRetriever
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.specs.sheet import sheet, sheet_named
from kb.text import fold, words
from kb.timings import Timings
from kb.types import (
    Answer,
    AnswerEvent,
    AnswerStatus,
    AskRequest,
    DeltaEvent,
    DoneEvent,
    Language,
    Reason,
    Source,
    SourcesEvent,
    Stage,
    StatusEvent,
    TableEvent,
)

_MOST = 0.6
EXTRACT = "extract"
"""`Answer.model` where no chat model worded the answer."""


@dataclass(slots=True)
class AnswerPipeline:
    """Answers from one generation.

    Attributes:
        catalog: the cards it knows.
        resolver: knows their names.
        reader: understands questions by them.
        structured: answers from that catalogue.
        checker: reads what figures claim, and holds them against it.
        retriever: finds passages.
        chat: words answers from evidence; `None` answers by extraction.
        device: where the embedding model runs.
    """

    generation: Generation
    catalog: Catalog
    resolver: NameResolver
    reader: QuestionReader
    structured: StructuredComposer
    checker: FactChecker
    retriever: HybridRetriever
    chat: ChatModel | None
    device: str

    def run(self, request: AskRequest) -> Iterator[AnswerEvent]:
        """The events of one answer, `DoneEvent` last.

        Raises:
            LlmUnavailableError: if the request insists on a chat model and none answers.
        """
        return _Run(self, request).events()


class _Run:
    """The state of one answer in the making."""

    def __init__(self, pipeline: AnswerPipeline, request: AskRequest) -> None:
        self.pipeline = pipeline
        self.request = request
        self.timings = Timings()
        self.warnings: list[str] = []
        self.parts: list[NumberedPart] = []
        self.trace: dict[str, Any] = {}

    def events(self) -> Iterator[AnswerEvent]:
        with self.timings.stage("resolve"):
            language = None if self.request.language == "auto" else self.request.language
            question = self.pipeline.reader.read(self.request.question, self.request.history, language)
        self.trace.update(intent=question.intent, cards=question.gpu_ids, fields=question.fields)
        yield self._status("resolve")
        with self.timings.stage("compose"):
            draft = self._without_passages(question)
        finding = None
        if draft is None or _leaves_open(draft, question):
            finding = self._find(question)
            self.trace.update(finding.trace)
            for stage in ("embed", "dense", "sparse", "fuse"):
                yield self._status(stage)
            with self.timings.stage("compose"):
                draft = self._merged(draft, finding, question)
        yield self._status("compose")
        yield from self._answered(draft, finding, question)

    # ------------------------------------------------------------ composing

    def _without_passages(self, question: Question) -> Draft | None:
        """What needs no document: small talk, and answers from the catalogue; `None` where documents must answer."""
        has_catalog = bool(self.pipeline.catalog.gpus)
        if question.intent == "greeting":
            return greeting(question.language, question.text, has_catalog=has_catalog)
        if question.intent == "capability":
            return capability(question.language, has_catalog=has_catalog)
        if self.request.filters.doc_id:
            return None
        return self.pipeline.structured.compose(question)

    def _find(self, question: Question) -> Finding:
        began = self.timings.since_start()
        finding = GroundedComposer(self.pipeline.generation, self.pipeline.retriever).find(
            question, self.request.filters, self.request.top_k
        )
        for stage, ms in finding.timings_ms.items():
            self.timings.add(stage, ms)
        # What is not search is reading and choosing words.
        self.timings.add("compose", self.timings.since_start() - began - finding.search_ms)
        return finding

    def _merged(self, draft: Draft | None, finding: Finding, question: Question) -> Draft:
        """The catalogue's answer with what documents add, where the draft wants it; or a refusal."""
        found = finding.draft
        if draft is None:
            return found or self._refusal(question)
        if found is None:
            return draft
        place = "after"
        if draft.documents is not None:
            found = _bearing_on(found, draft.documents)
            if not found.parts:
                return draft
            place = draft.documents.place
        elif question.unexplained and _accounts_for(found, question.unexplained):
            # The catalogue answered by some of the question's words; these passages hold the rest.
            place = "first"
        elif not question.wants_passages:
            return draft
        warnings = (*draft.warnings, *found.warnings)
        if place == "instead":
            return found
        if place == "first":
            return replace(draft, status="answered", parts=_joined(found.parts, draft.parts), warnings=warnings)
        tables = (i for i, part in enumerate(draft.parts) if isinstance(part, DraftTable))
        at = next(tables, len(draft.parts)) if place == "inside" else len(draft.parts)
        parts = _joined(_joined(draft.parts[:at], found.parts), draft.parts[at:])
        # What nobody publishes as a figure, a document may still speak of.
        status = "partial" if draft.status == "no_answer" else draft.status
        return replace(draft, status=status, parts=parts, warnings=warnings)

    def _refusal(self, question: Question) -> Draft:
        reason: Reason = "out_of_scope" if question.is_clearly_out_of_scope else "no_evidence"
        name = ""
        if question.unknown:
            reason, name = "unknown_gpu", question.unknown[0].text
        return refusal(
            reason,
            question.language,
            name=name,
            has_catalog=bool(self.pipeline.catalog.gpus),
            injected=question.injected,
        )

    # ------------------------------------------------------------ sending

    def _answered(self, draft: Draft, finding: Finding | None, question: Question) -> Iterator[AnswerEvent]:
        numbers = CitationNumbers(self.pipeline.generation.name, self._document_text(question.language))
        evidence = _evidence_of(draft, finding)
        if self._wants_chat(draft, evidence):
            numbered = [(numbers.source_of(item)[0], item) for item in evidence]
            yield SourcesEvent(numbers.sources)
            written = yield from self._generated(question, numbered, numbers)
            if written:
                yield self._done(draft.status, draft.reason, question, numbers, self._model())
                return
            numbers = CitationNumbers(self.pipeline.generation.name, self._document_text(question.language))
        with self.timings.stage("verify"):
            draft, dropped = self._gate(question.language).verified(draft, f"{question.text}\n{question.standalone}")
            self._warn_dropped(dropped)
            if not draft.parts:
                draft = self._refusal(question)
            self.parts = _without_final_space(list(numbers.number(draft.parts)))
        if numbers.sources:
            yield SourcesEvent(numbers.sources)
        for part in self.parts:
            yield DeltaEvent(part.text)
            if part.table is not None:
                yield TableEvent(part.table)
        self.warnings.extend(draft.warnings)
        yield self._done(draft.status, draft.reason, question, numbers, EXTRACT)

    def _wants_chat(self, draft: Draft, evidence: Sequence[Evidence]) -> bool:
        if self.request.mode == EXTRACT:
            return False
        if self.pipeline.chat is None:
            if self.request.mode == "generate":
                raise LlmUnavailableError(
                    "No chat model is set up.", "Set GPUKB_LLM_BASE_URL and GPUKB_LLM_MODEL, or ask with mode=extract."
                )
            return False
        return draft.status != "no_answer" and bool(evidence)

    def _generated(
        self, question: Question, evidence: Sequence[tuple[int, Evidence]], numbers: CitationNumbers
    ) -> Generator[AnswerEvent, None, bool]:
        """Send what the chat model writes; returns whether anything was sent."""
        chat = self.pipeline.chat
        if chat is None:
            return False
        composer = GenerativeComposer(chat, self._gate(question.language))
        offset, space = 0, ""
        try:
            with self.timings.stage("generate"):
                asked, _ = unwrap(question.text)  # what is no question is neither passed on nor a source of figures
                for sentence in composer.compose(
                    asked.strip() or question.text,
                    evidence,
                    self.request.history,
                    question.language,
                    self.request.max_tokens,
                    style=self.request.style,
                    temperature=self.request.temperature,
                ):
                    if not self.parts:
                        self.timings.add("first_token", self.timings.since_start())
                    (part,) = numbers.number([sentence], offset)
                    self.parts.append(part)
                    offset += len(part.text)
                    # White space is sent before the next sentence, so that the answer does not end in it.
                    yield DeltaEvent(space + part.text.rstrip())
                    space = part.text[len(part.text.rstrip()) :]
        except LlmError as error:
            if self.request.mode == "generate" and not self.parts:
                raise
            self.warnings.append(error.message)
        self._warn_dropped(composer.dropped)
        return bool(self.parts)

    def _warn_dropped(self, dropped: int) -> None:
        if dropped:
            self.warnings.append(f"{dropped} sentence(s) that no source supports were left out.")

    def _done(
        self,
        status: AnswerStatus,
        reason: Reason | None,
        question: Question,
        numbers: CitationNumbers,
        model: str,
    ) -> DoneEvent:
        text = "".join(part.text for part in self.parts).rstrip()
        citations = tuple(citation for part in self.parts for citation in part.citations)
        cited = {citation.source_id for citation in citations}
        sources: tuple[Source, ...] = tuple(source for source in numbers.sources if source.source_id in cited)
        manifest = self.pipeline.generation.manifest
        return DoneEvent(
            Answer(
                status=status,
                reason=reason,
                language=question.language,
                text=text,
                citations=citations,
                sources=sources,
                tables=tuple(part.table for part in self.parts if part.table is not None),
                facts=tuple(fact for part in self.parts for fact in part.facts),
                timings_ms=self.timings.snapshot(),
                generation=manifest.generation,
                built_at=manifest.built_at,
                model=model,
                device=self.pipeline.device,
                warnings=tuple(self.warnings),
                trace=self.trace,
            )
        )

    def _model(self) -> str:
        return self.pipeline.chat.name if self.pipeline.chat else EXTRACT

    def _status(self, stage: Stage) -> StatusEvent:
        return StatusEvent(stage, self.timings.of(stage))

    def _gate(self, language: Language) -> NumberGate:
        return NumberGate(self._document_text(language), self.pipeline.resolver, self.pipeline.checker)

    def _document_text(self, language: Language) -> _DocumentText:
        return _DocumentText(self.pipeline, language)


@dataclass(frozen=True, slots=True)
class _DocumentText:
    """The text that a citation points into: a document's, or a card's sheet in the answer's language."""

    pipeline: AnswerPipeline
    language: Language

    def __call__(self, doc_id: str) -> str:
        named = sheet_named(doc_id)
        if named is not None and doc_id not in self.pipeline.generation.documents:
            return sheet(self.pipeline.catalog.get(named[0]), named[1] or self.language).text
        return self.pipeline.generation.documents.get(doc_id).text


def _leaves_open(draft: Draft, question: Question) -> bool:
    """Whether documents may know what the catalogue's answer leaves open."""
    if draft.is_whole:
        return False
    return question.wants_passages or bool(question.unexplained) or draft.documents is not None


def _accounts_for(found: Draft, unexplained: Sequence[str]) -> bool:
    """Whether the words chosen from documents, with their headings, hold most of what the catalogue left unread."""
    texts: list[str] = []
    for part in found.parts:
        if isinstance(part, Sentence):
            texts += [part.text, *(f"{s.evidence.title} {s.evidence.section}" for s in part.supports)]
    held = set(words(" ".join(texts)))
    wanted = [set(words(word)) for word in unexplained]
    meant = [terms for terms in wanted if terms]
    return bool(meant) and sum(bool(terms & held) for terms in meant) >= _MOST * len(meant)


def _evidence_of(draft: Draft, finding: Finding | None) -> list[Evidence]:
    """What a chat model may use: all that the draft cites, then the other passages found."""
    items = {item.key: item for item in _cited(draft)}
    for item in finding.evidence if finding else ():
        items.setdefault(item.key, item)
    return list(items.values())


def _cited(draft: Draft) -> Iterator[Evidence]:
    for part in draft.parts:
        cells = [cell for row in part.rows for cell in row.cells.values()] if isinstance(part, DraftTable) else [part]
        for cell in cells:
            yield from (support.evidence for support in cell.supports)


def _bearing_on(draft: Draft, documents: Documents) -> Draft:
    """What counts of an answer from passages: all or nothing by the names, then the sentences on the topic."""
    texts = [fold(f"{item.title}\n{item.section}\n{item.text}") for item in _cited(draft)]
    if not any(pattern.search(text) for pattern in map(_name_pattern, documents.names) for text in texts):
        return replace(draft, parts=())
    if not documents.about:
        return draft
    return replace(draft, parts=tuple(part for part in draft.parts if _is_about(part, documents)))


def _is_about(part: Sentence | DraftTable, documents: Documents) -> bool:
    if isinstance(part, DraftTable):
        return False
    text = fold(part.text)
    named = any(pattern.search(text) for pattern in map(_name_pattern, documents.names))
    return named and any(word in text for word in documents.about)


@lru_cache(maxsize=1024)
def _name_pattern(name: str) -> re.Pattern[str]:
    """A name as a text may write it: with or without spaces and hyphens between its words and numbers."""
    parts = re.findall(r"[a-z]+|\d+|[^\sa-z0-9\-_]+", fold(name))
    spelling = r"[\s_-]?".join(map(re.escape, parts)) or "(?!)"
    return re.compile(rf"(?<![a-z0-9])(?:{spelling})(?![a-z0-9])")


def _joined(
    first: tuple[Sentence | DraftTable, ...], second: tuple[Sentence | DraftTable, ...]
) -> tuple[Sentence | DraftTable, ...]:
    """Parts one after the other with a blank line between."""
    return (*first[:-1], _with_break(first[-1]), *second) if first and second else (*first, *second)


def _without_final_space(parts: list[NumberedPart]) -> list[NumberedPart]:
    return [*parts[:-1], replace(parts[-1], text=parts[-1].text.rstrip())] if parts else parts


def _with_break(part: Sentence | DraftTable) -> Sentence | DraftTable:
    """The part with a blank line behind it."""
    if isinstance(part, DraftTable):
        return part
    return Sentence(part.text, part.supports, part.facts, "\n\n")
