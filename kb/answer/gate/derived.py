"""Numbers that follow from figures: how many times, how many percent, by how much, per watt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from kb.answer.gate.claims import DerivedClaim
from kb.answer.gate.fields import UNITS
from kb.answer.gate.judged import Judged
from kb.answer.gate.model import CheckVerdict
from kb.answer.gate.rounding import Written, written_numbers
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS
from kb.specs.figures import write_number
from kb.specs.schema import Figure

_RATIO_SLACK = 0.006


@dataclass(frozen=True, slots=True)
class _Pairing:
    """Two figures of one field, and which cards they are of."""

    key: str
    one: tuple[str, Figure]
    other: tuple[str, Figure]

    @property
    def values(self) -> tuple[float, float]:
        return self.one[1].low or 0.0, self.other[1].low or 0.0


class DerivedJudge:
    """Judges what follows from figures by working it out."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def judge(self, claim: DerivedClaim, stated: Sequence[tuple[str | None, float]]) -> Judged:
        """Whether a derived number follows from the cards' figures, or from other right figures of its sentence.

        Args:
            claim: what is said to follow.
            stated: field and value of the right figures in the sentence, in their fields' units.
        """
        number = written_numbers(claim.quantity)[0]
        if claim.kind == "per_watt":
            return self._per_watt(claim, number)
        pairings = list(self._pairings(claim))
        for pairing in pairings:
            if _follows(claim, number, *pairing.values, key=pairing.key):
                return _judged("supported", pairing, claim)
        alike = [value for key, value in stated if not claim.keys or key in claim.keys]
        for one, other in permutations(alike, 2):
            if _follows(claim, number, one, other, key=claim.keys[0] if claim.keys else ""):
                return Judged("supported", key=claim.keys[0] if claim.keys else None)
        if pairings and claim.keys and claim.is_explicit and _is_settled(pairings):
            return _judged("contradicted", pairings[0], claim)
        known = claim.is_of_column or (claim.pair is not None and not any(side.unknown for side in claim.pair))
        return Judged("unknown" if claim.keys or known else "untyped", key=claim.keys[0] if claim.keys else None)

    def _pairings(self, claim: DerivedClaim) -> Iterator[_Pairing]:
        if claim.pair is None:
            return
        one, other = claim.pair
        for key in claim.keys:
            for mine in self._figures(one.ids, key):
                for theirs in self._figures(other.ids, key):
                    if mine[0] != theirs[0]:
                        yield _Pairing(key, mine, theirs)

    def _per_watt(self, claim: DerivedClaim, number: Written) -> Judged:
        ids = claim.pair[1].ids if claim.pair else ()
        found = [
            (rate, power)
            for key in claim.keys
            for rate in self._figures(ids, key)
            for power in self._figures((rate[0],), "tdp_w")
        ]
        if any(number.is_rounded_from((rate[1].low or 0.0) / (power[1].low or math.inf)) for rate, power in found):
            return Judged("supported", ids, claim.keys[0])
        return Judged("unknown", ids, claim.keys[0] if claim.keys else None)

    def _figures(self, ids: Sequence[str], key: str) -> list[tuple[str, Figure]]:
        return [(gpu_id, f) for gpu_id in ids for f in self._catalog.entry(gpu_id, key).figures if f.low is not None]


def _is_settled(pairings: Sequence[_Pairing]) -> bool:
    """Whether all pairings say the same, so that another number must be wrong."""
    ratios = {round(one / other, 6) if other else 0.0 for one, other in (p.values for p in pairings)}
    return len(ratios) <= 4


def _judged(verdict: CheckVerdict, pairing: _Pairing, claim: DerivedClaim) -> Judged:
    ids = (pairing.one[0], pairing.other[0])
    shown = _shown(claim, *pairing.values, key=pairing.key)
    return Judged(verdict, ids, pairing.key, (pairing.one, pairing.other), "derived", {"result": shown})


def _shown(claim: DerivedClaim, one: float, other: float, *, key: str) -> str:
    """What follows from two figures, as it would be written."""
    if claim.kind == "difference":
        return f"{write_number(round(abs(one - other), 6))} {FIELDS[key].unit}".strip()
    if not one or not other:
        return ""
    ratio = max(one, other) / min(one, other)
    return f"{(ratio - 1) * 100:.3g} %" if claim.kind == "percent" else f"{ratio:.3g} ×"


def _follows(claim: DerivedClaim, number: Written, one: float, other: float, *, key: str) -> bool:
    if not one or not other:
        return False
    if claim.kind == "difference":
        factor = UNITS[FIELDS[key].unit].get(claim.quantity.unit) if key else 1.0
        return factor is not None and number.scaled(factor).is_rounded_from(abs(one - other))
    if claim.kind == "percent":
        share = one / other
        return any(
            _near(number, 100 * value)
            for value in (share - 1, 1 - share, share, 1 / share, 1 / share - 1, 1 - 1 / share)
        )
    ratios = (one / other, other / one)
    more = tuple(ratio - 1 for ratio in ratios) if claim.kind == "increase" else ()
    return any(_near(number, value) for value in (*ratios, *more))


def _near(number: Written, value: float) -> bool:
    if value <= 0:
        return False
    return number.is_rounded_from(value) or abs(number.value - value) <= _RATIO_SLACK * value
