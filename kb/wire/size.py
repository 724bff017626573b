"""`/v1/size`: what a workload needs, line by line."""

from __future__ import annotations

import math

from kb.sizing import CardEstimate, Estimate, Input, Layout, Line, Workload, longest_context, replicas_for
from kb.sizing.accelerator import GIB
from kb.sizing.words import bounds_text, calculation_text, formula_text, input_label, line_label, note_text
from kb.types import Language
from kb.wire.gpus import figure_out
from kb.wire.sizing import (
    CardSizeOut,
    InputOut,
    LayoutOut,
    LineOut,
    LongestOut,
    MemoryOut,
    ModelOut,
    ReplicasOut,
    SizeOut,
    WorkloadOut,
)


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
