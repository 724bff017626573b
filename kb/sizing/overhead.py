"""What a card keeps for itself: driver context, libraries, communication buffers, captured graphs, fragmentation.

At least the context of one process. At most the share that engines leave free by default (vLLM
`gpu_memory_utilization`, 0.9 of the card), and no less than 2 GB.
"""

from __future__ import annotations

from typing import Final

from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note

CONTEXT_BYTES: Final = 0.5e9
LEAST_RESERVE_BYTES: Final = 2e9
RESERVED_SHARE: Final = 0.10


def overhead_on(card_bytes: float) -> Bounds:
    """On a card of that size."""
    return Bounds(CONTEXT_BYTES, max(LEAST_RESERVE_BYTES, RESERVED_SHARE * card_bytes))


def estimate_overhead(needed: Bounds) -> Line:
    """On a card that would just hold what is `needed`."""
    card = max(needed.high + LEAST_RESERVE_BYTES, needed.high / (1 - RESERVED_SHARE))
    inputs = (
        Input("context_bytes", Bounds.exactly(CONTEXT_BYTES), "bytes", "assumed"),
        Input("reserved_share", Bounds.exactly(RESERVED_SHARE), basis="assumed"),
        Input("card_bytes", Bounds.exactly(card), "bytes", "derived"),
    )
    value = Bounds(CONTEXT_BYTES, card - needed.high)
    return Line("overhead", value, "bytes", "{context_bytes} … {reserved_share} × {card_bytes}", inputs, (
        Note("overhead"),
    ))  # fmt: skip
