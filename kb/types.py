"""The nouns that every part of gpukb shares; imports nothing of gpukb.

Offsets are counted in code points and are half open: `text[start:end]`.
Durations are milliseconds. All types are frozen; a change makes a new value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (n, dim), rows of unit length."""

MAX_QUESTION = 2000
"""Characters that a question may have at every door."""

Language = Literal["zh", "en"]
BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote"]
ChunkKind = Literal["text", "table", "code"]
SourceKind = Literal["text", "table", "spec"]
AnswerStatus = Literal["answered", "partial", "no_answer"]
Reason = Literal[
    "no_evidence",
    "out_of_scope",
    "unknown_gpu",
    "not_published",
    "ambiguous",
    "false_premise",
    "conflicting_sources",
    "llm_unavailable",
]
Verdict = Literal["supported", "derived", "unsupported"]
FactKind = Literal[
    "figure",
    "word",
    "derived",
    "count",
    "card",
    "format",
    "model_size",
    "resolution",
    "date",
    "version",
    "ordinal",
    "list_number",
    "citation",
    "code",
    "number",
]
"""What a number, or a named value, of a text is; see `kb.answer.gate`."""
SearchMode = Literal["hybrid", "dense", "sparse"]
Stage = Literal[
    "queue",
    "resolve",
    "embed",
    "dense",
    "sparse",
    "fuse",
    "rerank",
    "compose",
    "first_token",
    "generate",
    "verify",
    "total",
]
STAGES: tuple[Stage, ...] = (
    "queue",
    "resolve",
    "embed",
    "dense",
    "sparse",
    "fuse",
    "rerank",
    "compose",
    "first_token",
    "generate",
    "verify",
    "total",
)


# ---------------------------------------------------------------- documents


@dataclass(frozen=True, slots=True)
class Block:
    """A structural unit of a document.

    Attributes:
        kind: what it is; a fenced or indented block is `code`, whatever its lines look like.
        start, end: its span in `Document.text`.
        heading_path: titles of the headings above it, outermost first (its own title not included).
        level: 1–6 for a heading, else 0.
        header_end: for a table, where its header rows end (`start` if it has none), else `start`.
        caption: for a table, the line that names it, if the document gives one.
        page: 1-based page, where the format has pages.
    """

    kind: BlockKind
    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    level: int = 0
    header_end: int = 0
    caption: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One file, read.

    Attributes:
        doc_id: its path relative to the corpus folder, with `/`, NFC-normalised.
        text: the whole text that chunks and citations point into. Markdown and text keep their source
            characters (without front matter); tables of other formats are written as pipe tables.
        media_type: for example `text/markdown`.
        encoding: the encoding that was detected, for example `utf-8` or `gb18030`; empty for binary formats.
        sha256: of the file's bytes, hexadecimal.
        metadata: front matter and what else the format states (`sources`, `as_of`, `published`, `doc_type`, `url`…).
        warnings: what was odd though it could be read ("1 undecodable byte at offset 812").
    """

    doc_id: str
    title: str
    language: Language
    text: str
    blocks: tuple[Block, ...]
    media_type: str
    encoding: str
    sha256: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code points in a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: what is found, shown and cited.

    A chunk is a whole paragraph group, table part or code block. Its `pieces` are the smaller spans that are
    embedded; each becomes one vector, and a hit on any of them is a hit on the chunk.

    Attributes:
        chunk_id: derived from content and place, see `chunk_id_of`.
        doc_id: the document the span belongs to.
        ordinal: position among the document's chunks, from 0.
        kind: `table` and `code` chunks are never mixed with prose.
        start, end: its body's span in `Document.text`; the body is `document.text[start:end]`, character for character.
        text: what is shown and searched; it always ends with the body. Before it stand the header rows, for part of
            a table that was cut, or the opening fence line, for part of a code block that was cut.
        caption: the line that introduces a table or code chunk (its caption or the sentence right above it); not part
            of `text`, searched together with it.
        heading_path: headings above it, outermost first.
        pieces: spans inside [start, end) that are embedded.
        embed_texts: one text per piece, as the embedder gets it (title or heading path, table header, piece), without
            the model's own prefix; each fits the model's window.
        language: the language of this passage (a document may mix both).
        page, page_end: where the format has pages.
        also_in: doc_ids of other documents that hold the same passage.
    """

    chunk_id: str
    doc_id: str
    ordinal: int
    kind: ChunkKind
    start: int
    end: int
    text: str
    heading_path: tuple[str, ...]
    pieces: tuple[Span, ...]
    embed_texts: tuple[str, ...]
    language: Language
    page: int | None = None
    page_end: int | None = None
    also_in: tuple[str, ...] = ()
    caption: str = ""


