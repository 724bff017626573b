"""Properties named in words: kind of memory, architecture, PCIe and NVLink generation, release date, form, vendor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from kb.answer.gate.claims import WordClaim
from kb.answer.gate.finder import SubjectFinder
from kb.answer.gate.judge import Judged
from kb.answer.gate.remarks import Remarks
from kb.answer.gate.scene import Scene
from kb.answer.gate.subjects import Cards
from kb.answer.question.scanner import Hit
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.specs.schema import Entry, GpuSpec
from kb.types import Span

_PCIE = re.compile(
    r"(?<![a-z0-9])pci(?:e|[\s-]?express)\s?(?:gen\s?|第?)?([1-7])(?:\.([01]))?(?!\d|\.\d)(?:\s?代)?(?:\s?[x×]\s?(\d{1,2}))?"
)
_NVLINK = re.compile(
    r"(?<![a-z0-9])nvlink\s?-?(?:v|gen\s?)?([1-6])(?:\.0)?(?![.\d]\d|\s?[tg]b|\d)|(?:第\s?([一二三四五1-6])\s?代|([1-6])(?:st|nd|rd|th)[\s-]gen(?:eration)?)\s?nvlink"
)
_CAPABILITY = re.compile(
    r"(?:compute capability|计算能力|cuda capability|sm_)\s*(?:是|为|of|is|:|：|=|\|)?\s*"
    r"(\d{1,2}\.\d|\d{2,3})(?!\d|\.\d)"
)
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?:\s?年(?:\s?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?[日号])?)?|[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d))?(?!\d|,\d|\.\d)"
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_ENGLISH_DATE = re.compile(
    rf"(?<![a-z])({'|'.join(_MONTHS)})[a-z]*\.?\s(?:(\d{{1,2}})(?:st|nd|rd|th)?,?\s)?((?:19|20)\d\d)"
    rf"|(\d{{1,2}})\s({'|'.join(_MONTHS)})[a-z]*\.?\s((?:19|20)\d\d)"
)
_VENDOR_WITHIN = 16
_GAP = 3
_SHORTEST_NAME = 5
_NUMERALS = {"一": "1", "二": "2", "三": "3", "四": "4", "五": "5"}
_COMING_FROM = re.compile(
    r"(?:从|由|比|不如|优于|相比|替代|取代|\b(?:from|than|over)(?: the)?|\bversus|\bvs\.?|\breplac(?:es|ing))\s*$"
)
_OVER = re.compile(r"\bover\s*$")
_NOT_WITHIN = 4
_SAID_WITHIN = 24
_RELEASE_GAP = 40
_BESIDE = re.compile(r"\s*(?:的|of|,|，|/|:|：|\(|（|-)?\s*")
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
_PUNCTUATION = re.compile(r"[\s()（）/,，.]+")


class PropertyReader:
    """Finds properties named in words, and judges them."""

    def __init__(self, catalog: Catalog, resolver: NameResolver, finder: SubjectFinder) -> None:
        self._catalog = catalog
        self._resolver = resolver
        self._finder = finder
        names = [name for name in catalog.cards_by("architecture") if len(name) > _SHORTEST_NAME]
        spelt = "|".join(re.escape(name.lower()) for name in sorted(names, key=len, reverse=True))
        self._architectures = re.compile(rf"(?<![a-z0-9])(?:{spelt or '(?!)'})(?![a-z0-9])")

    def claims(self, scene: Scene) -> Iterator[WordClaim]:
        """Every property a piece names of a card."""
        for hit in scene.words:
            if hit.is_a("memory_type") and hit.text not in ("hbm", "gddr", "lpddr", "dram"):
                yield from self._claim(scene, Span(hit.start, hit.end), "memory_type", _bare(hit.text))
            if hit.is_a("architecture") and not self._architectures.match(scene.hidden, hit.start):
                yield from self._claim(scene, Span(hit.start, hit.end), "architecture", _bare(hit.text))
            if hit.is_a("form"):
                yield from self._claim(scene, Span(hit.start, hit.end), "form_factor", _FORM_HELD[hit.value("form")])
        hidden = scene.hidden
        for match in self._architectures.finditer(hidden):
            yield from self._claim(scene, Span(*match.span()), "architecture", _bare(match.group()))
        for match in _PCIE.finditer(hidden):
            lanes = f" x{match.group(3)}" if match.group(3) else ""
            yield from self._claim(scene, Span(*match.span()), "pcie", f"{match.group(1)}.{match.group(2) or 0}{lanes}")
        for match in _NVLINK.finditer(hidden):
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
        if not over_a_bus and _COMING_FROM.search(scene.folded, max(0, span.start - 16), span.start):
            return
        if field != "vendor" and not _is_said(scene, span, field):
            return
        cards = self._finder.narrowed(scene.subjects.of_word(span, scene.spans), scene.variant_words(span))
        if cards.is_empty:
            return
        yield WordClaim(span, field, value, cards, Remarks(scene).denies(span, scene.nearby(span)), False, qualifiers)

    def _dates(self, scene: Scene) -> Iterator[WordClaim]:
        for span, value in _dates_in(scene.hidden):
            if any(token.start < span.start and span.end < token.end for token in scene.tokens):
                continue
            if _AS_OF.search(scene.folded, max(0, span.start - 12), span.start):
                continue
            near = _released_words(scene, span)
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

    # ------------------------------------------------------------ judging

    def judge(self, claim: WordClaim) -> Judged:
        """Whether the catalogue bears out a property."""
        if claim.cards.unknown:
            return Judged("unknown", key=claim.field, reason="unknown_card", detail={"card": claim.cards.unknown[0]})
        found = [self._judge_one(claim, ids) for ids in claim.cards.each]
        order = ("contradicted", "unknown", "untyped", "supported")
        if claim.cards.any_of:
            order = ("supported", "contradicted", "unknown", "untyped")
        chosen = min(found, key=lambda judged: order.index(judged.verdict))
        return _denied(chosen) if claim.denied else chosen

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


def _denied(judged: Judged) -> Judged:
    if judged.verdict == "contradicted":
        return Judged("supported", judged.ids, judged.key, judged.figures, "named_wrong")
    if judged.verdict == "supported":
        return Judged("contradicted", judged.ids, judged.key, judged.figures, "denies_right")
    return judged


def _bare(text: str) -> str:
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
        return any(_NVLINK.search(value.lower()) for value in _values(spec.entries["interconnect"]))
    return bool(spec.entries[claim.field].figures)


def _form_of(spec: GpuSpec) -> str:
    return " ".join(_values(spec.entries["form_factor"])).lower().replace(" ", "-")


def _memory_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    return any(_bare(value) == claim.value for value in _values(spec.entries["memory_type"]))


def _architecture_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    names = [_bare(value) for value in _values(spec.entries["architecture"])]
    return any(n == claim.value or (n.startswith(claim.value) and not claim.value[-1].isdigit()) for n in names)


def _pcie_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    generation, _, lanes = claim.value.partition(" ")
    for value in _values(spec.entries["pcie"]):
        found = _PCIE.search(value.lower())
        if found and found.group(1) == generation[0] and (not lanes or f"x{found.group(3)}" == lanes):
            return True
    return False


def _link_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    values = [_bare(value) for value in _values(spec.entries["interconnect"])]
    return any(value.startswith(claim.value) for value in values)


def _equals(claim: WordClaim, spec: GpuSpec) -> bool:
    return claim.value in _values(spec.entries[claim.field])


def _date_holds(claim: WordClaim, spec: GpuSpec) -> bool:
    for figure in spec.entries["released_on"].figures:
        value = str(figure.value)
        other = {q for q in figure.qualifiers if q in ("announced", "on_sale")}
        clash = other and claim.qualifiers & {"announced", "on_sale"} and not other & claim.qualifiers
        if not clash and (value.startswith(claim.value) or claim.value.startswith(value)):
            return True
    return False


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


def _dates_in(folded: str) -> Iterator[tuple[Span, str]]:
    """Dates as ISO 8601, as precisely as they are written."""
    taken: list[Span] = []
    for match in _ENGLISH_DATE.finditer(folded):
        month, day, year = match.group(1), match.group(2), match.group(3)
        if month is None:
            day, month, year = match.group(4), match.group(5), match.group(6)
        taken.append(Span(*match.span()))
        yield taken[-1], _iso(year, str(_MONTHS.index(month) + 1), day)
    for match in _DATE.finditer(folded):
        if any(span.start < match.end() and match.start() < span.end for span in taken):
            continue
        yield (
            Span(*match.span()),
            _iso(match.group(1), match.group(2) or match.group(4), match.group(3) or match.group(5)),
        )


def _iso(year: str, month: str | None, day: str | None) -> str:
    return "-".join([year, *(f"{int(part):02d}" for part in (month, day) if part)])


# ---------------------------------------------------------------- said, or only mentioned


def _is_said(scene: Scene, span: Span, key: str) -> bool:
    """Whether a property is said of a card: in its cell, beside its name, or with a word that says so.

    Mentioned only, as in "FlashAttention-3 needs Hopper", it claims nothing.
    """
    if scene.ambient.is_cell:
        return any(_says(hit, key) or (key == "memory_type" and hit.is_a("memory")) for hit in scene.ambient.all_words)
    groups = scene.subjects.groups
    if any(_is_beside(scene, (g.start, g.end), span) for g in groups):
        return True
    sizes = [(t.start, t.end) for t in scene.figures if t.quantity is not None and t.quantity.unit == "GB"]
    if key == "memory_type" and any(_is_beside(scene, size, span) for size in sizes):
        return True
    if any(hit.is_a("denied") and 0 <= span.start - hit.end <= _NOT_WITHIN for hit in scene.words):
        return True
    words = scene.words if key == "released_on" else scene.clause_words(span.start)
    said = [hit for hit in words if _says(hit, key)]
    within = _RELEASE_GAP if key == "released_on" else _SAID_WITHIN
    near = any(hit.start - span.end <= within and span.start - hit.end <= within for hit in said)
    return near and (bool(groups) or not scene.ambient.follows)


def _says(hit: Hit, key: str) -> bool:
    return any(tag.kind == "says" and tag.value == key for tag in hit.tags)


def _is_beside(scene: Scene, place: tuple[int, int], span: Span) -> bool:
    start, end = place
    return bool(
        _BESIDE.fullmatch(scene.folded, end, span.start)
        if end <= span.start
        else _BESIDE.fullmatch(scene.folded, span.end, start)
    )


def _released_words(scene: Scene, span: Span) -> list[Hit]:
    """The words near a date that make it one of release, with what kind of release they say."""
    near = [h for h in scene.words if h.start - span.end <= _RELEASE_GAP and span.start - h.end <= _RELEASE_GAP]
    near += scene.ambient.all_words
    return near if any(hit.is_a("released") for hit in near) else []
