"""Properties named in words: kind of memory, architecture, PCIe and NVLink generation, release date, form, vendor."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.answer.gate.claims import WordClaim
from kb.answer.gate.dates import dates_in
from kb.answer.gate.finder import SubjectFinder
from kb.answer.gate.looseness import Looseness
from kb.answer.gate.property_values import NVLINK, PCIE, bare
from kb.answer.gate.remarks import Remarks
from kb.answer.gate.said import is_said, released_words
from kb.answer.gate.scene import Scene
from kb.answer.gate.subjects import Cards
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.types import Span

_CAPABILITY = re.compile(
    r"(?:compute capability|计算能力|cuda capability|sm_)\s*(?:是|为|of|is|:|：|=|\|)?\s*"
    r"(\d{1,2}\.\d|\d{2,3})(?!\d|\.\d)"
)
_VENDOR_WITHIN = 16
_GAP = 3
_SHORTEST_NAME = 5
_NUMERALS = {"一": "1", "二": "2", "三": "3", "四": "4", "五": "5"}
_COMING_FROM = re.compile(
    r"(?:从|由|比|不如|优于|相比|替代|取代|要求|需要|要|\b(?:needs?|requires?|(?:written|compiled|built) for)"
    r"|\b(?:from|than|over)(?: the)?|\bversus|\bvs\.?|\breplac(?:es|ing))"
    r"\s*(?:compute capability\s*|计算能力\s*)?$"
)
_DESCRIBES = re.compile(r"\s?(?:架构)?的?\s?")
_OVER = re.compile(r"\bover\s*$")
_FORM_HELD = {
    "sxm": "sxm",
    "oam": "oam",
    "dual": "dual",
    "single": "single",
    "triple": "triple",
    "quad": "quad",
    "low-profile": "low-profile",
}
_AS_OF = re.compile(r"(?:截至|截止|as of|updated|更新于?|版权|©|copyright)\s*:?\s*$")


class PropertyReader:
    """Finds properties named in words."""

    def __init__(self, catalog: Catalog, resolver: NameResolver, finder: SubjectFinder) -> None:
        self._resolver = resolver
        self._finder = finder
        names = [name for name in catalog.cards_by("architecture") if len(name) > _SHORTEST_NAME]
        spelt = "|".join(re.escape(name.lower()) for name in sorted(names, key=len, reverse=True))
        self._architectures = re.compile(rf"(?<![a-z0-9])(?:{spelt or '(?!)'})(?![a-z0-9])")

    def claims(self, scene: Scene) -> Iterator[WordClaim]:
        """Every property a piece names of a card."""
        for hit in scene.words:
            if hit.is_a("memory_type") and hit.text not in ("hbm", "gddr", "lpddr", "dram"):
                yield from self._claim(scene, Span(hit.start, hit.end), "memory_type", bare(hit.text))
            if hit.is_a("architecture") and not self._architectures.match(scene.hidden, hit.start):
                yield from self._claim(scene, Span(hit.start, hit.end), "architecture", bare(hit.text))
            if hit.is_a("form"):
                yield from self._claim(scene, Span(hit.start, hit.end), "form_factor", _FORM_HELD[hit.value("form")])
        hidden = scene.hidden
        for match in self._architectures.finditer(hidden):
            yield from self._claim(scene, Span(*match.span()), "architecture", bare(match.group()))
        for match in PCIE.finditer(hidden):
            lanes = f" x{match.group(3)}" if match.group(3) else ""
            yield from self._claim(scene, Span(*match.span()), "pcie", f"{match.group(1)}.{match.group(2) or 0}{lanes}")
        for match in NVLINK.finditer(hidden):
            number = next(group for group in match.groups() if group)
            yield from self._claim(scene, Span(*match.span()), "interconnect", f"nvlink{_NUMERALS.get(number, number)}")
        for match in _CAPABILITY.finditer(hidden):
            shown = match.group(1)
            value = shown if "." in shown else f"{shown[:-1]}.{shown[-1]}"
            yield from self._claim(scene, Span(match.start(1), match.end(1)), "compute_capability", value)
        yield from self._dates(scene)
        yield from self._vendors(scene)

    # ------------------------------------------------------------ reading

    def _claim(
        self, scene: Scene, span: Span, field: str, value: str, qualifiers: frozenset[str] = frozenset()
    ) -> Iterator[WordClaim]:
        over_a_bus = field in ("pcie", "interconnect") and _OVER.search(
            scene.folded, max(0, span.start - 16), span.start
        )
        if not over_a_bus and _COMING_FROM.search(scene.folded, max(0, span.start - 36), span.start):
            return
        if field != "vendor" and not is_said(scene, span, field):
            return
        cards = _described(scene, span) or scene.subjects.of_word(span, scene.spans)
        cards = self._finder.narrowed(cards, scene.variant_words(span))
        if cards.is_empty:
            return
        looseness = Looseness(scene)
        is_loose = field != "vendor" and (looseness.is_only_reported(span) or looseness.opens_elsewhere(span))
        denied = Remarks(scene).denies(span, scene.nearby(span))
        yield WordClaim(span, field, value, cards, denied, is_loose, qualifiers)

    def _dates(self, scene: Scene) -> Iterator[WordClaim]:
        for span, value in dates_in(scene.hidden):
            if any(token.start < span.start and span.end < token.end for token in scene.tokens):
                continue
            if _AS_OF.search(scene.folded, max(0, span.start - 12), span.start):
                continue
            near = released_words(scene, span)
            if near:
                qualifiers = frozenset(hit.value("qualifier") for hit in near if hit.is_a("qualifier"))
                yield from self._claim(scene, span, "released_on", value, qualifiers)

    def _vendors(self, scene: Scene) -> Iterator[WordClaim]:
        """Vendors right before a card's name."""
        for mention in scene.mentions:
            start = max(0, mention.start - _VENDOR_WITHIN)
            for vendor in self._resolver.vendors(scene.text[start : mention.end]) if mention.gpu_ids else ():
                place = Span(start + vendor.start, start + vendor.end)
                gap = scene.text[place.end : mention.start]
                if place.start >= mention.start or (len(gap) <= _GAP and not gap.strip(" -'’s的")):
                    yield WordClaim(place, "vendor", vendor.vendor_id, Cards((mention.gpu_ids,)))


def _described(scene: Scene, span: Span) -> Cards | None:
    """The card right behind a word that describes it: `Volta 的 V100`, `the Ampere A30`."""
    group = next((group for group in scene.subjects.groups if group.start >= span.end), None)
    return group.cards if group is not None and _DESCRIBES.fullmatch(scene.folded, span.end, group.start) else None
