"""The roofline of one step: no faster than its bytes over the bandwidth, nor than its operations over the rate.

Williams, Waterman, Patterson, Roofline (2009); for transformers Pope et al., Efficiently Scaling Transformer Inference
(2022). The lower bound of a time is the roofline itself, which no engine beats. The upper bound is no limit but what
engines commonly reach: a share of each peak, and some time for launching and for talking between cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from kb.sizing.accelerator import Accelerator
from kb.sizing.bounds import Bounds
from kb.sizing.compute import ComputeRate, compute_rate
from kb.sizing.line import Input
from kb.sizing.placement import Layout
from kb.sizing.workload import Workload

Limit = Literal["memory_bandwidth", "compute"]

BANDWIDTH_SHARE: Final = 0.6
COMPUTE_SHARE: Final = 0.4
LAYER_S: Final = 20e-6
"""Launching the kernels of a layer."""
LINK_S: Final = 20e-6
PCIE_S: Final = 80e-6
"""The two all-reduces of a layer with tensor parallelism, over a link of the cards' own and over PCIe."""


@dataclass(frozen=True, slots=True)
class Roof:
    """What a layout of cards offers.

    Attributes:
        bandwidth: of one card, GB/s; `None` where not published.
        compute: of one card; `None` where not published.
    """

    card: Accelerator
    layout: Layout
    bandwidth: Input | None
    compute: ComputeRate | None

    @classmethod
    def of(cls, workload: Workload, card: Accelerator, layout: Layout) -> Roof:
        """The roof of cards for a workload."""
        return cls(card, layout, card.figure("memory_bandwidth_gb_s"), compute_rate(card, workload.format))

    def time(self, moved: Bounds, operations: float, *, layers: int, stages: int = 1) -> tuple[Bounds, Limit] | None:
        """Seconds of a step on one replica, and what limits it.

        Args:
            moved: bytes that each card of one pipeline stage moves, all stages one after another.
            operations: of all cards together.
            layers: whose kernels are launched one after another.
            stages: pipeline stages that compute at the same time.
        """
        if self.bandwidth is None and (self.compute is None or not self.compute.is_bounded):
            return None
        memory = self._memory(moved)
        compute = self._compute(operations, stages)
        limit: Limit = "memory_bandwidth" if memory.low >= compute.low else "compute"
        waiting = layers * (LAYER_S + self._talk())
        return Bounds(max(memory.low, compute.low), max(memory.high, compute.high) + waiting), limit

    def _memory(self, moved: Bounds) -> Bounds:
        if self.bandwidth is None:
            return Bounds(0.0, 0.0)
        rate = self.bandwidth.value * 1e9
        return Bounds(moved.low / rate.high, moved.high / (rate.low * BANDWIDTH_SHARE))

    def _compute(self, operations: float, stages: int) -> Bounds:
        if self.compute is None:
            return Bounds(0.0, 0.0)
        rate = self.compute.rate * (1e12 * self.layout.tensor * stages)
        return Bounds(operations / rate.high, operations / (rate.low * COMPUTE_SHARE))

    def _talk(self) -> float:
        if self.layout.tensor == 1:
            return 0.0
        return LINK_S if self.card.has_fast_link else PCIE_S

    def formula(self, moved: str, cards: str) -> str:
        """The roofline's formula over what is published, for `moved` bytes that so many `cards` read at once."""
        parts = []
        if self.bandwidth is not None:
            parts.append(f"{moved} / ({{{cards}}} × {{memory_bandwidth_gb_s}})")
        if self.compute is not None and self.compute.is_bounded:
            parts.append("{operations} / ({cards} × {rate})")
        return f"max( {' , '.join(parts)} )" if len(parts) > 1 else parts[0]

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The figures of the card."""
        compute = self.compute.inputs if self.compute else ()
        return (*((self.bandwidth,) if self.bandwidth else ()), *compute)
