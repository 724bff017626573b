"""`/v1/size`: what a workload needs, line by line."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import BaseModel, Field

from kb.sizing import CardEstimate, Estimate, Input, Layout, Line, Workload, longest_context, replicas_for
from kb.sizing.accelerator import GIB
from kb.sizing.words import bounds_text, calculation_text, formula_text, input_label, line_label, note_text
from kb.types import Language
from kb.wire.gpus import FigureOut, figure_out


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


def size_out(estimate: Estimate, language: Language) -> SizeOut:
    """An estimate as it is sent."""
    total = estimate.memory.total
    return SizeOut(
        workload=workload_out(estimate.workload),
        assumptions=[note_text(note, language) for note in estimate.assumptions],
        memory=MemoryOut(
            total_low=total.low,
            total_high=total.high,
            total_text=bounds_text(total, "bytes", language),
            lines=[line_out(line, language) for line in estimate.memory.lines],
        ),
        data=[_card(card, language) for card in estimate.on_cards],
    )


def line_out(line: Line, language: Language) -> LineOut:
    """A line as it is sent."""
    is_bytes = line.unit == "bytes"
    return LineOut(
        key=line.key,
        label=line_label(line, language),
        text=bounds_text(line.value, line.unit, language),
        low=_finite(line.value.low),
        high=_finite(line.value.high),
        unit=line.unit or None,
        gib_low=line.value.low / GIB if is_bytes else None,
        gib_high=line.value.high / GIB if is_bytes else None,
        formula=formula_text(line, language),
        calculation=calculation_text(line, language),
        inputs=[_input(item, language) for item in line.inputs],
        notes=[note_text(note, language) for note in line.notes],
    )


def _input(item: Input, language: Language) -> InputOut:
    return InputOut(
        name=item.name,
        label=input_label(item, language),
        text=bounds_text(item.value, item.unit, language),
        value_low=item.value.low,
        value_high=item.value.high,
        unit=item.unit or None,
        basis=item.basis,
        ref=item.ref or None,
        figure=figure_out(item.figure, language) if item.figure else None,
    )


def workload_out(workload: Workload) -> WorkloadOut:
    """A workload as it was understood."""
    shape, trains = workload.shape, workload.trains
    adapters = trains and workload.method != "full"
    model = ModelOut(
        name=workload.name,
        shape=shape.name,
        shape_basis=workload.shape_basis,
        parameters=workload.parameters,
        active_parameters=shape.count.active * workload.scale,
        layers=shape.layers,
        hidden=shape.hidden,
        heads=shape.heads,
        kv_heads=shape.kv_heads,
        attention=shape.attention,
        experts=shape.moe.experts if shape.moe else None,
        source=shape.source,
    )
    return WorkloadOut(
        model=model,
        task=workload.task,
        method=workload.method,
        precision=workload.precision,
        precision_basis=workload.precision_basis,
        kv_precision=workload.kv_precision,
        context_tokens=workload.tokens or None,
        sequences=workload.sequences,
        recompute=workload.recompute if trains else None,
        optimizer=workload.optimizer if trains else None,
        zero_stage=workload.zero_stage if trains else None,
        lora_rank=workload.lora_rank if adapters else None,
        target_tpot_ms=workload.target_tpot_ms,
        target_tokens_s=workload.target_tokens_s,
        training_tokens=workload.training_tokens,
    )


def _card(card: CardEstimate, language: Language) -> CardSizeOut:
    by_capacity = card.placement.by_capacity
    spec = card.card.spec
    return CardSizeOut(
        gpu_id=spec.gpu_id,
        name=spec.label(language),
        memory_gb=card.card.memory.value.low,
        memory=figure_out(card.card.memory.figure, language) if card.card.memory.figure else None,
        board_count=spec.board_count,
        cards=card.cards if card.layout else None,
        cards_by_capacity_low=_count(by_capacity.low),
        cards_by_capacity_high=_count(by_capacity.high),
        tight_layout=layout_out(card.placement.tight) if card.placement.tight else None,
        planned_layout=layout_out(card.placement.planned) if card.placement.planned else None,
        layout=layout_out(card.layout) if card.layout else None,
        verdict=card.verdict,
        bytes_each_low=card.each.low if card.each else None,
        bytes_each_high=card.each.high if card.each else None,
        limit=card.limit,
        concurrency_limit=card.concurrency.limit if card.concurrency else None,
        longest_context=_longest(card, language),
        replicas=_replicas(card, language),
        lines=[line_out(line, language) for line in card.lines],
        missing=[key for key in _NEEDED if card.card.figure(key) is None],
    )


def _longest(card: CardEstimate, language: Language) -> LongestOut | None:
    workload = card.memory.workload
    found = None if workload.trains else longest_context(card)
    if found is None:
        return None
    return LongestOut(
        tokens_low=int(found.tokens.low),
        tokens_high=int(found.tokens.high),
        sequences=workload.sequences,
        limit=found.limit,
        text=bounds_text(found.tokens, "tokens", language),
    )


def _replicas(card: CardEstimate, language: Language) -> ReplicasOut | None:
    wanted = card.memory.workload.target_tokens_s
    found = replicas_for(card, wanted) if wanted is not None else None
    if found is None:
        return None
    return ReplicasOut(
        cards=int(found.line.value.high),
        cards_least=int(found.least),
        copies=found.copies,
        layout=layout_out(found.layout),
        sequences=found.sequences,
        tokens_s_low=found.tokens_s.low,
        tokens_s_high=found.tokens_s.high,
        line=line_out(found.line, language),
    )


_NEEDED = ("memory_bandwidth_gb_s", "tdp_w", "price_usd")


def layout_out(layout: Layout) -> LayoutOut:
    """A layout as it is sent."""
    return LayoutOut(
        cards=layout.cards,
        tensor_parallel=layout.tensor,
        pipeline_parallel=layout.pipeline,
        data_parallel=layout.data,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _count(value: float) -> int | None:
    return int(value) if math.isfinite(value) else None
