"""The shape of `/v1/select`: a selection as it is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from kb.types import Language
from kb.wire.gpus import SpecSourceOut
from kb.wire.sizing import LayoutOut, LineOut, WorkloadOut

MOST_ADDED = 20
Scalar = float | str | bool
Constraints = dict[str, dict[str, Scalar | list[float | str]]]
AnyOf = list[list[Constraints]]


class CheckOut(BaseModel):
    """One requirement held against one card."""

    field: str
    required: dict[str, Scalar | list[float | str]]
    value: float | str | None = Field(description="As published; null where nothing is, or a range.")
    value_low: float | None = Field(description="With `value_high`: a range, or figures that differ.")
    value_high: float | None
    unit: str | None
    text: str
    result: Literal["pass", "fail", "unknown"]
    choice: int = Field(
        0, description="Number of the choice it belongs to, of which one alternative is enough; 0: none."
    )
    state: str = Field(description="known, range, variants, conflicting, unresolved, not_published or not_supported.")
    source: str | None = Field(description="Key in `sources`.")


class PartOut(BaseModel):
    """One part of a card's score."""

    field: str
    weight: float
    value: float | None = Field(description="In `unit`; null where nothing certain is published, which scores nothing.")
    unit: str | None


class NeededOut(BaseModel):
    """The memory of a workload on the cards it takes; GB of 10⁹ bytes."""

    total_gb_low: float = Field(description="Of one copy of the model.")
    total_gb_high: float
    each_gb_low: float = Field(description="On the fullest card.")
    each_gb_high: float
    card_gb: float
    layout: LayoutOut


class SpeedOut(BaseModel):
    """Roofline bounds of the workload on those cards."""

    decode_tokens_s_low: float | None = Field(description="All sequences together; null: a rate is not published.")
    decode_tokens_s_high: float | None
    limit: str | None = Field(description="memory_bandwidth or compute.")
    lines: list[LineOut] = Field(description="With `explain`: every bound with its formula and inputs.")


class CandidateOut(BaseModel):
    """A card that passes."""

    rank: int
    gpu_id: str
    name: str
    vendor: str
    tier: int = Field(description="1: checked against several sources; 2: one database's record.")
    per: str
    count: int = Field(description="How many of it the workload takes; 1 without one.")
    score: float | None = Field(description="0 to 1, relative to the best of the cards that pass; null: nothing ranks.")
    parts: list[PartOut]
    checks: list[CheckOut]
    preferences: list[CheckOut]
    reasons: list[str]
    memory: NeededOut | None
    throughput: SpeedOut | None
    page_url: str


@dataclass(frozen=True, slots=True)
class RejectedOut:
    """A card that fails, and on what. Plain, as there may be a thousand of them."""

    gpu_id: str
    failed: list[str]
    checks: list[CheckOut] | None = None


@dataclass(frozen=True, slots=True)
class UnknownOut:
    """A card that cannot be judged, and for want of what. Plain, as there may be a thousand of them."""

    gpu_id: str
    missing: list[str]
    checks: list[CheckOut] | None = None


class ChangeOut(BaseModel):
    """One requirement relaxed; `to_value` is null where it is dropped."""

    field: str
    operator: str
    from_value: Scalar | list[float | str]
    to_value: Scalar | list[float | str] | None


class RelaxationOut(BaseModel):
    """Changes that belong together and let more cards pass."""

    changes: list[ChangeOut]
    constraints: Constraints = Field(description="All constraints with the changes made, ready to be sent.")
    any_of: AnyOf = Field(description="The choices, unchanged, to be sent with them.")
    adds: int
    gpu_ids: list[str] = Field(description=f"At most {MOST_ADDED} of the cards that are added.")
    text: str


class RankedByOut(BaseModel):
    """One part of the ranking."""

    field: str
    order: Literal["desc", "asc"]
    weight: float


class PreferenceOut(BaseModel):
    """A wish that counts in the ranking and excludes nothing."""

    field: str
    wanted: dict[str, Scalar | list[float | str]]
    weight: float


class InterpretedOut(BaseModel):
    """How the request was read."""

    constraints: Constraints
    any_of: AnyOf = Field(description="Choices, of each of which one alternative has to be met.")
    scenario: str | None
    rank_by: list[RankedByOut]
    prefer: list[PreferenceOut]
    assumptions: list[str]
    not_understood: list[str] = Field(description="Words of the question that no condition was made of.")
    text: str = Field(description="The constraints in words.")


class CountsOut(BaseModel):
    """How many cards came to what."""

    searched: int
    passed: int
    rejected: int
    unknown: int


class SelectOut(BaseModel):
    """A selection."""

    object: Literal["selection"] = "selection"
    language: Language
    interpreted: InterpretedOut
    workload: WorkloadOut | None
    counts: CountsOut
    data: list[CandidateOut]
    rejected: list[RejectedOut]
    unknown: list[UnknownOut]
    relaxations: list[RelaxationOut]
    sources: list[SpecSourceOut]
    timings_ms: dict[str, float]