def chunk_id_of(doc_id: str, start: int, text: str) -> str:
    """A chunk's id: 16 hexadecimal digits of SHA-256 over document, place and text."""
    return hashlib.sha256(f"{doc_id}\x00{start}\x00{text}".encode()).hexdigest()[:16]


# ---------------------------------------------------------------- embeddings


@dataclass(frozen=True, slots=True)
class EmbeddingInfo:
    """All that decides what vectors a model makes; two equal fingerprints make interchangeable vectors.

    Attributes:
        model: name, for example `intfloat/multilingual-e5-small`.
        revision: of the weights; for local files a checksum.
        dim: width of a vector.
        max_tokens: window of the model, special tokens and prefix included.
        query_prefix, passage_prefix: put before each text.
        pooling: `mean`, `cls` or `model` (the model decides).
        normalised: whether vectors have unit length.
        metric: how vectors compare.
    """

    model: str
    revision: str
    dim: int
    max_tokens: int
    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: str = "mean"
    normalised: bool = True
    metric: Literal["inner_product"] = "inner_product"

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over every attribute."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]


# ---------------------------------------------------------------- search


@dataclass(frozen=True, slots=True)
class Filters:
    """Limits of a search; an empty tuple limits nothing."""

    vendor: tuple[str, ...] = ()
    gpu: tuple[str, ...] = ()
    doc_id: tuple[str, ...] = ()
    doc_type: tuple[str, ...] = ()
    published_after: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is limited."""
        return self == Filters()


@dataclass(frozen=True, slots=True)
class Contributions:
    """How each leg rated a hit; `None` where the leg did not see it. Each score lies in 0–1."""

    dense: float | None = None
    sparse: float | None = None
    cross: float | None = None
    rerank: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One found passage.

    Attributes:
        rank: from 1.
        score: 0–1, higher is better; never increases with rank, except at slots reserved for the other language.
        piece: the span of the best matching piece in the document.
    """

    chunk: Chunk
    rank: int
    score: float
    contributions: Contributions
    piece: Span


