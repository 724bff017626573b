"""How much memory a workload takes, part by part: one copy of the model, before it is spread over cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kb.sizing.activations import estimate_activations
from kb.sizing.adapters import estimate_adapters
from kb.sizing.bounds import ZERO, Bounds
from kb.sizing.kv_cache import estimate_kv_cache
from kb.sizing.line import Line
from kb.sizing.optimizer import estimate_gradients, estimate_optimizer
from kb.sizing.overhead import estimate_overhead
from kb.sizing.weights import estimate_weights
from kb.sizing.workload import Workload


@dataclass(frozen=True)
class MemoryEstimate:
    """The parts in order.

    Attributes:
        lines: weights first, overhead last; `kv_per_token` is no part of the total.
    """

    workload: Workload
    lines: tuple[Line, ...]

    @cached_property
    def parts(self) -> Mapping[str, Bounds]:
        """Bytes by part, without overhead."""
        return {line.key: line.value for line in self.lines if line.key not in {"overhead", "kv_per_token"}}

    @cached_property
    def needed(self) -> Bounds:
        """Bytes of all parts, without overhead."""
        return sum(self.parts.values(), ZERO)

    @cached_property
    def total(self) -> Bounds:
        """Bytes with the overhead of one card that holds it all."""
        return self.needed + self.lines[-1].value

    def part(self, key: str) -> Bounds:
        """Bytes of a part; zero for one it does not have."""
        return self.parts.get(key, ZERO)


def estimate_memory(workload: Workload) -> MemoryEstimate:
    """The memory of a workload."""
    lines = [estimate_weights(workload)]
    if workload.trains:
        if workload.method != "full":
            lines.append(estimate_adapters(workload))
        lines += [estimate_gradients(workload), estimate_optimizer(workload)]
    else:
        lines.append(estimate_kv_cache(workload))
    lines.append(estimate_activations(workload))
    needed = sum((line.value for line in lines if line.key != "kv_per_token"), ZERO)
    return MemoryEstimate(workload, (*lines, estimate_overhead(needed)))
