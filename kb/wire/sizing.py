"""The shape of `/v1/size`: a sized workload as it is sent."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from kb.wire.gpus import FigureOut


class InputOut(BaseModel):
    """One number that went into a line."""

    name: str
    label: str
    text: str
    value_low: float
    value_high: float
    unit: str | None
    basis: str = Field(description="given, model, card, format, assumed or derived (from other lines).")
    ref: str | None = Field(description="Address of the model's configuration, or `gpu_id.field` of the catalogue.")
    figure: FigureOut | None = Field(description="The catalogue's figure with its sources.")


class LineOut(BaseModel):
    """One value with its formula. Bytes are exact; `text` rounds them to GB of 10⁹ bytes."""

    key: str
    label: str
    text: str
    low: float | None
    high: float | None
    unit: str | None
    gib_low: float | None = Field(description="The same in GiB of 2³⁰ bytes, where the unit is bytes.")
    gib_high: float | None
    formula: str
    calculation: str
    inputs: list[InputOut]
    notes: list[str]


class ModelOut(BaseModel):
    """The model that was sized."""

    name: str
    shape: str = Field(description="The recorded model whose shape was taken.")
    shape_basis: str = Field(description="named, given, assumed (of a model of that size) or scaled (from one).")
    parameters: float
    active_parameters: float
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    attention: str
    experts: int | None
    source: str


class WorkloadOut(BaseModel):
    """The workload as it was understood, defaults included."""

    model: ModelOut
    task: str
    method: str
    precision: str
    precision_basis: str = Field(description="given, released (what the published weights have) or assumed.")
    kv_precision: str
    context_tokens: int | None
    sequences: int
    recompute: str | None
    optimizer: str | None
    zero_stage: int | None
    lora_rank: int | None
    target_tpot_ms: float | None
    target_tokens_s: float | None
    training_tokens: float | None


class LayoutOut(BaseModel):
    """Degrees of parallelism."""

    cards: int
    tensor_parallel: int
    pipeline_parallel: int
    data_parallel: int


class MemoryOut(BaseModel):
    """The memory of one copy of the model."""

    total_low: float
    total_high: float
    total_text: str
    lines: list[LineOut]


class ReplicasOut(BaseModel):
    """Cards for the speed that is wanted: copies of one layout."""

    cards: int = Field(description="At the common level.")
    cards_least: int = Field(description="By the roofline, whichever layout is taken.")
    copies: int
    layout: LayoutOut = Field(description="Of one copy.")
    sequences: int = Field(description="At once on each copy.")
    tokens_s_low: float = Field(description="Of one copy: common level.")
    tokens_s_high: float
    line: LineOut


class LongestOut(BaseModel):
    """The longest context of each sequence on the cards that the lines are for."""

    tokens_low: int = Field(description="So many surely fit.")
    tokens_high: int = Field(description="So many may fit.")
    sequences: int
    limit: Literal["memory", "model"] = Field(description="What binds: memory, or what the model was made for.")
    text: str


class CardSizeOut(BaseModel):
    """A workload on one kind of card."""

    gpu_id: str
    name: str
    memory_gb: float
    memory: FigureOut | None
    board_count: int = Field(description="GPUs on a board; where it is more than 1 the figures count GPUs.")
    cards: int | None = Field(description="How many the figures below are for; null: no number of them holds it.")
    cards_by_capacity_low: int | None
    cards_by_capacity_high: int | None
    tight_layout: LayoutOut | None
    planned_layout: LayoutOut | None
    layout: LayoutOut | None
    verdict: str | None = Field(description="fits, tight or does_not_fit, where a number of cards was given.")
    bytes_each_low: float | None
    bytes_each_high: float | None
    limit: str = Field(description="What binds: memory, memory_bandwidth or compute.")
    concurrency_limit: str | None
    longest_context: LongestOut | None = Field(description="Of inference; null where not even the weights fit.")
    replicas: ReplicasOut | None = Field(description="Where target_tokens_s is given; null: a rate is not published.")
    lines: list[LineOut]
    missing: list[str] = Field(description="Fields that nobody publishes and that a line would have needed.")


class SizeOut(BaseModel):
    """A sized workload."""

    object: Literal["size"] = "size"
    workload: WorkloadOut
    assumptions: list[str]
    memory: MemoryOut
    data: list[CardSizeOut]
