"""From what a question states of a model to the workload that is sized, and the cards it is sized on."""

from __future__ import annotations

from dataclasses import dataclass

from kb.answer.question import Question, Workload
from kb.answer.question.workloads import model_shapes
from kb.answer.structured.names import common_name, mention_name
from kb.answer.structured.voice import Voice
from kb.sizing import CardEstimate, Line, MemoryEstimate, describe_workload, estimate_memory, estimate_on, refined
from kb.sizing import Workload as SizedWorkload
from kb.sizing.accelerator import accelerators_of
from kb.sizing.formats import number_format
from kb.sizing.placement import NODE_CARDS
from kb.sizing.workload import is_model_size
from kb.specs.names import Mention

_MOST_VARIANTS = 8
ASSUMED_CONTEXT = 4096
"""Tokens of a sequence where the answer needs a context and none is given."""
_LOADED = frozenset({"concurrency", "rate"})
SPEED_ASKS = frozenset({"speed", "rate", "prefill", "concurrency", "energy", "price", "time"})
"""What is asked of cards' speed, not of their memory alone."""


_TOLD: dict[str, frozenset[str]] = {
    "speed": frozenset({"step", "decode_total", "decode_each", "first_token", "prefill"}),  # many sequences compute
    "prefill": frozenset({"first_token", "prefill"}),
    "concurrency": frozenset({"by_memory", "by_latency", "concurrency"}),
    "energy": frozenset({"power", "energy"}),
    "price": frozenset({"price"}),
    "time": frozenset({"training", "training_time"}),
}
"""The lines that an answer is about; cards that differ in others alone are told as one."""

OfCard = tuple[str, Line]
"""The name of the card that a line is about, and the line."""


@dataclass(frozen=True, slots=True)
class Sized:
    """A question's workload and what it comes to.

    Attributes:
        groups: cards with the same result under one name, in the order of the question.
    """

    asked: Workload
    workload: SizedWorkload
    memory: MemoryEstimate
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that a workload comes to the same on."""

    name: str
    estimates: tuple[CardEstimate, ...]

    @property
    def first(self) -> CardEstimate:
        """Stands for all of them."""
        return self.estimates[0]


def sized(voice: Voice, question: Question) -> Sized | None:
    """The workload of a question, sized; `None` where nothing is known of its model, or its size is none."""
    asked = question.workload
    if asked is None or not (asked.model or is_model_size((asked.parameters_b or 0.0) * 1e9)):
        return None
    workload = _workload(asked)
    memory = estimate_memory(workload)
    groups: list[Group] = []
    for mention in question.cards:
        found = [
            estimate_on(memory, card, _cards(voice, asked, mention))
            for gpu_id in mention.gpu_ids[:_MOST_VARIANTS]
            for card in accelerators_of(voice.spec(gpu_id))
        ]
        groups += _grouped(voice, mention_name(voice, mention), found, asked)
    return Sized(asked, workload, memory, tuple(groups))


def _cards(voice: Voice, asked: Workload, mention: Mention) -> int | None:
    """How many cards there are: those stated, or those of the machine named, times the machines."""
    machine = voice.catalog.systems.named(mention.text)
    alone = 1 if asked.asks == "context" else None
    each = asked.cards or (machine.gpu_count if machine else NODE_CARDS if asked.nodes else alone)
    return each * (asked.nodes or 1) if each else None


def _workload(asked: Workload) -> SizedWorkload:
    if asked.model:
        found = describe_workload(model_shapes(), model=asked.model)
    else:
        found = describe_workload(model_shapes(), parameters_b=asked.parameters_b, like=asked.unknown)
    precision = number_format(asked.precision).name if asked.precision else None
    if asked.precision == "fp4" and found.shape.released_in == "mxfp4":
        precision = "mxfp4"
    method = asked.methods[0] if asked.methods else "full"
    if method == "qlora" and precision in {"int4", "nvfp4"}:
        precision = "nf4"
    return refined(
        found,
        task=_task(asked),
        method=method if asked.trains else None,
        precision=precision,
        kv_precision=asked.kv_precision or _of_cache(asked, precision),
        context_tokens=asked.context_tokens or (ASSUMED_CONTEXT if asked.asks in _LOADED else None),
        sequences=asked.sequences,
        optimizer=asked.optimizer or None,
        zero_stage=asked.zero_stage,
        lora_rank=asked.lora_rank,
        recompute="none" if asked.keeps_activations else None,
        target_tpot_ms=asked.target_ms,
        training_tokens=asked.training_tokens,
    )


def _of_cache(asked: Workload, precision: str | None) -> str | None:
    """A format that a question about the cache alone gives is the cache's."""
    return precision if asked.asks == "kv" else None


def _task(asked: Workload) -> str:
    if not asked.trains:
        return "inference"
    return "finetune" if asked.finetunes else "pretrain"


def _grouped(voice: Voice, name: str, found: list[CardEstimate], asked: Workload) -> list[Group]:
    """Estimates that differ in nothing that the answer shows, under one name."""
    groups: dict[tuple[object, ...], list[CardEstimate]] = {}
    for item in found:
        placement = item.placement
        key: tuple[object, ...] = (
            item.card.memory.value,
            placement.tight,
            placement.planned,
            item.layout,
            item.verdict,
        )
        if asked.asks in SPEED_ASKS:
            told = _TOLD.get(asked.asks)
            lines = (line.value for line in item.lines if told is None or line.key in told)
            key = (item.layout, item.verdict, item.card.memory.value, *lines)
        groups.setdefault(key, []).append(item)
    if len(groups) == 1:
        return [Group(name, tuple(found))] if found else []
    return [Group(_name(voice, members), tuple(members)) for members in groups.values()]


def _name(voice: Voice, members: list[CardEstimate]) -> str:
    ids = list(dict.fromkeys(member.card.gpu_id for member in members))
    name = common_name(voice, ids) if len(ids) > 1 else voice.name(ids[0])
    size = f"{members[0].card.memory.value.low:g}"
    return name if size in name else f"{name} {size}GB"
