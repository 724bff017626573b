"""Where a wrong number comes from: another card, another field, the sparse figure, one direction…"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kb.answer.gate.agreement import LINK, Candidate, holds, with_qualifiers, without_qualifiers
from kb.answer.gate.claims import FigureClaim
from kb.answer.gate.fields import FieldChoice
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS, sparse_key


class Origins:
    """Explains wrong numbers by the catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def of(
        self, claim: FigureClaim, choice: FieldChoice, right: Sequence[Candidate]
    ) -> tuple[str, Mapping[str, str] | None]:
        """Key of the reason why a number is wrong, and what that reason names."""
        if not choice.fits:
            return "unit", None
        for candidate in right:
            for figure in candidate.entry.rejected:
                if holds(claim, candidate, figure) and figure.note_en:
                    return "rejected", {"zh": figure.note_zh, "en": figure.note_en}
        return (
            self._other_qualifier(claim, right)
            or self._other_sparsity(claim, right)
            or self._other_direction(claim, right)
            or self._other_card(claim, right)
            or self._other_field(claim, right)
            or ("value", None)
        )

    def _other_qualifier(self, claim: FigureClaim, right: Sequence[Candidate]) -> tuple[str, None] | None:
        bare = without_qualifiers(claim)
        mine = claim.qualifiers - {"dense", "sparse", "per_direction", "both_directions"}
        if mine and any(holds(bare, c, f) for c in right for f in c.entry.figures):
            return "qualifier", None
        return None

    def _other_sparsity(self, claim: FigureClaim, right: Sequence[Candidate]) -> tuple[str, None] | None:
        bare = without_qualifiers(claim)
        for candidate in right:
            field = FIELDS[candidate.entry.key]
            sibling = sparse_key(field.key) or field.sparse_of
            if not sibling:
                continue
            other = Candidate(candidate.spec, candidate.spec.entries[sibling])
            if any(holds(bare, other, figure) for figure in other.entry.figures):
                return ("dense" if field.sparse_of else "sparse"), None
        return None

    def _other_direction(self, claim: FigureClaim, right: Sequence[Candidate]) -> tuple[str, None] | None:
        if right[0].entry.key != LINK:
            return None
        for qualifiers, reason in ((frozenset({"per_direction"}), "one_way"), (frozenset[str](), "both_ways")):
            other = with_qualifiers(claim, qualifiers)
            if any(holds(other, c, f) for c in right for f in c.entry.figures):
                return reason, None
        return None

    def _other_card(self, claim: FigureClaim, right: Sequence[Candidate]) -> tuple[str, Mapping[str, str]] | None:
        own = right[0].spec
        mine = {candidate.spec.gpu_id for candidate in right}
        key = right[0].entry.key
        for gpu_id in self._catalog.families.get(own.family, ()) if own.family else ():
            if gpu_id in mine:
                continue
            spec = self._catalog.get(gpu_id)
            other = Candidate(spec, spec.entries[key])
            if any(holds(claim, other, figure) for figure in other.entry.figures):
                return "other_card", {"zh": spec.name_zh, "en": spec.name}
        return None

    def _other_field(self, claim: FigureClaim, right: Sequence[Candidate]) -> tuple[str, Mapping[str, str]] | None:
        bare = without_qualifiers(claim)
        unit = FIELDS[right[0].entry.key].unit
        if not unit:
            return None
        for key, field in FIELDS.items():
            if field.unit != unit or key == right[0].entry.key:
                continue
            other = Candidate(right[0].spec, right[0].spec.entries[key])
            if any(holds(bare, other, figure) for figure in other.entry.figures):
                return "other_field", {"zh": field.label_zh, "en": field.label_en}
        return None
