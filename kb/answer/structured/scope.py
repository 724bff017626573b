"""Which cards a ranking is over: those a question names, else those it describes, of the whole catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.question import Group, Question
from kb.answer.structured.conditions import conditions_said, judge_all, requirements_said
from kb.answer.structured.said import Said
from kb.answer.structured.voice import Voice
from kb.selection.attributes import segment_of
from kb.selection.interpretation import Interpretation
from kb.selection.selector import SelectionRequest, Selector
from kb.specs.schema import GpuSpec

_OF_BOTH = frozenset({"segment", "series"})
"""Fields by which cards are described that are mostly in the second tier."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The cards of a ranking.

    Attributes:
        words: how they are described.
        is_of_both: both tiers are ranked as one.
    """

    gpu_ids: tuple[str, ...]
    words: tuple[Said, ...] = ()
    is_of_both: bool = False


def scope_of(voice: Voice, question: Question, selector: Selector) -> Scope:
    """The cards that a question names or describes and that meet its conditions.

    A description that the grammar of conditions reads to the last word is held against the catalogue as a selection;
    any other by the groups and conditions that the question was known by.
    """
    if question.cards:
        return Scope(tuple(i for i in question.gpu_ids if _meets(voice, i, question)))
    read = selector.interpret(question.asked)
    if read.stated and not read.not_understood and question.reference is None:
        return _selected(voice, question, selector, read)
    found = [
        spec.gpu_id
        for spec in voice.catalog.gpus.values()
        if in_groups(voice, spec, question.groups) and _meets(voice, spec.gpu_id, question)
    ]
    words = [Said(group.text.strip()) for group in question.groups]
    if question.conditions:
        words.append(conditions_said(voice, question.conditions))
    is_of_both = any(group.kind in {"consumer", "series"} for group in question.groups)
    return Scope(tuple(found), tuple(words), is_of_both)


def _meets(voice: Voice, gpu_id: str, question: Question) -> bool:
    return not question.conditions or judge_all(voice, gpu_id, question.conditions) == "pass"


def _selected(voice: Voice, question: Question, selector: Selector, read: Interpretation) -> Scope:
    selection = selector.select(SelectionRequest(question=question.asked))
    words = [Said(group.text.strip()) for group in question.groups]
    said_by_groups = {"vendor", "architecture", "segment"} if question.groups else set()
    own = [one for one in selection.requirements if one.field not in said_by_groups]
    if own or selection.choices:
        words.append(requirements_said(voice, own, selection.choices))
    return Scope(selection.passing, tuple(words), any(one.field in _OF_BOTH for one in read.stated))


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
