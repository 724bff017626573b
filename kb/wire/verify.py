"""`/v1/verify`: a checked text."""

from __future__ import annotations

import time
from typing import Literal

from pydantic import BaseModel, Field

from kb.answer.gate import CheckedFact, CheckedText, CheckVerdict, FactChecker
from kb.text import language_of
from kb.types import FactKind, Language
from kb.wire.gpus import SpecSourceOut, spec_source_out


class CheckedFactOut(BaseModel):
    """A number or named property of the text, what it claims and what is to be said of it."""

    text: str
    kind: FactKind = Field(
        description="`figure` and `word` state a field of a card, `derived` follows from figures, `count` counts "
        "things; `number` could not be typed; the others are no figures: part of a name, a format, a list number."
    )
    gpu_id: str | None
    gpu_ids: list[str] = Field(description="All cards it may be about, where a name fits several.")
    field: str | None
    value: float | str | None
    value_high: float | None = Field(description="Upper end of a range.")
    unit: str | None
    qualifier: str | None
    verdict: CheckVerdict
    expected: str | None = Field(description="What would be right, as the catalogue writes it.")
    reason: str | None
    source: SpecSourceOut | None
    start: int = Field(description="Where it stands in the text, in code points, half open.")
    end: int


class CheckSummaryOut(BaseModel):
    """How the text fared."""

    numbers: int = Field(description="Number tokens in the text.")
    typed: int = Field(description="Those of which it is known what they are.")
    typed_share: float
    figures: int = Field(description="Facts that claim something of a card.")
    supported: int
    contradicted: int
    untyped: int
    unknown: int


class VerificationOut(BaseModel):
    """A checked text."""

    object: Literal["verification"] = "verification"
    language: Language
    facts: list[CheckedFactOut]
    summary: CheckSummaryOut
    timings_ms: dict[str, float | None]


def verification_out(checker: FactChecker, text: str, language: Language | None) -> VerificationOut:
    """Check a text; the result as it is sent."""
    began = time.perf_counter()
    spoken = language or language_of(text)
    checked = checker.check(text, spoken)
    ms = round((time.perf_counter() - began) * 1e3, 3)
    return VerificationOut(
        language=spoken,
        facts=[_fact_out(fact, spoken) for fact in checked.facts],
        summary=_summary_out(checked),
        timings_ms={"verify": ms, "total": ms},
    )


def _fact_out(fact: CheckedFact, language: Language) -> CheckedFactOut:
    return CheckedFactOut(
        text=fact.text,
        kind=fact.kind,
        gpu_id=fact.gpu_ids[0] if fact.gpu_ids else None,
        gpu_ids=list(fact.gpu_ids),
        field=fact.field,
        value=fact.value,
        value_high=fact.value_high,
        unit=fact.unit,
        qualifier=fact.qualifier,
        verdict=fact.verdict,
        expected=fact.expected,
        reason=fact.reason,
        source=spec_source_out(fact.source, language) if fact.source else None,
        start=fact.start,
        end=fact.end,
    )


def _summary_out(checked: CheckedText) -> CheckSummaryOut:
    summary = checked.summary
    return CheckSummaryOut(
        numbers=summary.numbers,
        typed=summary.typed,
        typed_share=round(summary.typed_share, 4),
        figures=summary.figures,
        supported=summary.supported,
        contradicted=summary.contradicted,
        untyped=summary.untyped,
        unknown=summary.unknown,
    )
