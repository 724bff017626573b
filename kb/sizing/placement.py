"""How a model is spread over cards.

Tensor parallelism must divide the attention heads, and the heads of keys and values or be divided by them; it stays in
a node, pipeline parallelism goes beyond (Narayanan et al., Efficient Large-Scale Language Model Training on GPU
Clusters, 2021). In training the rest is data-parallel and shares what its ZeRO stage says.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from kb.sizing.accelerator import Accelerator
from kb.sizing.activations import workspace_bytes
from kb.sizing.bounds import Bounds
from kb.sizing.memory import MemoryEstimate
from kb.sizing.overhead import overhead_on
from kb.specs.model_shapes import ModelShape

NODE_CARDS: Final = 8
_MOST_CARDS: Final = 65536

Verdict = Literal["fits", "tight", "does_not_fit"]


@dataclass(frozen=True, slots=True)
class Layout:
    """Degrees of parallelism; `data` counts replicas, or in training the cards that share states."""

    tensor: int = 1
    pipeline: int = 1
    data: int = 1

    @property
    def cards(self) -> int:
        """How many cards it takes."""
        return self.tensor * self.pipeline * self.data


@dataclass(frozen=True, slots=True)
class Placement:
    """Cards of one kind for a workload.

    Attributes:
        by_capacity: how many hold it if it were spread evenly, by the lower and by the upper bound.
        tight: the smallest layout that can hold it; `planned`: the smallest that surely does. `None`: no layout does.
    """

    card: Accelerator
    by_capacity: Bounds
    tight: Layout | None
    planned: Layout | None

    def verdict(self, cards: int) -> Verdict:
        """Whether so many cards hold it."""
        if self.planned is not None and self.planned.cards <= cards:
            return "fits"
        return "tight" if self.tight is not None and self.tight.cards <= cards else "does_not_fit"


def tensor_degrees(shape: ModelShape, most: int = NODE_CARDS) -> tuple[int, ...]:
    """Degrees of tensor parallelism that divide a model's heads, ascending."""
    return tuple(t for t in range(1, most + 1) if shape.heads % t == 0 and _divides_keys(shape, t))


def _divides_keys(shape: ModelShape, degree: int) -> bool:
    return shape.mla is not None or shape.kv_heads % degree == 0 or degree % shape.kv_heads == 0


def on_each_card(memory: MemoryEstimate, layout: Layout, card: Accelerator) -> Bounds:
    """Bytes that the fullest card has to hold."""
    held = _training_share(memory, layout) if memory.workload.trains else _inference_share(memory, layout)
    return held + overhead_on(card.capacity.low)


def fits(memory: MemoryEstimate, layout: Layout, card: Accelerator) -> Verdict:
    """Whether every card of a layout holds its share."""
    need = on_each_card(memory, layout, card)
    if need.high <= card.capacity.low:
        return "fits"
    return "tight" if need.low <= card.capacity.high else "does_not_fit"


def place(memory: MemoryEstimate, card: Accelerator) -> Placement:
    """The smallest layouts of a card that hold a workload."""
    layouts = _layouts(memory, card)
    if memory.workload.trains:
        verdicts = [fits(memory, layout, card) for layout in layouts]
        tight = next((at for at, verdict in enumerate(verdicts) if verdict != "does_not_fit"), None)
        planned = next((at for at, verdict in enumerate(verdicts) if verdict == "fits"), None)
    else:
        # Each layout holds less on a card than the one before it.
        tight = _first(layouts, lambda layout: fits(memory, layout, card) != "does_not_fit")
        planned = _first(layouts, lambda layout: fits(memory, layout, card) == "fits")
    return Placement(
        card,
        _by_capacity(memory, card),
        None if tight is None else layouts[tight],
        None if planned is None else layouts[planned],
    )


def _first(layouts: Sequence[Layout], holds: Callable[[Layout], bool]) -> int | None:
    """The first layout for which `holds`, which then holds for all after it."""
    at = bisect_left(layouts, True, key=holds)
    return at if at < len(layouts) else None


