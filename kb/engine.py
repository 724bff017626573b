"""A knowledge base that answers: holds one published generation, moves to the next, pins one per question."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from kb.answer.gate import CheckedText, FactChecker
from kb.answer.passage_reader import read_ahead
from kb.answer.pipeline import AnswerPipeline
from kb.answer.question import QuestionReader
from kb.answer.structured import StructuredComposer
from kb.embeddings.base import Embedder
from kb.index.generation import Generation
from kb.index.root import IndexRoot
from kb.llm.base import ChatModel
from kb.retrieval.hybrid import HybridRetriever
from kb.selection.result import Selection
from kb.selection.scenarios import Scenarios, load_scenarios
from kb.selection.selector import SelectionRequest, Selector
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.types import Answer, AnswerEvent, AskRequest, DoneEvent, Filters, Language, SearchMode, SearchResult


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One generation and all that answers from it; a request uses one snapshot from start to end."""

    generation: Generation
    catalog: Catalog
    retriever: HybridRetriever
    pipeline: AnswerPipeline
    selector: Selector
    checker: FactChecker

    def ask_stream(self, request: AskRequest) -> Iterator[AnswerEvent]:
        """As of `KnowledgeBase`, from this generation."""
        return self.pipeline.run(request)

    def search(
        self, text: str, *, top_k: int = 10, mode: SearchMode = "hybrid", filters: Filters | None = None
    ) -> SearchResult:
        """Passages for a question, best first; a blank one finds nothing."""
        return self.retriever.search(self.generation, text, top_k=top_k, mode=mode, filters=filters or Filters())


class KnowledgeBase:
    """The front of the library: ask, search, select, look up.

    Safe to use from several threads. A snapshot that was replaced lives until its last request has ended.

    Args:
        root: where generations are published.
        embedder: must be the model that made the index.
        cross_embedder: finds passages in the other language; `None` goes without.
        catalog: instead of the one in the index, for example an empty one.
        chat: words answers from evidence; `None` answers by extraction.
        scenarios: what cards are selected for; `None` takes the built-in ones.
    """

    def __init__(
        self,
        *,
        root: IndexRoot,
        embedder: Embedder,
        cross_embedder: Embedder | None = None,
        catalog: Catalog | None = None,
        chat: ChatModel | None = None,
        scenarios: Scenarios | None = None,
    ) -> None:
        self._root = root
        self._embedder = embedder
        self._cross_info = cross_embedder.info if cross_embedder else None
        self._retriever = HybridRetriever(embedder, cross_embedder)
        self._catalog = catalog
        self.chat = chat
        self._scenarios = scenarios if scenarios is not None else load_scenarios()
        self._swap = threading.Lock()
        self._is_warm = False
        self._snapshot = self._open()

    @property
    def generation(self) -> Generation:
        """The generation that new questions are answered from."""
        return self._snapshot.generation

    @property
    def catalog(self) -> Catalog:
        """The cards known to that generation."""
        return self._snapshot.catalog

    @property
    def device(self) -> str:
        """Where the embedding model runs."""
        return self._embedder.device

    @property
    def embedder(self) -> Embedder:
        """The model that turns questions into vectors."""
        return self._embedder

    def snapshot(self) -> Snapshot:
        """The current generation, pinned."""
        return self._snapshot

    def refresh(self) -> bool:
        """Move to the published generation if it is another one; whether it was.

        Raises:
            IndexError_: if it cannot be used; the old one goes on serving.
        """
        with self._swap:
            if self._root.current_name() == self._snapshot.generation.name:
                return False
            snapshot = self._open()
            if self._is_warm:
                _warm(snapshot)
            self._snapshot = snapshot
            return True

    def warm(self) -> None:
        """Do ahead what first questions would wait for, now and for each generation to come: one or two seconds."""
        with self._swap:
            self._is_warm = True
            _warm(self._snapshot)

    def ask(self, request: AskRequest | str) -> Answer:
        """The answer to a question, or a refusal with its reason."""
        for event in self.ask_stream(AskRequest(request) if isinstance(request, str) else request):
            if isinstance(event, DoneEvent):
                return event.answer
        raise AssertionError("an answer always ends in a DoneEvent")

    def ask_stream(self, request: AskRequest) -> Iterator[AnswerEvent]:
        """The same answer piece by piece; only verified text is sent and nothing is taken back."""
        return self._snapshot.pipeline.run(request)

    def search(
        self, text: str, *, top_k: int = 10, mode: SearchMode = "hybrid", filters: Filters | None = None
    ) -> SearchResult:
        """Passages for a question, best first."""
        return self._snapshot.search(text, top_k=top_k, mode=mode, filters=filters)

    def select(self, request: SelectionRequest) -> Selection:
        """Which cards meet requirements, ranked."""
        return self._snapshot.selector.select(request)

    def verify(self, text: str, language: Language | None = None) -> CheckedText:
        """Every figure of a text, checked against the catalogue; reasons in `language`, else in the text's own."""
        return self._snapshot.checker.check(text, language)

    def close(self) -> None:
        """Let go of the index; questions that still run end on their own snapshot."""
        # Files are closed when the last request drops its snapshot.

    def _open(self) -> Snapshot:
        generation = self._root.open_current(self._embedder.info, self._cross_info)
        catalog = self._catalog if self._catalog is not None else Catalog.from_json_bytes(generation.catalog_bytes())
        resolver = NameResolver(catalog)
        self._retriever.prepare(generation)
        selector = Selector(catalog, self._scenarios, resolver)
        checker = FactChecker(catalog, resolver)
        pipeline = AnswerPipeline(
            generation=generation,
            catalog=catalog,
            resolver=resolver,
            reader=QuestionReader(catalog, resolver),
            structured=StructuredComposer(catalog, selector),
            checker=checker,
            retriever=self._retriever,
            chat=self.chat,
            device=self._embedder.device,
        )
        return Snapshot(
            generation=generation,
            catalog=catalog,
            retriever=self._retriever,
            pipeline=pipeline,
            selector=selector,
            checker=checker,
        )


def _warm(snapshot: Snapshot) -> None:
    snapshot.pipeline.structured.warm()
    read_ahead(snapshot.generation)
