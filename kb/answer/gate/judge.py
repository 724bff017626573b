"""Whether the catalogue bears a claim out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kb.answer.gate.claims import FigureClaim
from kb.answer.gate.fields import UNITS, FieldChoice
from kb.answer.gate.lexicon import qualifier_groups
from kb.answer.gate.model import CheckVerdict
from kb.answer.gate.rounding import Written, written_numbers
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS, sparse_key
from kb.specs.schema import Entry, Figure, GpuSpec

_OPEN = frozenset({"conflicting", "unresolved", "variants", "range"})
_OWN_FIGURE = frozenset({"measured", "list_price", "street_price"})
"""With these a figure is another one than the field's without them, which may well not be on record."""
_RANGE = re.compile(r"[-–—~～至到]|to")
_ROUNDED_APART = 0.001
_SEEN_BY_DRIVERS = 0.012
"""How far the memory that a driver shows in GiB may be from the size on the label."""
_NARROW_RANGE = 1.1
_LINK = "interconnect_gb_s"


@dataclass(frozen=True, slots=True)
class Judged:
    """What the catalogue says of a claim.

    Attributes:
        ids: the cards it is right for; where it is wrong, those it could be about.
        key: the field.
        figures: the catalogue's figures by card: what holds, or what would.
        reason: key in `reasons.yaml`, empty where nothing need be said.
        detail: what else the reason names (another card, another field, a note).
    """

    verdict: CheckVerdict
    ids: tuple[str, ...] = ()
    key: str | None = None
    figures: tuple[tuple[str, Figure], ...] = ()
    reason: str = ""
    detail: Mapping[str, str] | None = None
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A field of a card that a claim may be about."""

    spec: GpuSpec
    entry: Entry


class FigureJudge:
    """Judges numbers by the catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

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
            return _joined(found)
        return chosen

    # ------------------------------------------------------------ one card, or one of several that share a name

    def _judge_one(self, claim: FigureClaim, ids: Sequence[str]) -> Judged:
        first = self._by_choice(claim, claim.choice, ids)
        if first.verdict != "supported":
            for choice in claim.fallback:
                other = self._by_choice(claim, choice, ids)
                if other.verdict == "supported":
                    first = other
                    break
        if claim.contrasted and first.verdict == "supported":
            return first
        if claim.denied or claim.contrasted:
            return _denied(first)
        if claim.is_loose and first.verdict == "contradicted":
            return Judged("unknown", first.ids, first.key)
        return first

    def _by_choice(self, claim: FigureClaim, choice: FieldChoice, ids: Sequence[str]) -> Judged:
        candidates = list(self._candidates(ids, choice.keys))
        if choice.fits:
            holding = [(c, f) for c in candidates for f in c.entry.figures if self._holds(claim, c, f)]
            holding = holding or list(self._by_sparsity(claim, choice, candidates)) or self._ends(claim, candidates)
            if holding:
                return _supported(holding)
        return self._refuted(claim, choice, candidates)

    def _ends(self, claim: FigureClaim, candidates: Sequence[_Candidate]) -> list[tuple[_Candidate, Figure]]:
        """The figures at both ends of a range over versions of a card (1555–2039 GB/s)."""
        quantity = claim.quantity
        if quantity.high is None:
            return []
        shown = _RANGE.split(quantity.text)
        ends: list[tuple[_Candidate, Figure]] = []
        for value, text in ((quantity.value, shown[0]), (quantity.high, shown[-1])):
            end = replace(claim, quantity=replace(quantity, value=value, high=None, text=text))
            found = next(((c, f) for c in candidates for f in c.entry.figures if self._holds(end, c, f)), None)
            if found is None:
                return []
            ends.append(found)
        return ends

    def _candidates(self, ids: Sequence[str], keys: Sequence[str]) -> Iterator[_Candidate]:
        for key in keys:
            for gpu_id in ids:
                spec = self._catalog.get(gpu_id)
                yield _Candidate(spec, spec.entries[key])

    def _refuted(self, claim: FigureClaim, choice: FieldChoice, candidates: Sequence[_Candidate]) -> Judged:
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
        reason, detail = self._origin(claim, choice, right)
        return Judged("contradicted", ids, key, figures, reason, detail, right[0].entry)

    def _of_sibling(self, claim: FigureClaim, candidates: Sequence[_Candidate]) -> Judged | None:
        """A dense figure called sparse (or the other way round) on a card that has no other."""
        bare = _without_qualifiers(claim)
        for candidate in candidates:
            field = FIELDS[candidate.entry.key]
            sibling = field.sparse_of or sparse_key(field.key)
            other = _Candidate(candidate.spec, candidate.spec.entries[sibling]) if sibling else None
            if other is None or not any(self._holds(bare, other, figure) for figure in other.entry.figures):
                continue
            figures = tuple((other.spec.gpu_id, figure) for figure in other.entry.figures)
            reason = "only_dense" if field.sparse_of else "only_sparse"
            return Judged("contradicted", (other.spec.gpu_id,), sibling, figures, reason, None, other.entry)
        return None

    # ------------------------------------------------------------ does a figure bear the number out

    def _holds(self, claim: FigureClaim, candidate: _Candidate, figure: Figure) -> bool:
        field = FIELDS[candidate.entry.key]
        factor = UNITS[field.unit].get(claim.quantity.unit)
        if factor is None or figure.low is None or figure.high is None:
            return False
        if not _qualifiers_agree(claim.qualifiers, figure, candidate.spec):
            return False
        numbers = [number.scaled(factor) for number in written_numbers(claim.quantity)]
        if (
            claim.quantity.unit in ("GiB", "MiB")
            and abs(numbers[0].value - figure.low) <= _SEEN_BY_DRIVERS * figure.low
        ):
            return True
        return any(
            _is_within(claim, numbers, figure.low * times, figure.high * times)
            for times in _multiples(claim, candidate, figure)
        )

    def _by_sparsity(
        self, claim: FigureClaim, choice: FieldChoice, candidates: Sequence[_Candidate]
    ) -> Iterator[tuple[_Candidate, Figure]]:
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
                if _is_close(candidate.entry, halves[0]) and _is_within(claim, numbers, *halves):
                    yield candidate, figure
                elif free and _is_within(claim, numbers, figure.low, figure.high):
                    yield _Candidate(candidate.spec, entry), figure

    # ------------------------------------------------------------ where a wrong number comes from

    def _origin(
        self, claim: FigureClaim, choice: FieldChoice, right: Sequence[_Candidate]
    ) -> tuple[str, Mapping[str, str] | None]:
        if not choice.fits:
            return "unit", None
        for candidate in right:
            for figure in candidate.entry.rejected:
                if self._holds(claim, candidate, figure) and figure.note_en:
                    return "rejected", {"zh": figure.note_zh, "en": figure.note_en}
        return (
            self._other_qualifier(claim, right)
            or self._other_sparsity(claim, right)
            or self._other_direction(claim, right)
            or self._other_card(claim, right)
            or self._other_field(claim, right)
            or ("value", None)
        )

    def _other_qualifier(self, claim: FigureClaim, right: Sequence[_Candidate]) -> tuple[str, None] | None:
        bare = _without_qualifiers(claim)
        mine = claim.qualifiers - {"dense", "sparse", "per_direction", "both_directions"}
        if mine and any(self._holds(bare, c, f) for c in right for f in c.entry.figures):
            return "qualifier", None
        return None

    def _other_sparsity(self, claim: FigureClaim, right: Sequence[_Candidate]) -> tuple[str, None] | None:
        bare = _without_qualifiers(claim)
        for candidate in right:
            field = FIELDS[candidate.entry.key]
            sibling = sparse_key(field.key) or field.sparse_of
            if not sibling:
                continue
            other = _Candidate(candidate.spec, candidate.spec.entries[sibling])
            if any(self._holds(bare, other, figure) for figure in other.entry.figures):
                return ("dense" if field.sparse_of else "sparse"), None
        return None

    def _other_direction(self, claim: FigureClaim, right: Sequence[_Candidate]) -> tuple[str, None] | None:
        if right[0].entry.key != _LINK:
            return None
        for qualifiers, reason in ((frozenset({"per_direction"}), "one_way"), (frozenset[str](), "both_ways")):
            other = _with_qualifiers(claim, qualifiers)
            if any(self._holds(other, c, f) for c in right for f in c.entry.figures):
                return reason, None
        return None

    def _other_card(self, claim: FigureClaim, right: Sequence[_Candidate]) -> tuple[str, Mapping[str, str]] | None:
        own = right[0].spec
        mine = {candidate.spec.gpu_id for candidate in right}
        key = right[0].entry.key
        for gpu_id in self._catalog.families.get(own.family, ()) if own.family else ():
            if gpu_id in mine:
                continue
            spec = self._catalog.get(gpu_id)
            other = _Candidate(spec, spec.entries[key])
            if any(self._holds(claim, other, figure) for figure in other.entry.figures):
                return "other_card", {"zh": spec.name_zh, "en": spec.name}
        return None

    def _other_field(self, claim: FigureClaim, right: Sequence[_Candidate]) -> tuple[str, Mapping[str, str]] | None:
        bare = _without_qualifiers(claim)
        unit = FIELDS[right[0].entry.key].unit
        if not unit:
            return None
        for key, field in FIELDS.items():
            if field.unit != unit or key == right[0].entry.key:
                continue
            other = _Candidate(right[0].spec, right[0].spec.entries[key])
            if any(self._holds(bare, other, figure) for figure in other.entry.figures):
                return "other_field", {"zh": field.label_zh, "en": field.label_en}
        return None


