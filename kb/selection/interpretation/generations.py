"""Architectures of a vendor in the order of their time: "Turing or newer"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LINEAGES: Final = (
    ("fermi", "kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "ada lovelace", "hopper", "blackwell"),
    ("rdna 1", "rdna 2", "rdna 3", "rdna 3.5", "rdna 4"),
    ("cdna 1", "cdna 2", "cdna 3", "cdna 4"),
)
"""Architectures of a vendor, the oldest first; those of one time are `_ALIKE`."""
_ALIKE: Final = dict.fromkeys(("ada", "ada lovelace", "hopper"), ("ada", "ada lovelace", "hopper"))


def generations(name: str, operator: str) -> Sequence[str]:
    """The architectures that a bound on one of `LINEAGES` lets in; those of its own time count as it does."""
    line = next(line for line in LINEAGES if name in line)
    place = line.index(name)
    first, last = place, place
    while first and line[first - 1] in _ALIKE.get(name, ()):
        first -= 1
    while last + 1 < len(line) and line[last + 1] in _ALIKE.get(name, ()):
        last += 1
    if operator in ("gte", "gt"):
        return line[first if operator == "gte" else last + 1 :]
    return line[: last + 1 if operator == "lte" else first]
