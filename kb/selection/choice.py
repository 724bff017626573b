"""Alternatives: "at least 80 GB or at least 2 TB/s", of which a card has to meet one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.errors import RequestError
from kb.selection.requirement import Constraints, Requirement, as_constraints, read_constraints


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives; a card meets them if it meets every requirement of one of them."""

    alternatives: tuple[tuple[Requirement, ...], ...]

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements of all alternatives, in order."""
        return tuple(one for alternative in self.alternatives for one in alternative)

    @property
    def fields(self) -> tuple[str, ...]:
        """What they are about, each field once."""
        return tuple(dict.fromkeys(one.field for one in self.requirements))


AnyOf = Sequence[Sequence[Constraints]]
"""Choices as they are sent: each a list of constraints of which one set has to be met."""


def read_choices(any_of: AnyOf) -> tuple[Choice, ...]:
    """Choices from `[[{field: {operator: value}}, …], …]`.

    Raises:
        RequestError: a wrong field, operator or value, or a choice of fewer than two alternatives.
    """
    found = []
    for alternatives in any_of:
        if len(alternatives) < 2 or not all(alternatives):
            raise RequestError(
                "A choice needs at least two alternatives, none of them empty.",
                "Write it like [[{memory_gb: {gte: 80}}, {memory_bandwidth_gb_s: {gte: 2000}}]].",
                zh="每一组选项至少要有两个，且都不为空。",
            )
        found.append(Choice(tuple(read_constraints(one) for one in alternatives)))
    return tuple(found)


def as_any_of(choices: Iterable[Choice]) -> list[list[dict[str, dict[str, object]]]]:
    """Choices as they are sent."""
    return [[as_constraints(one) for one in choice.alternatives] for choice in choices]
