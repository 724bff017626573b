"""A small real index, and a knowledge base around it whose answers are scripted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from kb.answer.gate import FactChecker
from kb.config import Settings
from kb.index.generation import Generation
from kb.index.root import IndexRoot
from kb.index.writer import GenerationWriter
from kb.selection.scenarios import load_scenarios
from kb.selection.selector import Selector
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.types import (
    Answer,
    AnswerEvent,
    AskRequest,
    Block,
    Cell,
    Chunk,
    Citation,
    Column,
    Contributions,
    DeltaEvent,
    Document,
    DoneEvent,
    EmbeddingInfo,
    Fact,
    Filters,
    Hit,
    Row,
    SearchMode,
    SearchResult,
    Source,
    SourcesEvent,
    Span,
    StatusEvent,
    Table,
    TableEvent,
    chunk_id_of,
)

BANDWIDTH = "T4 的显存带宽为 320 GB/s。"
HOSTILE = "<script>alert(1)</script> & \"quoted\" 'text'"
INFO = EmbeddingInfo(model="fake", revision="1", dim=4, max_tokens=512)


def _document(doc_id: str, title: str, text: str, **metadata: Any) -> Document:
    return Document(
        doc_id=doc_id,
        title=title,
        language="zh",
        text=text,
        blocks=(Block("paragraph", 0, len(text)),),
        media_type="text/markdown",
        encoding="utf-8",
        sha256="ab" * 32,
        metadata=metadata,
    )


DOCUMENTS = (
    _document("en/a b#1.md", HOSTILE, f"{HOSTILE}\n"),
    _document("zh/t4.md", "T4 手册", f"# T4\n\n{BANDWIDTH}\n", url="https://example.org/t4", published="2024-01-02"),
)


def _chunk(document: Document) -> Chunk:
    text = document.text
    return Chunk(
        chunk_id=chunk_id_of(document.doc_id, 0, text),
        doc_id=document.doc_id,
        ordinal=0,
        kind="text",
        start=0,
        end=len(text),
        text=text,
        heading_path=("T4",),
        pieces=(Span(0, len(text)),),
        embed_texts=(text,),
        language="zh",
    )


CHUNKS = tuple(_chunk(document) for document in DOCUMENTS)


def publish_index(data_dir: Path, documents: tuple[Document, ...] = DOCUMENTS) -> str:
    """Write and publish a generation of the documents; gives its name."""
    root = IndexRoot(data_dir)
    vectors = np.eye(4, dtype=np.float32)[: len(documents)]
    with (
        root.lock(),
        GenerationWriter(root, embedding=INFO, chunker="1", gpukb_version="0") as writer,
    ):
        writer.write(documents, [_chunk(document) for document in documents], vectors)
        name = writer.finish()
        root.publish(name)
    return name


def answer_of(generation: Generation, text: str = "T4 的显存带宽是 **320 GB/s**[1]。") -> Answer:
    """A plausible answer from the T4 document."""
    start = DOCUMENTS[1].text.index(BANDWIDTH)
    mark = text.index("[1]")
    return Answer(
        status="answered",
        reason=None,
        language="zh",
        text=text,
        citations=(
            Citation("[1]", "src_1", mark, mark + 3, 0, mark, BANDWIDTH, "zh/t4.md", start, start + len(BANDWIDTH)),
        ),
        sources=(Source("src_1", 1, "zh/t4.md", "T4 手册", "text", BANDWIDTH, start, start + len(BANDWIDTH)),),
        tables=(_table(),),
        facts=(
            Fact(
                "t4",
                "memory_bandwidth_gb_s",
                320.0,
                "GB/s",
                None,
                "src_1",
                "supported",
                "figure",
                "320 GB/s",
                text.find("320"),
                text.find("320") + len("320 GB/s"),
            ),
        ),
        timings_ms={"queue": None, "embed": 1.5, "rerank": None, "total": 2.0},
        generation=generation.name,
        built_at=generation.manifest.built_at,
        model="extract",
        device="cpu",
        usage={"prompt_tokens": 3},
        trace={"intent": "look-up"},
    )


def _table() -> Table:
    return Table(
        "table_1",
        "T4",
        (Column("bw", "带宽", "GB/s"),),
        (Row("t4", "T4", {"bw": Cell("320", 320.0, "GB/s", None, "src_1")}),),
    )


@dataclass
class FakeKnowledgeBase:
    """Answers each question with the script it is given; everything else is real.

    Attributes:
        before: called with the request before the answer begins; may sleep or raise.
        between: called between the pieces of an answer.
        closed_early: set if a stream was ended before its last event.
    """

    root: IndexRoot
    catalog: Catalog
    before: Callable[[AskRequest], None] = lambda request: None
    between: Callable[[], None] = lambda: None
    device: str = "cpu"
    chat: None = None
    requests: list[AskRequest] = field(default_factory=list)
    searches: list[dict[str, Any]] = field(default_factory=list)
    closed_early: bool = False
    is_closed: bool = False
    truncated_inputs: int = 0

    def __post_init__(self) -> None:
        self.generation = self.root.open_current(INFO)

    @property
    def selector(self) -> Selector:
        return selector_of(self.catalog)

    @property
    def embedder(self) -> FakeKnowledgeBase:
        return self

    def snapshot(self) -> FakeKnowledgeBase:
        return self

    @cached_property
    def checker(self) -> FactChecker:
        return FactChecker(self.catalog, NameResolver(self.catalog))

    def refresh(self) -> bool:
        self.generation = self.root.open_current(INFO)
        return True

    def ask_stream(self, request: AskRequest) -> Iterator[AnswerEvent]:
        self.requests.append(request)
        answer = answer_of(self.generation)
        finished = False
        try:
            self.before(request)
            yield StatusEvent("embed", 1.5)
            yield SourcesEvent(answer.sources)
            half = len(answer.text) // 2
            yield DeltaEvent(answer.text[:half])
            self.between()
            yield DeltaEvent(answer.text[half:])
            yield TableEvent(answer.tables[0])
            finished = True
            yield DoneEvent(answer)
        finally:
            self.closed_early = not finished

    def search(
        self, text: str, *, top_k: int, mode: SearchMode = "hybrid", filters: Filters | None = None
    ) -> SearchResult:
        self.searches.append({"text": text, "top_k": top_k, "mode": mode, "filters": filters})
        hit = Hit(CHUNKS[1], 1, 0.75, Contributions(dense=0.5, sparse=1.0), Span(6, 20))
        return SearchResult((hit,), {"embed": 1.0, "total": 2.0})

    def close(self) -> None:
        self.is_closed = True


@cache
def selector_of(catalog: Catalog) -> Selector:
    return Selector(catalog, load_scenarios())


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", corpus_dir=tmp_path / "corpus")


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The shipped catalogue."""
    return Catalog.load()


@pytest.fixture
def publish() -> Callable[..., str]:
    """Writes and publishes the small index."""
    return publish_index


@pytest.fixture
def fake(settings: Settings, catalog: Catalog) -> FakeKnowledgeBase:
    publish_index(settings.data_dir)
    return FakeKnowledgeBase(IndexRoot(settings.data_dir), catalog)


@pytest.fixture
def client(settings: Settings, fake: FakeKnowledgeBase) -> Iterator[TestClient]:
    with open_client(settings, lambda _: fake) as opened:
        wait(lambda: opened.get("/readyz").status_code == 200)
        yield opened


@pytest.fixture
def client_of() -> Callable[..., TestClient]:
    """Makes a client of an application with its own settings and loader; it may not be ready yet."""
    return open_client


@pytest.fixture
def wait_until() -> Callable[..., None]:
    """Waits for something that happens beside the test."""
    return wait


def open_client(settings: Settings, open_kb: Callable[[Settings], Any]) -> TestClient:
    # As long as there are no keys only this machine is answered.
    return TestClient(
        create_app(settings, open_kb),
        raise_server_exceptions=False,
        base_url="http://127.0.0.1:8000",
        client=("127.0.0.1", 50000),
    )


def wait(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)