def _only(choice: FieldChoice) -> str | None:
    return choice.keys[0] if choice.keys else None


def _unpublished(choice: FieldChoice, candidates: Sequence[_Candidate]) -> Judged:
    ids = tuple(dict.fromkeys(c.spec.gpu_id for c in candidates))
    return Judged("unknown", ids, _only(choice), reason="not_published" if ids else "no_card")


def _joined(found: Sequence[Judged]) -> Judged:
    """Several cards for each of which it holds, as one."""
    first = found[0]
    ids = tuple(dict.fromkeys(gpu_id for judged in found for gpu_id in judged.ids))
    figures = tuple(pair for judged in found for pair in judged.figures)
    return Judged("supported", ids, first.key, figures, first.reason, first.detail, first.entry)


def _supported(holding: Sequence[tuple[_Candidate, Figure]]) -> Judged:
    first = holding[0][0]
    key = first.entry.key
    ids = tuple(dict.fromkeys(c.spec.gpu_id for c, _ in holding if c.entry.key == key))
    if first.entry.state in _OPEN:
        figures = tuple((first.spec.gpu_id, figure) for figure in first.entry.figures)
        return Judged("supported", ids, key, figures, "conflict" if len(figures) > 1 else "", None, first.entry)
    figures = tuple((c.spec.gpu_id, f) for c, f in holding if c.entry.key == key)
    return Judged("supported", ids, key, figures, entry=first.entry)


