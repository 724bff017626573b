"""Cards for a stated speed: as many copies of a layout as reach it together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from kb.sizing.bounds import Bounds
from kb.sizing.estimate import CardEstimate, estimate_on
from kb.sizing.line import Input, Line, Note
from kb.sizing.memory import estimate_memory
from kb.sizing.placement import NODE_CARDS, Layout

_WIDER = (1, 2, 4)
"""A copy may take this many times the cards that hold it: more memory for caches, more sequences at once."""


@dataclass(frozen=True, slots=True)
class Replicas:
    """Copies of a workload that reach a speed together.

    Attributes:
        line: the cards with this layout: by the roofline, and at the common level.
        least: cards by the roofline, whichever layout is taken.
        layout: of one copy; `sequences` run at once on it, at `tokens_s`.
        copies: at the common level.
    """

    line: Line
    least: float
    layout: Layout
    sequences: int
    tokens_s: Bounds
    copies: int


def replicas_for(found: CardEstimate, tokens_s: float) -> Replicas | None:
    """The layout of which the fewest cards reach a speed; `None` without a context, a layout or rates.

    Args:
        found: the workload on one kind of card.
        tokens_s: all sequences together.
    """
    planned = found.placement.planned
    if planned is None:
        return None
    counts = [planned.cards * factor for factor in _WIDER if factor == 1 or planned.cards * factor <= NODE_CARDS]
    options = [option for count in counts if (option := _option(found, count, tokens_s)) is not None]
    if not options:
        return None
    best = min(options, key=lambda option: (option.line.value.high, option.layout.cards))
    return replace(best, least=min(option.least for option in options))


def _option(found: CardEstimate, cards: int, tokens_s: float) -> Replicas | None:
    """Copies on so many cards each, with as many sequences as they surely hold."""
    workload = found.memory.workload
    alone = estimate_on(found.memory, found.card, cards)
    if alone.layout is None or alone.concurrency is None:
        return None
    held = int(alone.concurrency.sequences.low)
    sequences = min(held, workload.sequences) if workload.sequences > 1 else held
    if sequences < 1:
        return None
    loaded = estimate_on(estimate_memory(replace(workload, sequences=sequences)), found.card, cards)
    if loaded.decode is None:
        return None
    speed = loaded.decode.tokens_s
    copies = Bounds(math.ceil(tokens_s / speed.high), math.ceil(tokens_s / speed.low))
    line = Line(
        "replicas",
        copies * cards,
        "",
        "⌈{wanted} / {copy_speed}⌉ × {cards}",
        (
            Input("wanted", Bounds.exactly(tokens_s), "tokens/s", "given"),
            Input("copy_speed", speed, "tokens/s", "derived"),
            Input("cards", Bounds.exactly(cards), basis="derived"),
        ),
        (*loaded.decode.lines[0].notes, Note("replicas")),
    )
    return Replicas(line, line.value.low, alone.layout, sequences, speed, int(copies.high))
