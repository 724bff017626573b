"""Sizing by names: finds the model and the cards that a caller names, then estimates."""

from __future__ import annotations

from collections.abc import Sequence

from kb.errors import NotFoundError, RequestError
from kb.sizing.estimate import Estimate, estimate
from kb.sizing.workload import Workload
from kb.specs.catalog import Catalog
from kb.specs.model_shapes import ModelShapes
from kb.specs.names import NameResolver
from kb.specs.schema import GpuSpec

MOST_CARDS = 65536
_MOST_KINDS = 12


class Sizer:
    """Sizes workloads on cards of one catalogue. Safe to share between threads."""

    def __init__(self, catalog: Catalog, models: ModelShapes | None = None) -> None:
        self.models = models or ModelShapes.load()
        self._catalog = catalog
        self._resolver = NameResolver(catalog)

    def size(self, workload: Workload, gpus: Sequence[str] = (), cards: int | None = None) -> Estimate:
        """A workload on the cards of those names or ids; a name that several cards share gives each of them.

        Raises:
            NotFoundError: there is no such card; the hint names the nearest.
            RequestError: too many cards are named.
        """
        specs = list(dict.fromkeys(spec.gpu_id for name in gpus for spec in self.cards_called(name)))
        if len(specs) > _MOST_KINDS:
            raise RequestError(
                f"{len(specs)} kinds of card are too many.",
                f"Name at most {_MOST_KINDS}.",
                zh=f"卡的种类太多（{len(specs)}），至多 {_MOST_KINDS} 种。",
            )
        return estimate(workload, *(self._catalog.get(gpu_id) for gpu_id in specs), cards=cards)

    def cards_called(self, name: str) -> tuple[GpuSpec, ...]:
        """The cards of that id or name.

        Raises:
            NotFoundError: there is none.
        """
        if name in self._catalog.gpus:
            return (self._catalog.get(name),)
        mentions = self._resolver.resolve(name)
        if mentions and mentions[0].gpu_ids:
            return tuple(self._catalog.get(gpu_id) for gpu_id in mentions[0].gpu_ids)
        near = ", ".join(self._catalog.get(gpu_id).name for gpu_id in mentions[0].nearest) if mentions else ""
        hint = f"Nearest: {near}." if near else "`gpukb gpus` and GET /v1/gpus?q= find cards."
        zh = f"最接近的是 {near}。" if near else "用 `gpukb gpus` 或 GET /v1/gpus?q= 查找。"
        raise NotFoundError(f"There is no card {name!r}.", hint, zh=f"没有名为“{name}”的卡。{zh}")
