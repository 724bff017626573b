"""Cards by their relation to one named before: its successor, its predecessor, its version for export."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.question.table import read_table
from kb.specs.names import NameResolver


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    gpu_ids: frozenset[str]


class Lineage:
    """The lines of products of `vocabulary.yaml`, as far as a catalogue holds them."""

    def __init__(self, resolver: NameResolver) -> None:
        table = read_table()
        self._resolver = resolver
        self._lines = [self._members(line) for line in table["lineage"]]
        self._exported = [self._members(pair) for pair in table["exported"].items()]
        self._relations = {name: re.compile(pattern) for name, pattern in table["relation"].items()}

    def spelt_out(self, text: str, folded: str, gpu_ids: Sequence[str]) -> str:
        """A text in which a relation to some cards is the name of the related one; unchanged if none is known."""
        for relation, pattern in self._relations.items():
            match = pattern.search(folded)
            if match is not None:
                name = self._related(relation, frozenset(gpu_ids))
                return f"{text[: match.start()]}{name}{text[match.end() :]}" if name else text
        return text

    def _related(self, relation: str, gpu_ids: frozenset[str]) -> str:
        step = -1 if relation == "predecessor" else 1
        for line in self._exported if relation == "exported" else self._lines:
            at = next((i for i, member in enumerate(line) if gpu_ids <= member.gpu_ids), None)
            if at is not None and 0 <= at + step < len(line):
                return line[at + step].name
        return ""

    def _members(self, names: Sequence[str]) -> list[_Member]:
        found = [(name, self._resolver.resolve(name)) for name in names]
        return [_Member(name, frozenset(hit[0].gpu_ids)) for name, hit in found if len(hit) == 1 and hit[0].gpu_ids]
