"""Machines that hold several cards, and the slices that MIG cuts one card into."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kb.specs.schema import GpuSystem, MigProfile, SpecSource
from kb.text import fold

_SEPARATORS = re.compile(r"[\s\-_]+")


class Systems:
    """All machines and slices of a catalogue."""

    def __init__(self, data: Mapping[str, Any], source: Callable[[str], SpecSource]) -> None:
        """Wraps the plain data of `systems.yaml`; `source` gives a source by its id."""
        self._systems = {
            system_id: GpuSystem(
                system_id,
                row["name"],
                tuple(row["cards"]),
                row["count"],
                row.get("power_w"),
                tuple(row["aliases"]),
                source(row["sources"][0]),
                row.get("note_zh", ""),
                row.get("note_en", ""),
            )
            for system_id, row in data.get("systems", {}).items()
        }
        keys = [(_key(alias), system) for system in self._systems.values() for alias in system.aliases]
        self._by_key = sorted(keys, key=lambda pair: (-len(pair[0]), pair[0]))
        self._profiles: dict[str, tuple[MigProfile, ...]] = {}
        for row in data.get("slices", ()):
            profiles = tuple(
                MigProfile(p["name"], p["compute"], row["of"], p["memory_gb"], p["most"], source(row["sources"][0]))
                for p in row["profiles"]
            )
            self._profiles.update(dict.fromkeys(row["cards"], profiles))

    def __iter__(self) -> Iterator[GpuSystem]:
        return iter(self._systems.values())

    def of_card(self, gpu_id: str) -> tuple[GpuSystem, ...]:
        """The machines that are sold with a card."""
        return tuple(system for system in self if gpu_id in system.gpu_ids)

    def profiles_of(self, gpu_id: str) -> tuple[MigProfile, ...]:
        """The slices a card can be cut into; empty where none are recorded."""
        return self._profiles.get(gpu_id, ())

    def named(self, text: str) -> GpuSystem | None:
        """The machine that a name is of, version words and vendor included ("NVIDIA DGX A100 80GB")."""
        key = _key(text)
        return next((system for alias, system in self._by_key if alias in key), None)


def _key(name: str) -> str:
    return _SEPARATORS.sub("", fold(name))
