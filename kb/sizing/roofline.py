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
class Work:
    """What one card does in a step: bytes moved and operations."""

    moved: float
    operations: float


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

    def time(self, least: Work, common: Work, *, layers: int) -> tuple[Bounds, Limit] | None:
        """Seconds of a step, and what limits it; `None` where nothing is published that bounds it.

        Args:
            least: what each card has to do if the work is spread evenly over all of them, however that is done.
            common: what each card does in this layout, pipeline stages that wait for one another added up.
            layers: whose kernels are launched one after another.
        """
        if self.bandwidth is None and (self.compute is None or not self.compute.is_bounded):
            return None
        moving, computing = self._seconds(least, best=True)
        limit: Limit = "memory_bandwidth" if moving >= computing else "compute"
        waiting = layers * (LAYER_S + self._talk())
        return Bounds(max(moving, computing), max(self._seconds(common, best=False)) + waiting), limit

    def _seconds(self, work: Work, *, best: bool) -> tuple[float, float]:
        """Seconds to move and to compute: at the published peaks, or at what is common."""
        moving = computing = 0.0
        if self.bandwidth is not None:
            rate = self.bandwidth.value.high if best else self.bandwidth.value.low * BANDWIDTH_SHARE
            moving = work.moved / (rate * 1e9)
        if self.compute is not None:
            rate = self.compute.rate.high if best else self.compute.rate.low * COMPUTE_SHARE
            computing = work.operations / (rate * 1e12)
        return moving, computing

    def _talk(self) -> float:
        if self.layout.tensor == 1:
            return 0.0
        return LINK_S if self.card.has_fast_link else PCIE_S

    def formula(self, moved: str) -> str:
        """The roofline's formula over what is published, for `moved` bytes."""
        parts = []
        if self.bandwidth is not None:
            parts.append(f"{moved} / ({{cards}} × {{memory_bandwidth_gb_s}})")
        if self.compute is not None and self.compute.is_bounded:
            parts.append("{operations} / ({cards} × {rate})")
        return f"max( {' , '.join(parts)} )" if len(parts) > 1 else parts[0]

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The figures of the card."""
        compute = self.compute.inputs if self.compute else ()
        return (*((self.bandwidth,) if self.bandwidth else ()), *compute)
