"""How much memory a workload takes, part by part: one copy of the model, before it is spread over cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final

from kb.sizing.activations import activation_bytes, estimate_activations
from kb.sizing.adapters import adapter_bytes, estimate_adapters
from kb.sizing.bounds import ZERO, Bounds
from kb.sizing.kv_cache import cache_bytes, estimate_kv_cache
from kb.sizing.line import Line
from kb.sizing.optimizer import estimate_gradients, estimate_optimizer, gradient_bytes, state_bytes
from kb.sizing.overhead import estimate_overhead
from kb.sizing.weights import estimate_weights, weights_bytes
from kb.sizing.workload import Workload

_Part = tuple[Callable[[Workload], Bounds], Callable[[Workload], Line]]
_PARTS: Final[Mapping[str, _Part]] = MappingProxyType(
    {
        "weights": (weights_bytes, estimate_weights),
        "adapters": (adapter_bytes, estimate_adapters),
        "gradients": (gradient_bytes, estimate_gradients),
        "optimizer": (state_bytes, estimate_optimizer),
        "kv_cache": (cache_bytes, estimate_kv_cache),
        "activations": (activation_bytes, estimate_activations),
    }
)
"""Each part's bytes, and the line that explains them."""


@dataclass(frozen=True)
class MemoryEstimate:
    """The memory of a workload; what is not asked for is not calculated."""

    workload: Workload

    @cached_property
    def parts(self) -> Mapping[str, Bounds]:
        """Bytes by part, without overhead."""
        return {key: _PARTS[key][0](self.workload) for key in self._keys}

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The parts in order, weights first, overhead last; a cache of no given context shows one token's."""
        return (*(_PARTS[key][1](self.workload) for key in self._keys), estimate_overhead(self.needed))

    @property
    def _keys(self) -> tuple[str, ...]:
        if not self.workload.trains:
            return ("weights", "kv_cache", "activations")
        adapters = () if self.workload.method == "full" else ("adapters",)
        return ("weights", *adapters, "gradients", "optimizer", "activations")

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
    return MemoryEstimate(workload)
