"""What differs between the documents of two builds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Changes:
    """Documents by what became of them, each list sorted by `doc_id`.

    Attributes:
        updated: documents whose bytes are others than before.
        unchanged: how many are as they were.
        renamed: pairs of an old and a new name with the same bytes; they are among `removed` and `added` too.
    """

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.added or self.updated or self.removed)

    def counts(self) -> dict[str, int]:
        """How many of each."""
        return {
            "added": len(self.added),
            "updated": len(self.updated),
            "removed": len(self.removed),
            "unchanged": self.unchanged,
        }

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "added": list(self.added),
            "updated": list(self.updated),
            "removed": list(self.removed),
            "unchanged": self.unchanged,
            "renamed": [list(pair) for pair in self.renamed],
        }


def changes_between(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    """What became of documents, given the checksum of each by `doc_id`."""
    added = sorted(after.keys() - before.keys())
    removed = sorted(before.keys() - after.keys())
    common = before.keys() & after.keys()
    updated = sorted(doc_id for doc_id in common if before[doc_id] != after[doc_id])
    return Changes(
        tuple(added),
        tuple(updated),
        tuple(removed),
        len(common) - len(updated),
        _renamed(added, removed, before, after),
    )


def _renamed(
    added: list[str], removed: list[str], before: Mapping[str, str], after: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    old_names: dict[str, list[str]] = {}
    for doc_id in reversed(removed):
        old_names.setdefault(before[doc_id], []).append(doc_id)
    return tuple((names.pop(), doc_id) for doc_id in added if (names := old_names.get(after[doc_id])))
