"""Whether a figure of the catalogue is what a claim says: its number, unit and qualifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.gate.claims import FigureClaim
from kb.answer.gate.fields import UNITS
from kb.answer.gate.lexicon import qualifier_groups
from kb.answer.gate.rounding import Written, written_numbers
from kb.specs.fields import FIELDS
from kb.specs.schema import Entry, Figure, GpuSpec

LINK = "interconnect_gb_s"
_SEEN_BY_DRIVERS = 0.012
"""How far the memory that a driver shows in GiB may be from the size on the label."""
_NARROW_RANGE = 1.1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A field of a card that a claim may be about."""

    spec: GpuSpec
    entry: Entry


def holds(claim: FigureClaim, candidate: Candidate, figure: Figure) -> bool:
    """Whether a figure of the catalogue bears out the number of a claim."""
    field = FIELDS[candidate.entry.key]
    factor = UNITS[field.unit].get(claim.quantity.unit)
    if factor is None or figure.low is None or figure.high is None:
        return False
    if not _qualifiers_agree(claim.qualifiers, figure, candidate.spec):
        return False
    numbers = [number.scaled(factor) for number in written_numbers(claim.quantity)]
    if claim.quantity.unit in ("GiB", "MiB") and abs(numbers[0].value - figure.low) <= _SEEN_BY_DRIVERS * figure.low:
        return True
    return any(
        is_within(claim, numbers, figure.low * times, figure.high * times)
        for times in _multiples(claim, candidate, figure)
    )


def without_qualifiers(claim: FigureClaim) -> FigureClaim:
    """The claim as if its text said nothing with the figure."""
    return with_qualifiers(claim, frozenset())


def with_qualifiers(claim: FigureClaim, qualifiers: frozenset[str]) -> FigureClaim:
    """The claim as if its text said that with the figure."""
    return FigureClaim(claim.span, claim.quantity, claim.choice, claim.cards, qualifiers, up_to=claim.up_to)


def _qualifiers_agree(stated: frozenset[str], figure: Figure, spec: GpuSpec) -> bool:
    """Whether the text gives a figure no qualifier that is another one's."""
    groups = qualifier_groups()
    for qualifier in stated:
        group = groups.get(qualifier)
        if group is None or (group == "extent" and spec.per == "gpu_of_board"):
            continue
        own = {q for q in figure.qualifiers if groups.get(q) == group}
        if own and qualifier not in own:
            return False
    return True


def _multiples(claim: FigureClaim, candidate: Candidate, figure: Figure) -> tuple[float, ...]:
    """What the catalogue's figure may be multiplied by: halves of a link, GPUs of a board, cards that are added up."""
    base: tuple[float, ...] = (1.0,)
    if candidate.entry.key == LINK and "per_direction" in claim.qualifiers:
        base = (0.5,)
    boards = candidate.spec.board_count
    if candidate.spec.per == "gpu_of_board" and boards > 1 and "per_gpu" in figure.qualifiers:
        whole = float(boards)
        if claim.qualifiers & {"per_card", "per_board"}:
            base = (whole,)
        elif "per_gpu" not in claim.qualifiers:
            base = (1.0, whole)
    if claim.cards_count > 1:
        added = tuple(times * claim.cards_count for times in base)
        return added if claim.is_sum else (*base, *added)
    return base


def is_within(claim: FigureClaim, numbers: Sequence[Written], low: float, high: float) -> bool:
    """Whether the numbers written agree with a figure or with the ends of a range."""
    comparator = claim.quantity.comparator
    if len(numbers) > 1:
        narrow = numbers[1].value <= numbers[0].value * _NARROW_RANGE
        within = numbers[0].value <= low and high <= numbers[1].value
        if (
            within
            and low == high
            and (narrow or any(n.is_rounded_from(end) for n, end in zip(numbers, (low, high), strict=False)))
        ):
            return True
        return any(numbers[0].is_rounded_from(end) for end in (low, high)) and any(
            numbers[1].is_rounded_from(end) for end in (low, high)
        )
    number = numbers[0]
    if comparator in (">", ">="):
        return low >= number.value or number.is_rounded_from(low)
    if comparator == "<" or (comparator == "<=" and not claim.up_to):
        return high <= number.value or number.is_rounded_from(high)
    return number.is_rounded_from(low) or number.is_rounded_from(high)