def _denied(judged: Judged) -> Judged:
    """A figure that the text itself calls wrong."""
    if judged.verdict == "contradicted":
        return Judged("supported", judged.ids, judged.key, judged.figures, "named_wrong", None, judged.entry)
    if judged.verdict == "supported":
        return Judged("contradicted", judged.ids, judged.key, judged.figures, "denies_right", None, judged.entry)
    return judged


def _is_close(entry: Entry, value: float) -> bool:
    """Whether a field's own figure is that value, but for how it was rounded."""
    return any(f.low is not None and abs(f.low - value) <= _ROUNDED_APART * value for f in entry.figures)


def _without_qualifiers(claim: FigureClaim) -> FigureClaim:
    return _with_qualifiers(claim, frozenset())


def _with_qualifiers(claim: FigureClaim, qualifiers: frozenset[str]) -> FigureClaim:
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


def _multiples(claim: FigureClaim, candidate: _Candidate, figure: Figure) -> tuple[float, ...]:
    """What the catalogue's figure may be multiplied by: halves of a link, GPUs of a board, cards that are added up."""
    base: tuple[float, ...] = (1.0,)
    if candidate.entry.key == _LINK and "per_direction" in claim.qualifiers:
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


def _is_within(claim: FigureClaim, numbers: Sequence[Written], low: float, high: float) -> bool:
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
