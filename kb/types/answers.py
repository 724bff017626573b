"""An answer or a refusal, whole and piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kb.types.documents import Language
from kb.types.facts import Fact
from kb.types.sources import Citation, Source
from kb.types.stages import Stage
from kb.types.tables import Table

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
