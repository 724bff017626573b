"""Whether a card has a property: its values on record against the one a text names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kb.answer.gate.claims import WordClaim
from kb.answer.gate.judged import Judged, denied_by_text
from kb.specs.catalog import Catalog
from kb.specs.schema import Entry, GpuSpec

PCIE = re.compile(
    r"(?<![a-z0-9])pci(?:e|[\s-]?express)\s?(?:gen\s?|第?)?([1-7])(?:\.([01]))?(?!\d|\.\d)(?:\s?代)?(?:\s?[x×]\s?(\d{1,2}))?"
)
NVLINK = re.compile(
    r"(?<![a-z0-9])nvlink\s?-?(?:v|gen\s?)?([1-6])(?:\.0)?(?![.\d]\d|\s?[tg]b|\d)|(?:第\s?([一二三四五1-6])\s?代|([1-6])(?:st|nd|rd|th)[\s-]gen(?:eration)?)\s?nvlink"
)
_PUNCTUATION = re.compile(r"[\s()（）/,，.]+")


class PropertyJudge:
    """Judges named properties by the catalogue."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def judge(self, claim: WordClaim) -> Judged:
        """Whether the catalogue bears out a property."""
        if claim.cards.unknown:
            return Judged("unknown", key=claim.field, reason="unknown_card", detail={"card": claim.cards.unknown[0]})
        found = [self._judge_one(claim, ids) for ids in claim.cards.each]
        order = ("contradicted", "unknown", "untyped", "supported")
        if claim.cards.any_of:
            order = ("supported", "contradicted", "unknown", "untyped")
        chosen = min(found, key=lambda judged: order.index(judged.verdict))
        if claim.is_loose and not claim.denied and chosen.verdict == "contradicted":
            return Judged("unknown", chosen.ids, chosen.key)
        return denied_by_text(chosen) if claim.denied else chosen

    def _judge_one(self, claim: WordClaim, ids: Sequence[str]) -> Judged:
        specs = [self._catalog.get(gpu_id) for gpu_id in ids]
        holds = _HOLDS[claim.field]
        stated = [spec for spec in specs if _is_stated(claim, spec)]
        right = [spec for spec in stated if holds(claim, spec)]
        chosen = right or stated
        figures = tuple((spec.gpu_id, figure) for spec in chosen for figure in spec.entries[claim.field].figures)
        ids = tuple(spec.gpu_id for spec in chosen)
        if right:
            return Judged("supported", ids, claim.field, figures)
        if not stated:
            return Judged("unknown", tuple(spec.gpu_id for spec in specs), claim.field, (), "not_published")
        return Judged("contradicted", ids, claim.field, figures, "value", None, stated[0].entries[claim.field])


def bare(text: str) -> str:
    """A value as it is compared: without spaces and signs, `RDNA 3.0` as `rdna3`."""
    folded = text.lower().removesuffix(".0")
    return _PUNCTUATION.sub("", folded).replace("-", "")


def _values(entry: Entry) -> list[str]:
    return [str(figure.value) for figure in entry.figures if isinstance(figure.value, str)]


def _is_stated(claim: WordClaim, spec: GpuSpec) -> bool:
    if claim.field == "form_factor":
        form = _form_of(spec)
        return form != "" and (claim.value != "low-profile" or "fh" in form or "low-profile" in form)
    if claim.field == "interconnect":
        return any(NVLINK.search(value.lower()) for value in _values(spec.entries["interconnect"]))
    if claim.field == "released_on":
        return bool(_dates_of(claim, spec))
    return bool(spec.entries[claim.field].figures)


def _form_of(spec: GpuSpec) -> str:
    return " ".join(_values(spec.entries["form_factor"])).lower().replace(" ", "-")


def _memory_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    return any(bare(value) == claim.value for value in _values(spec.entries["memory_type"]))


def _architecture_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    names = [bare(value) for value in _values(spec.entries["architecture"])]
    return any(n == claim.value or (n.startswith(claim.value) and not claim.value[-1].isdigit()) for n in names)


def _pcie_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    generation, _, lanes = claim.value.partition(" ")
    for value in _values(spec.entries["pcie"]):
        found = PCIE.search(value.lower())
        if found and found.group(1) == generation[0] and (not lanes or f"x{found.group(3)}" == lanes):
            return True
    return False


def _link_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    values = [bare(value) for value in _values(spec.entries["interconnect"])]
    return any(value.startswith(claim.value) for value in values)


def _equals(claim: WordClaim, spec: GpuSpec) -> bool:
    return claim.value in _values(spec.entries[claim.field])


def _dates_of(claim: WordClaim, spec: GpuSpec) -> list[str]:
    """Dates on record of the release that a text speaks of: announced, or on sale."""
    kinds = {"announced", "on_sale"}
    figures = spec.entries["released_on"].figures
    said = claim.qualifiers & kinds
    return [str(f.value) for f in figures if not said or not kinds & set(f.qualifiers) or said & set(f.qualifiers)]


def _date_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    return any(date.startswith(claim.value) or claim.value.startswith(date) for date in _dates_of(claim, spec))


def _form_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    return claim.value in _form_of(spec)


def _vendor_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    return spec.vendor_id == claim.value


_HOLDS: dict[str, Callable[[WordClaim, GpuSpec], bool]] = {
    "memory_type": _memory_holds,
    "architecture": _architecture_holds,
    "pcie": _pcie_holds,
    "interconnect": _link_holds,
    "compute_capability": _equals,
    "released_on": _date_holds,
    "form_factor": _form_holds,
    "vendor": _vendor_holds,
}
