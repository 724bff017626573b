"""The largest count for which something holds."""

from __future__ import annotations

from collections.abc import Callable


def largest(holds: Callable[[int], bool], most: int) -> int:
    """The largest count from 1 to `most` for which `holds`, 0 for none; it holds up to some count and no further."""
    if not holds(1):
        return 0
    low, high = 1, 2
    while high <= most and holds(high):
        low, high = high, high * 2
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