@dataclass(frozen=True, slots=True)
class SearchSignals:
    """What a search noticed besides its hits.

    Attributes:
        language: of the question as it was searched.
        crossing: the first hit is a passage in the other language.
        is_foreign: nothing that may be found is in the question's own language.
        margin: how far the best score of the ranking that leads stands above the mean of its ranks 2–6.
        agreement: the dense and the lexical leg rate the same passage best.
        unknown_codes: card or part numbers of the question that stand nowhere in the corpus.
        named_documents: doc_ids that the question names; the hits are limited to them.
    """

    language: Language = "en"
    crossing: bool = False
    is_foreign: bool = False
    margin: float = 0.0
    agreement: bool = False
    unknown_codes: tuple[str, ...] = ()
    named_documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search found, and how long each stage took."""

    hits: tuple[Hit, ...]
    timings_ms: Mapping[Stage, float]
    warnings: tuple[str, ...] = ()
    signals: SearchSignals = field(default_factory=SearchSignals)


# ---------------------------------------------------------------- answers


@dataclass(frozen=True, slots=True)
class Source:
    """Numbered evidence that an answer cites.

    Attributes:
        source_id: `src_…`, stable for the same passage in the same generation.
        index: the n of its mark `[n]`.
        doc_id: the document, or `catalog/<language>/<gpu_id>` for a card's sheet.
        kind: `spec` for a catalogue entry, `table` for a table passage, else `text`.
        text: the passage or the sheet's line, as it stands.
        start, end: where `text` (without repeated table headers) stands in the document.
    """

    source_id: str
    index: int
    doc_id: str
    title: str
    kind: SourceKind
    text: str
    start: int
    end: int
    section: str = ""
    page: int | None = None
    page_end: int | None = None
    url: str | None = None
    doc_version: str = ""
    published: str | None = None
    score: float | None = None
    contributions: Contributions = field(default_factory=Contributions)


@dataclass(frozen=True, slots=True)
class Citation:
    """One mark in an answer.

    Attributes:
        marker: `[1]`.
        start, end: where the mark itself stands in `Answer.text`.
        text_start, text_end: the sentence or table cell that it supports, the mark not included.
        quote: the supporting words, exactly as they stand in the document at [doc_start, doc_end).
    """

    marker: str
    source_id: str
    start: int
    end: int
    text_start: int
    text_end: int
    quote: str
    doc_id: str
    doc_start: int
    doc_end: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell: what is shown, and the figure behind it."""

    text: str
    value: float | str | None = None
    unit: str | None = None
    qualifier: str | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A table column; `unit` holds for all its cells."""

    key: str
    label: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A table row: cells by column key."""

    key: str
    label: str
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an answer; the same table stands in the answer's text as Markdown."""

    table_id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One number of an answer and what stands behind it.

    Attributes:
        kind: `figure`, `word`, or what a number is that is no figure: `card`, `format`, `list_number`…
        text: as it stands in the answer, at [start, end); `None` where its words could not be placed.
    """

    gpu_id: str | None
    field: str | None
    value: float | str
    unit: str | None
    qualifier: str | None
    source_id: str | None
    verdict: Verdict
    kind: FactKind = "figure"
    text: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of a conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question with everything that may change its answer."""

    question: str
    history: tuple[Turn, ...] = ()
    language: Literal["auto", "zh", "en"] = "auto"
    mode: Literal["auto", "generate", "extract"] = "auto"
    filters: Filters = field(default_factory=Filters)
    top_k: int = 8
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer or a refusal, with its receipt.

    Attributes:
        text: Markdown with `[n]` marks.
        sources: only what the text cites, in order of first mark.
        timings_ms: `None` where the stage did not run.
        generation: the index generation it rests on.
        model: the chat model that worded it, or `extract`.
    """

    status: AnswerStatus
    reason: Reason | None
    language: Language
    text: str
    citations: tuple[Citation, ...]
    sources: tuple[Source, ...]
    tables: tuple[Table, ...]
    facts: tuple[Fact, ...]
    timings_ms: Mapping[Stage, float | None]
    generation: str
    built_at: str
    model: str
    device: str
    warnings: tuple[str, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    trace: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StatusEvent:
    """A stage of an answer that has ended."""

    stage: Stage
    ms: float


@dataclass(frozen=True, slots=True)
class SourcesEvent:
    """The evidence that the text to come may cite."""

    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class DeltaEvent:
    """A verified piece of the answer's text; all pieces together are `Answer.text`."""

    text: str


@dataclass(frozen=True, slots=True)
class TableEvent:
    """A table whose Markdown came in the delta before."""

    table: Table


@dataclass(frozen=True, slots=True)
class DoneEvent:
    """The whole answer; always last."""

    answer: Answer


AnswerEvent = StatusEvent | SourcesEvent | DeltaEvent | TableEvent | DoneEvent


# ---------------------------------------------------------------- builds

BuildStage = Literal["scan", "parse", "chunk", "embed", "write", "verify", "swap"]


@dataclass(frozen=True, slots=True)
class BuildEvent:
    """One line of a build's progress, also written as JSON by a build that runs as a child process."""

    stage: BuildStage
    done: int
    total: int
    ms: float
    message: str = ""
