"""Which cards a question is about when it describes them instead of naming them."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.question import Group, Question
from kb.answer.structured.voice import Voice
from kb.selection.attributes import segment_of
from kb.specs.schema import GpuSpec


def named_or_described(voice: Voice, question: Question) -> tuple[str, ...]:
    """The cards of a ranking: those named, else those described; second-tier ones only for consumer cards."""
    if question.cards:
        return question.gpu_ids
    tiers = {1, 2} if reaches_second_tier(question) else {1}
    return tuple(
        spec.gpu_id
        for spec in voice.catalog.gpus.values()
        if spec.tier in tiers and in_groups(voice, spec, question.groups)
    )


def reaches_second_tier(question: Question) -> bool:
    """Whether the words describe cards that are mostly in the second tier."""
    return any(group.kind in {"consumer", "series"} for group in question.groups)


def in_groups(voice: Voice, spec: GpuSpec, groups: Sequence[Group]) -> bool:
    """Whether a card belongs to what the groups describe: one of each kind that is named."""
    kinds = {group.kind for group in groups}
    return all(any(_belongs(voice, spec, group) for group in groups if group.kind == kind) for kind in kinds)


def _belongs(voice: Voice, spec: GpuSpec, group: Group) -> bool:
    if group.kind == "vendor":
        return spec.vendor_id == group.value
    if group.kind == "domestic":
        return voice.catalog.vendors[spec.vendor_id].domestic
    if group.kind == "foreign":
        return not voice.catalog.vendors[spec.vendor_id].domestic
    if group.kind == "architecture":
        entry = spec.entries.get("architecture")
        return entry is not None and isinstance(entry.value, str) and entry.value.lower().startswith(group.value)
    if group.kind in {"consumer", "datacentre"}:
        return segment_of(spec.name, spec.tier) == group.kind
    return group.value in spec.name.lower()
