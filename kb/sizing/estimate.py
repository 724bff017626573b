"""A workload on a card, all together: memory, cards and layout, speed, concurrency, energy and price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kb.sizing.accelerator import Accelerator, accelerators_of
from kb.sizing.assumptions import assumptions
from kb.sizing.bounds import Bounds
from kb.sizing.concurrency import Concurrency, estimate_concurrency
from kb.sizing.cost import estimate_energy, estimate_power, estimate_price
from kb.sizing.decode import Decode, estimate_decode
from kb.sizing.line import Line, Note
from kb.sizing.memory import MemoryEstimate, estimate_memory
from kb.sizing.placement import Layout, Placement, Verdict, layout_of, on_each_card, place
from kb.sizing.prefill import Prefill, estimate_prefill
from kb.sizing.roofline import Roof
from kb.sizing.training import Training, estimate_training
from kb.sizing.workload import Workload
from kb.specs.schema import GpuSpec

Binding = Literal["memory", "memory_bandwidth", "compute"]


@dataclass(frozen=True, slots=True)
class CardEstimate:
    """A workload on one kind of card.

    Attributes:
        cards: how many the figures are for: those given, else those of the planned layout.
        verdict: whether that many hold it; `None` where no count was given.
        layout: how they are used; `None` where no number of them holds it.
        each: bytes on the fullest card.
        limit: what binds: memory where the cards given do not hold it, else what limits speed.
    """

    card: Accelerator
    placement: Placement
    cards: int | None
    verdict: Verdict | None
    layout: Layout | None
    each: Bounds | None
    prefill: Prefill | None = None
    decode: Decode | None = None
    concurrency: Concurrency | None = None
    training: Training | None = None
    power: Line | None = None
    energy: Line | None = None
    price: Line | None = None

    @property
    def limit(self) -> Binding:
        """What binds."""
        if self.layout is None or self.verdict == "does_not_fit":
            return "memory"
        if self.training is not None:
            return "compute"
        return self.decode.limit if self.decode else "memory"

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line, in reading order."""
        groups = (self.prefill, self.decode, self.concurrency, self.training)
        found = [line for group in groups if group is not None for line in group.lines]
        return (*found, *(line for line in (self.power, self.energy, self.price) if line is not None))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A workload, and what it comes to on the cards asked about."""

    workload: Workload
    memory: MemoryEstimate
    on_cards: tuple[CardEstimate, ...] = ()

    @property
    def assumptions(self) -> tuple[Note, ...]:
        """What it takes for granted as a whole."""
        return assumptions(self.workload, on_cards=bool(self.on_cards))


def estimate(workload: Workload, *specs: GpuSpec, cards: int | None = None) -> Estimate:
    """Size a workload.

    Args:
        workload: what is to be run.
        specs: cards to run it on; one sold with several memory sizes gives an estimate for each.
        cards: how many there are of each; `None` asks how many it takes.
    """
    memory = estimate_memory(workload)
    found = [estimate_on(memory, card, cards) for spec in specs for card in accelerators_of(spec)]
    return Estimate(workload, memory, tuple(found))


def estimate_on(memory: MemoryEstimate, card: Accelerator, cards: int | None = None) -> CardEstimate:
    """A workload, whose memory is known, on one kind of card."""
    placement = place(memory, card)
    layout = placement.planned if cards is None else layout_of(memory, cards)
    if layout is None:
        return CardEstimate(card, placement, cards, None, None, None)
    count = layout.cards if cards is None else cards
    verdict = None if cards is None else placement.verdict(cards)
    each = on_each_card(memory, layout, card)
    price = estimate_price(card, count)
    power = estimate_power(card, count)
    roof = Roof.of(memory.workload, card, layout)
    if memory.workload.trains:
        training = estimate_training(memory.workload, roof)
        return CardEstimate(card, placement, count, verdict, layout, each, training=training, power=power, price=price)
    decode = estimate_decode(memory.workload, roof)
    return CardEstimate(
        card,
        placement,
        count,
        verdict,
        layout,
        each,
        prefill=estimate_prefill(memory.workload, roof),
        decode=decode,
        concurrency=estimate_concurrency(memory.workload, roof),
        power=power,
        energy=estimate_energy(power, decode.tokens_s) if power and decode else None,
        price=price,
    )
