"""`/v1/ask`: an answer with its receipt."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from kb.types import STAGES, Answer, AnswerStatus, Citation, Fact, FactKind, Language, Reason, Table, Verdict
from kb.wire.common import IndexRef, SourceOut
from kb.wire.sources import page_url, source_out


class CitationOut(BaseModel):
    """One mark in the answer and the words behind it."""

    marker: str
    source_id: str
    start: int = Field(description="Where the mark stands in `answer`, in code points, half open.")
    end: int
    text_start: int = Field(description="The sentence or table cell of `answer` that it supports.")
    text_end: int
    quote: str
    doc_id: str
    doc_start: int = Field(description="Where the quote stands in the document's text.")
    doc_end: int
    page_url: str


class CellOut(BaseModel):
    """One table cell."""

    text: str
    value: float | str | None
    unit: str | None
    qualifier: str | None
    source: str | None


class ColumnOut(BaseModel):
    """One table column."""

    key: str
    label: str
    unit: str | None


class RowOut(BaseModel):
    """One table row."""

    key: str
    label: str
    cells: dict[str, CellOut]


class TableOut(BaseModel):
    """A table of the answer; its Markdown stands in the answer's text."""

    id: str
    title: str
    columns: list[ColumnOut]
    rows: list[RowOut]


class FactOut(BaseModel):
    """A number of the answer and what stands behind it."""

    gpu_id: str | None
    field: str | None
    value: float | str
    unit: str | None
    qualifier: str | None
    source: str | None
    verdict: Verdict
    kind: FactKind = Field(description="`figure`, `word`, or what a number is that is no figure: `card`, `format`…")
    text: str = Field(description="As it stands in `answer`.")
    start: int | None = Field(description="Where it stands in `answer`, in code points, half open.")
    end: int | None


class AnswerOut(BaseModel):
    """An answer or a refusal, with its receipt."""

    id: str
    object: Literal["answer"] = "answer"
    created: str
    status: AnswerStatus
    reason: Reason | None
    language: Language
    answer: str
    citations: list[CitationOut]
    sources: list[SourceOut]
    tables: list[TableOut]
    facts: list[FactOut]
    usage: dict[str, int]
    timings_ms: dict[str, float | None]
    index: IndexRef
    model: str
    device: str
    warnings: list[str]
    trace: dict[str, Any] | None = Field(default=None, description="How the answer came about; on request.")


def new_answer_id() -> str:
    """An id for an answer."""
    return f"ans_{secrets.token_hex(12)}"


def answer_out(answer: Answer, answer_id: str, *, with_trace: bool) -> AnswerOut:
    """An answer as it is sent."""
    return AnswerOut(
        id=answer_id,
        created=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        status=answer.status,
        reason=answer.reason,
        language=answer.language,
        answer=answer.text,
        citations=[_citation_out(citation, answer) for citation in answer.citations],
        sources=[source_out(source, answer.generation) for source in answer.sources],
        tables=[table_out(table) for table in answer.tables],
        facts=[_fact_out(fact) for fact in answer.facts],
        usage=dict(answer.usage),
        timings_ms={str(stage): answer.timings_ms.get(stage) for stage in STAGES},
        index=IndexRef(generation=answer.generation, built_at=answer.built_at),
        model=answer.model,
        device=answer.device,
        warnings=list(answer.warnings),
        trace=dict(answer.trace) if with_trace else None,
    )


def answer_json(answer: AnswerOut) -> str:
    """An answer as JSON, straight from the model; the trace only where it was asked for."""
    return answer.model_dump_json(exclude={"trace"} if answer.trace is None else None)


def table_out(table: Table) -> TableOut:
    """A table as it is sent."""
    return TableOut(
        id=table.table_id,
        title=table.title,
        columns=[ColumnOut(key=column.key, label=column.label, unit=column.unit) for column in table.columns],
        rows=[
            RowOut(
                key=row.key,
                label=row.label,
                cells={
                    key: CellOut(
                        text=cell.text,
                        value=cell.value,
                        unit=cell.unit,
                        qualifier=cell.qualifier,
                        source=cell.source_id,
                    )
                    for key, cell in row.cells.items()
                },
            )
            for row in table.rows
        ],
    )


def _citation_out(citation: Citation, answer: Answer) -> CitationOut:
    pages = {source.source_id: source.page for source in answer.sources}
    return CitationOut(
        marker=citation.marker,
        source_id=citation.source_id,
        start=citation.start,
        end=citation.end,
        text_start=citation.text_start,
        text_end=citation.text_end,
        quote=citation.quote,
        doc_id=citation.doc_id,
        doc_start=citation.doc_start,
        doc_end=citation.doc_end,
        page_url=page_url(
            citation.doc_id, pages.get(citation.source_id), citation.doc_start, citation.doc_end, answer.generation
        ),
    )


def _fact_out(fact: Fact) -> FactOut:
    return FactOut(
        gpu_id=fact.gpu_id,
        field=fact.field,
        value=fact.value,
        unit=fact.unit,
        qualifier=fact.qualifier,
        source=fact.source_id,
        verdict=fact.verdict,
        kind=fact.kind,
        text=fact.text,
        start=fact.start,
        end=fact.end,
    )
