"""Whether the catalogue bears a claim out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose

from kb.answer.gate.agreement import Candidate, holds, is_within, without_qualifiers
from kb.answer.gate.claims import FigureClaim
from kb.answer.gate.fields import SLIPS, UNITS, FieldChoice
from kb.answer.gate.judged import Judged, denied_by_text, joined
from kb.answer.gate.origins import Origins
from kb.answer.gate.rounding import written_numbers
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS, sparse_key
from kb.specs.schema import Entry, Figure

_OPEN = frozenset({"conflicting", "unresolved", "variants", "range"})
_OWN_FIGURE = frozenset({"measured", "list_price", "street_price"})
"""With these a figure is another one than the field's without them, which may well not be on record."""
_RANGE = re.compile(r"[-–—~～至到]|to")
_ROUNDED_APART = 0.001


class FigureJudge:
    """Judges numbers by the catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._origins = Origins(catalog)

    def judge(self, claim: FigureClaim) -> Judged:
        """The worst of what holds for each card the claim is about; for one of several, the best."""
        if claim.cards.unknown:
            return Judged("unknown", reason="unknown_card", detail={"card": claim.cards.unknown[0]})
        if not claim.cards.each:
            return Judged("untyped" if not claim.choice.named else "unknown", key=_only(claim.choice), reason="no_card")
        found = [self._judge_one(claim, ids) for ids in claim.cards.each]
        rank = ("supported", "contradicted", "unknown", "untyped")
        worst = ("contradicted", "unknown", "untyped", "supported")
        order = rank if claim.cards.any_of else worst
        chosen = min(found, key=lambda judged: order.index(judged.verdict))
        if chosen.verdict == "supported" and not claim.cards.any_of:
            return joined(found)
        return chosen

    # ------------------------------------------------------------ one card, or one of several that share a name

    def _judge_one(self, claim: FigureClaim, ids: Sequence[str]) -> Judged:
        first = self._by_choice(claim, claim.choice, ids)
        if first.verdict != "supported":
            for choice in claim.fallback:
                other = self._by_choice(claim, choice, ids)
                if other.verdict == "supported" or (first.verdict == "unknown" and not claim.choice.fits):
                    first = other
                    break
        if claim.contrasted and first.verdict == "supported":
            return first
        if claim.denied or claim.contrasted:
            return denied_by_text(first)
        if first.verdict == "contradicted" and claim.is_loose():
            return self.slip(claim) or Judged("unknown", first.ids, first.key)
        return (self.slip(claim) or first) if first.verdict == "unknown" and not claim.choice.named else first

    def slip(self, claim: FigureClaim) -> Judged | None:
        """The digits of one of the card's figures, in a unit that is easily mistaken for its own: 40 mm for 40 nm."""
        shown = written_numbers(replace(claim.quantity, high=None))[0]
        key, factor, digits = SLIPS.get(claim.quantity.unit, ("", 0.0, 0))
        for ids in claim.cards.each if key and shown.has_digits(digits) else ():
            for candidate in self._candidates(ids, (key,)):
                figures = candidate.entry.figures
                if any(f.low is not None and isclose(claim.quantity.value * factor, f.low) for f in figures):
                    found = tuple((candidate.spec.gpu_id, figure) for figure in figures)
                    return Judged("contradicted", (candidate.spec.gpu_id,), key, found, "unit", None, candidate.entry)
        return None

    def _by_choice(self, claim: FigureClaim, choice: FieldChoice, ids: Sequence[str]) -> Judged:
        candidates = list(self._candidates(ids, choice.keys))
        if choice.fits:
            holding = [(c, f) for c in candidates for f in c.entry.figures if holds(claim, c, f)]
            holding = holding or list(self._by_sparsity(claim, choice, candidates)) or self._ends(claim, candidates)
            if holding:
                return _supported(holding)
        return self._refuted(claim, choice, candidates)

    def _ends(self, claim: FigureClaim, candidates: Sequence[Candidate]) -> list[tuple[Candidate, Figure]]:
        """The figures at both ends of a range over versions of a card (1555–2039 GB/s)."""
        quantity = claim.quantity
        if quantity.high is None:
            return []
        shown = _RANGE.split(quantity.text)
        ends: list[tuple[Candidate, Figure]] = []
        for value, text in ((quantity.value, shown[0]), (quantity.high, shown[-1])):
            end = replace(claim, quantity=replace(quantity, value=value, high=None, text=text))
            found = next(((c, f) for c in candidates for f in c.entry.figures if holds(end, c, f)), None)
            if found is None:
                return []
            ends.append(found)
        return ends

    def _candidates(self, ids: Sequence[str], keys: Sequence[str]) -> Iterator[Candidate]:
        for key in keys:
            for gpu_id in ids:
                spec = self._catalog.get(gpu_id)
                yield Candidate(spec, spec.entries[key])

    def _refuted(self, claim: FigureClaim, choice: FieldChoice, candidates: Sequence[Candidate]) -> Judged:
        known = [c for c in candidates if c.entry.figures]
        if not known:
            lacking = next((c for c in candidates if c.entry.state == "not_supported"), None)
            if lacking is not None:
                return Judged(
                    "contradicted", (lacking.spec.gpu_id,), lacking.entry.key, (), "not_supported", None, lacking.entry
                )
            return self._of_sibling(claim, candidates) or _unpublished(choice, candidates)
        key = known[0].entry.key
        right = [c for c in known if c.entry.key == key]
        held = {qualifier for c in right for f in c.entry.figures for qualifier in f.qualifiers}
        if claim.qualifiers & _OWN_FIGURE - held:
            return Judged("unknown", tuple(c.spec.gpu_id for c in right), key)
        figures = tuple((c.spec.gpu_id, f) for c in right for f in c.entry.figures)
        ids = tuple(dict.fromkeys(c.spec.gpu_id for c in right))
        reason, detail = self._origins.of(claim, choice, right)
        return Judged("contradicted", ids, key, figures, reason, detail, right[0].entry)

    def _of_sibling(self, claim: FigureClaim, candidates: Sequence[Candidate]) -> Judged | None:
        """A dense figure called sparse (or the other way round) on a card that has no other."""
        bare = without_qualifiers(claim)
        for candidate in candidates:
            field = FIELDS[candidate.entry.key]
            sibling = field.sparse_of or sparse_key(field.key)
            other = Candidate(candidate.spec, candidate.spec.entries[sibling]) if sibling else None
            if other is None or not any(holds(bare, other, figure) for figure in other.entry.figures):
                continue
            figures = tuple((other.spec.gpu_id, figure) for figure in other.entry.figures)
            reason = "only_dense" if field.sparse_of else "only_sparse"
            return Judged("contradicted", (other.spec.gpu_id,), sibling, figures, reason, None, other.entry)
        return None

    def _by_sparsity(
        self, claim: FigureClaim, choice: FieldChoice, candidates: Sequence[Candidate]
    ) -> Iterator[tuple[Candidate, Figure]]:
        """Dense figures that are half of the sparse one, and the other way round; or the sparse one, if alone known."""
        for candidate in candidates:
            field = FIELDS[candidate.entry.key]
            sibling = sparse_key(field.key) or field.sparse_of
            if not sibling:
                continue
            times = 0.5 if field.sparse_of == "" else 2.0
            factor = UNITS[field.unit].get(claim.quantity.unit)
            entry = candidate.spec.entries[sibling]
            lone = not candidate.entry.figures and candidate.entry.state != "not_supported"
            free = lone and choice.named and not claim.qualifiers & {"dense", "sparse"}
            for figure in entry.figures if factor is not None else ():
                if figure.low is None or figure.high is None:
                    continue
                numbers = [n.scaled(factor or 1.0) for n in written_numbers(claim.quantity)]
                halves = (figure.low * times, figure.high * times)
                if _is_close(candidate.entry, halves[0]) and is_within(claim, numbers, *halves):
                    yield candidate, figure
                elif free and is_within(claim, numbers, figure.low, figure.high):
                    yield Candidate(candidate.spec, entry), figure


def _only(choice: FieldChoice) -> str | None:
    return choice.keys[0] if choice.keys else None


def _unpublished(choice: FieldChoice, candidates: Sequence[Candidate]) -> Judged:
    ids = tuple(dict.fromkeys(c.spec.gpu_id for c in candidates))
    return Judged("unknown", ids, _only(choice), reason="not_published" if ids else "no_card")


def _supported(holding: Sequence[tuple[Candidate, Figure]]) -> Judged:
    first = holding[0][0]
    key = first.entry.key
    ids = tuple(dict.fromkeys(c.spec.gpu_id for c, _ in holding if c.entry.key == key))
    if first.entry.state in _OPEN:
        figures = tuple((first.spec.gpu_id, figure) for figure in first.entry.figures)
        return Judged("supported", ids, key, figures, "conflict" if len(figures) > 1 else "", None, first.entry)
    figures = tuple((c.spec.gpu_id, f) for c, f in holding if c.entry.key == key)
    return Judged("supported", ids, key, figures, entry=first.entry)


def _is_close(entry: Entry, value: float) -> bool:
    """Whether a field's own figure is that value, but for how it was rounded."""
    return any(f.low is not None and abs(f.low - value) <= _ROUNDED_APART * value for f in entry.figures)