def layout_of(memory: MemoryEstimate, cards: int) -> Layout:
    """How a given number of cards is used: as much tensor parallelism as heads and node allow, then the pipeline."""
    shape = memory.workload.shape
    if memory.workload.trains:
        return Layout(data=cards)
    tensor = max(t for t in tensor_degrees(shape) if cards % t == 0)
    pipeline = min(cards // tensor, shape.layers)
    return Layout(tensor, pipeline, max(1, cards // (tensor * pipeline)))


def _by_capacity(memory: MemoryEstimate, card: Accelerator) -> Bounds:
    overhead = overhead_on(card.capacity.low)
    low = memory.needed.low / (card.capacity.high - overhead.low)
    room = card.capacity.low - overhead.high
    return Bounds(math.ceil(low - 1e-9), math.ceil(memory.needed.high / room - 1e-9) if room > 0 else math.inf)


def _layouts(memory: MemoryEstimate, card: Accelerator) -> list[Layout]:
    """Layouts by ascending number of cards."""
    if memory.workload.trains:
        return _training_layouts(memory, card)
    degrees = (1,) if card.spec.per == "system" else tensor_degrees(memory.workload.shape)
    beyond = range(2, memory.workload.shape.layers + 1)
    return [*(Layout(tensor) for tensor in degrees), *(Layout(degrees[-1], pipeline) for pipeline in beyond)]


def _inference_share(memory: MemoryEstimate, layout: Layout) -> Bounds:
    shape = memory.workload.shape
    stage = math.ceil(shape.layers / layout.pipeline) / shape.layers
    cache = memory.part("kv_cache") * stage
    copies = layout.tensor if shape.mla is not None else max(1.0, layout.tensor / shape.kv_heads)
    # Latent caches cannot be split by heads: tensor parallelism copies them, unless attention is data-parallel.
    split_low = layout.tensor if shape.mla is not None else layout.tensor / copies
    cache = Bounds(cache.low / split_low, cache.high * copies / layout.tensor)
    work = workspace_bytes(memory.workload, layout.tensor)
    return memory.part("weights") * (stage / layout.tensor) + cache + work


def _training_share(memory: MemoryEstimate, layout: Layout) -> Bounds:
    shared, fixed = _states(memory, layout)
    return fixed + shared / layout.data


def _states(memory: MemoryEstimate, layout: Layout) -> tuple[Bounds, Bounds]:
    """What data-parallel cards share, and what each has for itself."""
    stage = memory.workload.zero_stage
    pieces = layout.tensor * layout.pipeline
    least_stage = {"optimizer": 1, "gradients": 2, "weights": 3, "adapters": 3}
    shared = fixed = Bounds(0.0, 0.0)
    for key, least in least_stage.items():
        part = memory.part(key) / pieces
        shared, fixed = (shared + part, fixed) if stage >= least else (shared, fixed + part)
    return shared, fixed + memory.part("activations") / layout.tensor


def _training_layouts(memory: MemoryEstimate, card: Accelerator) -> list[Layout]:
    """For each split of the model the fewest data-parallel cards, by the lower and by the upper bound."""
    overhead = overhead_on(card.capacity.low)
    found: set[Layout] = set()
    splits = [Layout(tensor) for tensor in tensor_degrees(memory.workload.shape)]
    splits += [Layout(splits[-1].tensor, p) for p in (2, 4, 8, 16, 32) if p <= memory.workload.shape.layers]
    for split in splits:
        shared, fixed = _states(memory, split)
        rooms = (
            (shared.low, card.capacity.high - overhead.low - fixed.low),
            (shared.high, card.capacity.low - overhead.high - fixed.high),
        )
        for states, room in rooms:
            if room > 0 and states / room <= _MOST_CARDS:
                data = max(1, math.ceil(states / room - 1e-9))
                found.add(Layout(split.tensor, split.pipeline, data))
    return sorted(found, key=lambda layout: (layout.cards, layout.tensor * layout.pipeline))
