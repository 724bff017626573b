"""A workload on a card, all together: memory, cards and layout, speed, concurrency, energy and price."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
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


@dataclass(frozen=True)
class CardEstimate:
    """A workload on one kind of card; what is not asked for is not calculated.

    Attributes:
        memory: of the workload.
        given: how many cards there are; `None` asks how many it takes.
    """

    memory: MemoryEstimate
    card: Accelerator
    given: int | None = None

    @cached_property
    def placement(self) -> Placement:
        """The smallest layouts that hold the workload."""
        return place(self.memory, self.card)

    @cached_property
    def layout(self) -> Layout | None:
        """How the cards are used: those given, else those planned; `None` where no number of them holds it."""
        return self.placement.planned if self.given is None else layout_of(self.memory, self.given)

    @property
    def cards(self) -> int | None:
        """How many the figures are for."""
        return self.given if self.given is not None or self.layout is None else self.layout.cards

    @property
    def verdict(self) -> Verdict | None:
        """Whether the cards given hold it; `None` where none were."""
        return None if self.given is None else self.placement.verdict(self.given)

    @cached_property
    def each(self) -> Bounds | None:
        """Bytes on the fullest card."""
        return None if self.layout is None else on_each_card(self.memory, self.layout, self.card)

    @cached_property
    def _roof(self) -> Roof | None:
        return None if self.layout is None else Roof.of(self.memory.workload, self.card, self.layout)

    @property
    def _serving(self) -> Roof | None:
        return None if self.memory.workload.trains else self._roof

    @cached_property
    def prefill(self) -> Prefill | None:
        """Reading a prompt."""
        return estimate_prefill(self.memory.workload, self._serving) if self._serving else None

    @cached_property
    def decode(self) -> Decode | None:
        """Writing tokens."""
        return estimate_decode(self.memory.workload, self._serving) if self._serving else None

    @cached_property
    def concurrency(self) -> Concurrency | None:
        """Sequences at once."""
        return estimate_concurrency(self.memory.workload, self._serving) if self._serving else None

    @cached_property
    def training(self) -> Training | None:
        """The speed of a training."""
        trains = self.memory.workload.trains
        return estimate_training(self.memory.workload, self._roof) if trains and self._roof else None

    @cached_property
    def power(self) -> Line | None:
        """Rated power of the cards."""
        return estimate_power(self.card, self.cards) if self.cards else None

    @cached_property
    def energy(self) -> Line | None:
        """Energy for a million tokens."""
        speed = self.decode or self.training
        return estimate_energy(self.power, speed.tokens_s) if self.power and speed else None

    @cached_property
    def price(self) -> Line | None:
        """Price of the cards."""
        return estimate_price(self.card, self.cards) if self.cards else None

    @property
    def limit(self) -> Binding:
        """What binds: memory where the cards given do not hold it, else what limits speed."""
        if self.layout is None or self.verdict == "does_not_fit":
            return "memory"
        if self.memory.workload.trains:
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
    return CardEstimate(memory, card, cards)
