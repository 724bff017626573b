"""A quantity between a lower and an upper bound."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """From `low` to `high`; both the same where a formula is exact."""

    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Bounds:
        """One value."""
        return cls(value, value)

    @property
    def is_exact(self) -> bool:
        """Whether both bounds are one value."""
        return self.low == self.high

    def __add__(self, other: Bounds) -> Bounds:
        return Bounds(self.low + other.low, self.high + other.high)

    def __mul__(self, factor: float) -> Bounds:
        return Bounds(self.low * factor, self.high * factor)

    def __truediv__(self, divisor: float) -> Bounds:
        return Bounds(self.low / divisor, self.high / divisor)


ZERO = Bounds(0.0, 0.0)
