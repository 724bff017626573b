"""What sizing needs to know of a card: memory, bandwidth, compute by format, power and price, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from kb.sizing.bounds import Bounds
from kb.sizing.line import Input
from kb.specs.schema import Entry, Figure, GpuSpec, State

GIB: Final = 2**30
GB: Final = 10**9
_ONE_CARD: Final = frozenset({"usable", "physical"})
"""Qualifiers of figures that are two views of one card, not two cards."""


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A card, or one of its memory sizes where it is sold with several.

    Attributes:
        memory: nominal, in GB.
    """

    spec: GpuSpec = field(hash=False)
    memory: Input

    @property
    def gpu_id(self) -> str:
        """Its id in the catalogue."""
        return self.spec.gpu_id

    @property
    def capacity(self) -> Bounds:
        """Bytes: nominal GB as 10⁹ and as 2³⁰.

        Boards carry GiB and are sold by the same number of GB; ECC on GDDR takes a sixteenth, which leaves 1.007 × 10⁹
        bytes of each nominal GB. The lower bound so holds for every card.
        """
        return Bounds(self.memory.value.low * GB, self.memory.value.high * GIB)

    @property
    def has_fast_link(self) -> bool:
        """Whether cards talk over a link of their own, not over PCIe alone."""
        value = self.figure("interconnect_gb_s")
        return value is not None and value.value.high > 0

    def state(self, key: str) -> State:
        """What is known of a field."""
        return self.spec.entries[key].state

    def figure(self, key: str) -> Input | None:
        """A figure of the catalogue; `None` where none is published."""
        return card_input(self.spec, self.spec.entries[key])

    def rates(self, keys: tuple[str, ...]) -> Mapping[str, Input]:
        """The figures there are among several fields."""
        found = ((key, self.figure(key)) for key in keys)
        return {key: figure for key, figure in found if figure is not None and figure.value.high > 0}


def card_input(spec: GpuSpec, entry: Entry) -> Input | None:
    """A figure of a card as an input, over all figures that hold or cannot be ruled out."""
    bounds = entry.bounds
    if bounds is None:
        return None
    figure = entry.preferred or entry.others[0]
    return Input(entry.key, Bounds(*bounds), figure.unit, "card", f"{spec.gpu_id}.{entry.key}", figure)


def accelerators_of(spec: GpuSpec) -> tuple[Accelerator, ...]:
    """A card as it is sold: once for each memory size; none where the size is not published."""
    entry = spec.entries["memory_gb"]
    whole = card_input(spec, entry)
    if whole is None:
        return ()
    sizes = [figure for figure in entry.figures if not _ONE_CARD & set(figure.qualifiers) and figure.low is not None]
    if entry.state == "variants" and len(sizes) == len(entry.figures):
        return tuple(Accelerator(spec, _of_size(whole, figure)) for figure in sizes)
    return (Accelerator(spec, whole),)


def _of_size(whole: Input, figure: Figure) -> Input:
    low, high = figure.low or 0.0, figure.high or 0.0
    return replace(whole, value=Bounds(low, high), figure=figure)
