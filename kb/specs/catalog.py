"""The catalogue: every card's record, answered field by field and never with a blank.

An entry always says something: the recorded figure, that the architecture lacks it, or that nobody publishes it.
A generation stores the catalogue as canonical JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

from kb.errors import CatalogError, NotFoundError
from kb.specs.capabilities import Capabilities
from kb.specs.fields import field
from kb.specs.reading import CatalogData, read_catalog_folder
from kb.specs.schema import BOARD_COUNT, Entry, GpuSpec, Vendor
from kb.specs.spec_builder import SpecBuilder
from kb.specs.systems import Systems

_FORMAT = 1


class Catalog:
    """All cards, vendors and families; immutable and safe to share between threads."""

    def __init__(self, data: CatalogData) -> None:
        """Wraps checked plain data, as `read_catalog_folder` or `from_json_bytes` give it."""
        self._data = data
        self._cards: dict[str, dict[str, Any]] = data["cards"]
        columns = data["breadth"]["columns"]
        self._breadth: dict[str, dict[str, Any]] = {
            row[0]: {c: v for c, v in zip(columns, row, strict=True) if v is not None}
            for row in data["breadth"]["rows"]
        }
        self._vendors = {
            key: Vendor(key, row["name"], row["name_zh"], row.get("domestic", False), tuple(row.get("aliases", ())))
            for key, row in data["aliases"]["vendors"].items()
        }
        self._builder = SpecBuilder(data["sources"], Capabilities(data["capabilities"]), self._vendors)
        self._machines = Systems(data.get("systems", {}), self._builder.source)
        self._specs: dict[str, GpuSpec] = {}
        self._gpus = _Gpus(self)

    # ------------------------------------------------------------ opening and storing

    @classmethod
    def load(cls, path: Path | str = "builtin") -> Self:
        """The catalogue of a folder, `builtin` or `none`.

        Raises:
            CatalogError: a file is missing or malformed; names file, card and field.
        """
        if path == "none":
            return cls.empty()
        return cls(read_catalog_folder(builtin_folder() if path == "builtin" else Path(path)))

    @classmethod
    def empty(cls) -> Self:
        """A catalogue without cards: no name is resolved, and no card is called unknown."""
        return cls(
            {
                "sources": {},
                "capabilities": {"features": {}, "architectures": {}},
                "aliases": {"vendors": {}},
                "cards": {},
                "breadth": {"columns": [], "rows": []},
            }
        )

    def to_json_bytes(self) -> bytes:
        """Canonical JSON: the same catalogue always gives the same bytes."""
        stored = {"format": _FORMAT, "order": list(self._cards), **self._data}
        return json.dumps(stored, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_json_bytes(cls, data: bytes) -> Self:
        """What `to_json_bytes` wrote.

        Raises:
            CatalogError: it is damaged or of another version.
        """
        hint = "Rebuild the index: gpukb index build."
        try:
            stored = json.loads(data)
        except ValueError as error:
            raise CatalogError("The stored catalogue cannot be read.", hint) from error
        if not isinstance(stored, dict) or stored.pop("format", None) != _FORMAT:
            raise CatalogError("The stored catalogue is of another version.", hint)
        stored["cards"] = {card_id: stored["cards"][card_id] for card_id in stored.pop("order")}
        return cls(stored)

    # ------------------------------------------------------------ asking

    def __len__(self) -> int:
        return len(self._cards) + len(self._breadth)

    @property
    def gpus(self) -> Mapping[str, GpuSpec]:
        """Every card by id, first tier first, in the order of the files."""
        return self._gpus

    @property
    def vendors(self) -> Mapping[str, Vendor]:
        """Every vendor by id."""
        return MappingProxyType(self._vendors)

    @property
    def systems(self) -> Systems:
        """Machines of several cards, and slices of one."""
        return self._machines

    @property
    def families(self) -> Mapping[str, tuple[str, ...]]:
        """Ids of the cards that share a name, by that name."""
        families: dict[str, list[str]] = {}
        for card_id, row in self._cards.items():
            families.setdefault(row["family"], []).append(card_id)
        for name, row in self.aliases.get("families", {}).items():
            families[name] = list(row["members"])
        return MappingProxyType({name: tuple(ids) for name, ids in families.items()})

    @property
    def aliases(self) -> Mapping[str, Any]:
        """What people call vendors, families and cards: the plain data of `aliases.yaml`."""
        aliases: Mapping[str, Any] = self._data["aliases"]
        return aliases

    def get(self, gpu_id: str) -> GpuSpec:
        """The record of a card.

        Raises:
            NotFoundError: there is no such card.
        """
        spec = self._specs.get(gpu_id)
        if spec is None:
            if gpu_id in self._cards:
                spec = replace(
                    self._builder.first_tier(gpu_id, self._cards[gpu_id]),
                    systems=self._machines.of_card(gpu_id),
                    profiles=self._machines.profiles_of(gpu_id),
                )
            elif gpu_id in self._breadth:
                spec = self._builder.second_tier(gpu_id, self._breadth[gpu_id])
            else:
                raise NotFoundError(
                    f"There is no card {gpu_id!r}.",
                    "`gpukb gpus` and GET /v1/gpus?q= find cards.",
                    zh=f"没有名为“{gpu_id}”的卡。用 `gpukb gpus` 或 GET /v1/gpus?q= 查找。",
                )
            self._specs[gpu_id] = spec
        return spec

    def entry(self, gpu_id: str, key: str) -> Entry:
        """What is known of a field of a card; never a blank.

        Raises:
            NotFoundError: there is no such card.
            CatalogError: there is no such field.
        """
        return self.get(gpu_id).entries[field(key).key]

    # ------------------------------------------------------------ for the names, without building records

    def names(self) -> Iterator[tuple[str, str, str, Literal[1, 2]]]:
        """(id, name, vendor id, tier) of every card."""
        for card_id, row in self._cards.items():
            yield card_id, row["name"], row["vendor"], 1
        for card_id, row in self._breadth.items():
            yield card_id, row["name"], row["vendor"], 2

    def board_counts(self) -> Iterator[int]:
        """GPUs on the board of every card, in the order of `names`; 1 for a plain card."""
        for row in self._cards.values():
            yield row.get(BOARD_COUNT, 1)
        for row in self._breadth.values():
            yield int(row.get(BOARD_COUNT, 1))

    def memory_sizes_gb(self, gpu_id: str) -> tuple[float, ...]:
        """Every memory size recorded for a card."""
        row = self._cards.get(gpu_id)
        if row is None:
            size = self._breadth[gpu_id].get("memory_gb")
            return () if size is None else (float(size),)
        stored = row["fields"].get("memory_gb", {})
        return tuple(float(f["value"]) for f in (stored, *stored.get("others", ())) if f.get("value") is not None)

    def second_tier_values(self, key: str) -> Iterator[tuple[float | str | None, bool]]:
        """The recorded value of a field, and whether the hardware lacks what it measures, of each second-tier card."""
        lacking: dict[str, bool] = {}
        for row in self._breadth.values():
            value = self._vendors[row["vendor"]].name if key == "vendor" else row.get(key)
            architecture = row["architecture_id"]
            if value is None and architecture not in lacking:
                lacking[architecture] = self._builder.lacks(architecture, key)
            yield value, value is None and lacking[architecture]

    def cards_by(self, key: str) -> Mapping[str, tuple[str, ...]]:
        """Ids of the cards by their recorded value of a text field, first tier first; without building records."""
        found: dict[str, list[str]] = {}
        for card_id, row in self._cards.items():
            value = row["fields"].get(key, {}).get("value")
            if isinstance(value, str):
                found.setdefault(value, []).append(card_id)
        for card_id, row in self._breadth.items():
            value = row.get(key)
            if isinstance(value, str):
                found.setdefault(value, []).append(card_id)
        return MappingProxyType({value: tuple(ids) for value, ids in found.items()})

    def form_factor(self, gpu_id: str) -> str:
        """The recorded form factor; may be empty."""
        row = self._cards.get(gpu_id)
        if row is None:
            return str(self._breadth[gpu_id].get("form_factor", ""))
        return str(row["fields"].get("form_factor", {}).get("value", ""))


class _Gpus(Mapping[str, GpuSpec]):
    """Cards by id; a record is built when it is first asked for."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def __getitem__(self, gpu_id: str) -> GpuSpec:
        try:
            return self._catalog.get(gpu_id)
        except NotFoundError as error:
            raise KeyError(gpu_id) from error

    def __iter__(self) -> Iterator[str]:
        return (name[0] for name in self._catalog.names())

    def __len__(self) -> int:
        return len(self._catalog)


def builtin_folder() -> Path:
    """The corpus folder that comes with gpukb: the packaged copy, else the checkout's.

    Raises:
        CatalogError: neither is there.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_corpus", package.parent / "corpus"):
        if (folder / "specs").is_dir():
            return folder
    raise CatalogError("The built-in catalogue is missing from this installation.", "Reinstall gpukb.")
