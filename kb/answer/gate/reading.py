"""From a piece of text to its claims: every number is typed, and every word that names a card's property."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kb.answer.gate import fields as choosing
from kb.answer.gate.claims import DerivedClaim, FigureClaim, WordClaim
from kb.answer.gate.fields import COUNTED, FieldChoice
from kb.answer.gate.lexicon import COMPUTE_UNITS, fold_in_place, words_in
from kb.answer.gate.subjects import Cards, SubjectFinder, Subjects
from kb.answer.question.scanner import Hit, blank
from kb.quantity import NumberToken, Quantity, number_tokens, parse_quantities
from kb.quantity.units import UNIT_PATTERN
from kb.specs.fields import FIELDS
from kb.types import Span

_CLAUSE = re.compile(
    r"[，；;。！？!?、\n]|,(?!\d)|\band\b|\bwhile\b|\bwhereas\b|\bbut\b|\bplus\b|(?<![总共])和|以及|及(?!以)|与|而(?!非|且)|\|"
)
_LIST = re.compile(r"\s*(?:、|,|，|/|和|与|及|以及|and|or|vs\.?|还是|或者?|&|对)\s*")
_BRACKET = re.compile(r"\s*(?:[*_`]*)\s*[(（\[]([^()（）\[\]]*)[)）\]]")
_FORMATS_LISTED = re.compile(r"\s*(?:/|、|和|与|及|and|&|,)\s*")
_UP_TO = re.compile(r"(?:\bup to|\bmax(?:imum)?\.?(?: of)?|最多|最高|最大|高达|多达|可达|达到?)\s*$")
_NO_FIGURE_AFTER = re.compile(r"\s*(?:/\s?(?:s|sec|day|天|hour|小时|card|卡|gpu)\b)")
_PER = re.compile(r"\s*(?:/\s?w(?![a-z])|/\s?瓦|每瓦|per watt)")
_COUNT_BEFORE = re.compile(
    r"[\s:：*_|]*(?:的?(?:数量|数|个数|总数|count|number)?)?[\s:：]*(?:是|为|有|达|共|约|of|is|are|has|=|至|到)?\s*(?:约|大约|about|~)?\s*"
)
_COUNT_AFTER = re.compile(
    r"\s*(?:个|颗|组|million|billion|active|enabled|dedicated|第[一二三四五六]代|\S+-gen(?:eration)?|of the)?"
    r"\s*(?:的\s*)?"
)
_HEAD_UNIT = re.compile(rf"[(（\[/,，\s]\s*(?:单位[:：]?\s*)?({UNIT_PATTERN})\s*[)）\]]?\s*$")
_DIFFERENCE_BEFORE = re.compile(
    r"(?:(?:相差|差距?(?:是|为|有)?|差了|\bdifference(?: of| is)?|\bgap(?: of| is)?)\s*[:：]?"
    r"|(?<![最至])多(?:出|了|出了)?|(?<!最)(?:高|大|快)(?:出|了|出了)?|(?<![带位最])宽(?:了|出)|(?<![最减缩至])(?:少|低|小|慢|省)(?:了)?"
    r"|(?:增加|减少|提升|提高|降低|下降|领先|落后|超出|增长|节省)(?:了)?"
    r"|\bby|\bextra|\badditional)\s*(?:约|大约|about|roughly|some|~)?\s*$"
)
_DIFFERENCE_AFTER = re.compile(
    r"\s*(?:of [a-z0-9 ]{2,24} )?"
    r"(?:more|less|higher|lower|faster|slower|greater|larger|smaller|wider|extra|fewer|ahead|behind)\b"
    r"|\s*(?:的)?(?:差距|差值|差)"
)
_WORD_BY = re.compile(r"(?:从|由|\bfrom)\s*$")
_RELEASE_GAP = 40


@dataclass(slots=True)
class Ambient:
    """What stands around a piece: what its cells' header and row label say, and what was spoken of before.

    Attributes:
        cards: spoken of before, or named by heading, row or column.
        words: of the header and the row's label, nearest first.
        keys: fields that the sentence before was about.
        words_text: header and label, folded.
    """

    cards: Cards
    words: list[list[Hit]] = field(default_factory=list)
    keys: tuple[str, ...] = ()
    words_text: str = ""
    is_cell: bool = False


@dataclass(slots=True)
class Claims:
    """What one piece claims; spans are in the piece."""

    figures: list[tuple[NumberToken, FigureClaim]] = field(default_factory=list)
    words: list[WordClaim] = field(default_factory=list)
    derived: list[tuple[NumberToken, DerivedClaim]] = field(default_factory=list)
    others: list[NumberToken] = field(default_factory=list)
    main: Cards = field(default_factory=Cards)
    keys: tuple[str, ...] = ()


class PieceReader:
    """Reads one piece."""

    def __init__(self, text: str, finder: SubjectFinder, ambient: Ambient) -> None:
        self.text = text
        self.folded = fold_in_place(text)
        self.mentions = finder.mentions(text)
        self._finder = finder
        self._ambient = ambient
        names = [Span(m.start, m.end) for m in self.mentions]
        self.tokens = number_tokens(text, names)
        hidden = self.folded
        for name in names:
            hidden = blank(hidden, name.start, name.end)
        self.words = words_in(hidden)
        self._hidden = hidden
        self.figures = [t for t in self.tokens if t.quantity is not None]
        self.spans = [Span(t.start, t.end) for t in self.figures]
        self.subjects = Subjects(text, self.folded, finder.groups(text, self.folded), ambient.cards)
        self.runs = self._runs()

    @property
    def hidden(self) -> str:
        """The folded text with the names of cards blanked."""
        return self._hidden

    def cards_of_word(self, span: Span) -> Cards:
        """Whose a word is."""
        return self._finder.narrowed(self.subjects.of_word(span, self.spans), self._variant_words(span))

    def denies(self, span: Span) -> bool:
        """Whether the text says that what stands there is wrong."""
        return self._is_denied(span, self._local(span))

    def released_words(self, span: Span) -> list[Hit]:
        """The words near a date that make it one of release, with what kind of release they say."""
        near = [
            hit for hit in self.words if hit.start - span.end <= _RELEASE_GAP and span.start - hit.end <= _RELEASE_GAP
        ]
        near += [hit for pool in self._ambient.words for hit in pool]
        return near if any(hit.is_a("released") for hit in near) else []

    def read(self) -> Claims:
        """All claims of the piece."""
        claims = Claims(main=self.subjects.main())
        for token in self.tokens:
            if token.quantity is None:
                claims.others.append(token)
                continue
            derived = self._derived(token, token.quantity)
            if derived is not None:
                claims.derived.append((token, derived))
                continue
            figure = self._figure(token, token.quantity)
            if figure is None:
                claims.others.append(token)
            else:
                claims.figures.append((token, figure))
        claims.keys = tuple(dict.fromkeys(k for _, c in claims.figures if c.choice.named for k in c.choice.keys[:1]))
        claims.derived = [(t, self._with_keys(c, claims.keys)) for t, c in claims.derived]
        return claims

    # ------------------------------------------------------------ numbers

    def _runs(self) -> list[tuple[Span, ...]]:
        """Figures of one unit that are listed together."""
        runs: list[list[NumberToken]] = []
        for token in self.figures:
            last = runs[-1][-1] if runs else None
            if (
                last is not None
                and last.quantity is not None
                and token.quantity is not None
                and last.quantity.unit == token.quantity.unit
                and _LIST.fullmatch(self.folded, last.end, token.start)
            ):
                runs[-1].append(token)
            else:
                runs.append([token])
        return [tuple(Span(t.start, t.end) for t in run) for run in runs if len(run) > 1]

    def _figure(self, token: NumberToken, quantity: Quantity) -> FigureClaim | None:
        span = Span(token.start, token.end)
        local = self._local(span)
        choice, quantity, fallback = self._choice(token, quantity, local)
        if not choice.keys:
            return None
        cards = self.subjects.of(span, self.spans, self.runs)
        if choice.keys[0] != "memory_gb":
            cards = self._finder.narrowed(cards, self._variant_words(span))
        count, is_sum = self._count_of_cards(span, local)
        return FigureClaim(
            span=span,
            quantity=quantity,
            choice=choice,
            cards=cards,
            qualifiers=self._qualifiers(quantity, local),
            fallback=fallback,
            cards_count=count,
            is_sum=is_sum,
            denied=self._is_denied(span, local),
            is_loose=any(hit.is_a("workload") for hit in self._clause_words(span))
            or "per_system" in quantity.qualifiers,
            up_to=_UP_TO.search(self.folded, 0, span.start) is not None,
        )

    def _choice(
        self, token: NumberToken, quantity: Quantity, local: _Local
    ) -> tuple[FieldChoice, Quantity, tuple[FieldChoice, ...]]:
        if not quantity.unit:
            return (*self._counted(token, quantity, local), ())
        unit = quantity.unit
        modifiers = local.modifiers | self._run_modifier(token)
        pools = [local.before, local.after, local.earlier, local.later, *self._ambient.words]
        mismatched: FieldChoice | None = None
        for number, pool in enumerate(pools):
            for hit in pool:
                found = choosing.by_word(hit, unit, modifiers, self.words)
                if found.keys and found.fits:
                    choice = self._with_listed_formats(hit, found, unit, modifiers)
                    return choice, quantity, self._fallbacks(hit, unit, local)
                if found.keys and mismatched is None and (number < 2 or number > 3) and self._is_orphan(hit, found):
                    mismatched = found
        if mismatched is not None and not self._is_usual(unit):
            return mismatched, quantity, ()
        if any(hit.is_a("slot") for hit in (*local.before, *local.after)):
            return FieldChoice(), quantity, ()
        if mismatched is not None:
            return mismatched, quantity, ()
        plain = choosing.by_unit(unit)
        if self._ambient.keys and set(self._ambient.keys) & set(plain.keys):
            plain = replace(plain, keys=tuple(k for k in plain.keys if k in self._ambient.keys))
        return self._with_modifiers(plain, modifiers), quantity, ()

    @staticmethod
    def _is_usual(unit: str) -> bool:
        return bool(choosing.by_unit(unit).keys)

    @staticmethod
    def _with_modifiers(choice: FieldChoice, modifiers: frozenset[str]) -> FieldChoice:
        """Of compute figures whose format is not named, the sparse or the dense ones."""
        if "sparse" in modifiers and "dense" not in modifiers:
            kept = tuple(key for key in choice.keys if key.endswith("_sparse"))
        else:
            kept = tuple(key for key in choice.keys if not key.endswith("_sparse"))
        return replace(choice, keys=kept) if kept else choice

    def _with_listed_formats(self, hit: Hit, found: FieldChoice, unit: str, modifiers: frozenset[str]) -> FieldChoice:
        """`FP16/BF16`: any format listed with this one may be meant."""
        if not hit.is_a("precision"):
            return found
        keys = list(found.keys)
        for other in self.words:
            near = _FORMATS_LISTED.fullmatch(self.folded, min(other.end, hit.end), max(other.start, hit.start))
            if other is not hit and other.is_a("precision") and near:
                further = choosing.by_word(other, unit, modifiers, self.words)
                keys += further.keys if further.fits else ()
        return replace(found, keys=tuple(dict.fromkeys(keys)))

    def _fallbacks(self, hit: Hit, unit: str, local: _Local) -> tuple[FieldChoice, ...]:
        """The word under a modifier that stands further off in the sentence, if none stands near."""
        if not hit.is_a("precision") or local.modifiers & {"dense", "sparse"}:
            return ()
        further = local.far_modifiers - local.modifiers
        if not further:
            return ()
        found = choosing.by_word(hit, unit, local.modifiers | further, self.words)
        return (found,) if found.keys and found.fits else ()

    def _run_modifier(self, token: NumberToken) -> frozenset[str]:
        """Of two compute figures `312/624` the second, twice the first, is the sparse one."""
        if token.quantity is None or token.quantity.unit not in COMPUTE_UNITS:
            return frozenset()
        span = Span(token.start, token.end)
        run = next((run for run in self.runs if len(run) == 2 and run[1] == span), None)
        if run is None or self._ambient_modifiers() & {"sparse"}:
            return frozenset()
        first = next(t for t in self.figures if t.start == run[0].start).quantity
        near = first is not None and abs(token.quantity.value - 2 * first.value) <= 0.03 * token.quantity.value
        return frozenset({"sparse"}) if near else frozenset()

    def _is_orphan(self, hit: Hit, found: FieldChoice) -> bool:
        """Whether no figure in the word's clause has a unit that the word's field is in."""
        if hit not in self.words:
            return True
        start, end = self._clause_of(hit.start)
        units = {t.quantity.unit for t in self.figures if t.quantity and start <= t.start < end}
        return not any(unit in choosing.UNITS[FIELDS[key].unit] for key in found.keys for unit in units)

    # ------------------------------------------------------------ numbers without a unit

    def _counted(self, token: NumberToken, quantity: Quantity, local: _Local) -> tuple[FieldChoice, Quantity]:
        """A number of things (6912 CUDA cores), or one whose unit its field or table header gives."""
        if self._ambient.is_cell and token.kind in ("plain", "count"):
            found = self._from_header(quantity, local)
            if found is not None:
                return found
        for hit in local.after:
            if (
                hit.is_a("field")
                and hit.value("field") in COUNTED
                and _COUNT_AFTER.fullmatch(self.folded, token.end, hit.start)
            ):
                return FieldChoice((hit.value("field"),), named=True), quantity
        for hit in local.before:
            if not _COUNT_BEFORE.fullmatch(self.folded, hit.end, token.start):
                continue
            found = self._with_unit_of(hit, quantity, local, token)
            if found is not None:
                return found
        return FieldChoice(), quantity

    def _with_unit_of(
        self, hit: Hit, quantity: Quantity, local: _Local, token: NumberToken
    ) -> tuple[FieldChoice, Quantity] | None:
        """`TDP: 700`: the number is in the field's own unit."""
        if hit.is_a("field") and hit.value("field") in COUNTED:
            return FieldChoice((hit.value("field"),), named=True), quantity
        if token.kind != "plain" or self._clause_after(token.end).startswith(("个", "张", "块", "款", "倍")):
            return None
        for unit in ("GB/s", "GB", "W", "TFLOPS", "TOPS", "bit", "MHz", "nm", "MB"):
            found = choosing.by_word(hit, unit, local.modifiers, self.words)
            if found.keys and found.fits and not hit.is_a("memory"):
                return found, replace(quantity, unit=unit)
        return None

    def _from_header(self, quantity: Quantity, local: _Local) -> tuple[FieldChoice, Quantity] | None:
        """A bare number of a table: header and row label name its field and unit."""
        stated = _unit_named(self._ambient.words_text)
        for pool in self._ambient.words:
            for hit in pool:
                if hit.is_a("field") and hit.value("field") in COUNTED:
                    return FieldChoice((hit.value("field"),), named=True), quantity
                for unit in (
                    (stated,) if stated else ("GB", "GB/s", "TFLOPS", "TOPS", "W", "bit", "MHz", "nm", "MB", "USD")
                ):
                    scaled = _scaled(quantity, unit)
                    found = choosing.by_word(hit, scaled.unit, local.modifiers, pool)
                    if found.keys and found.fits:
                        return found, scaled
        if stated:
            scaled = _scaled(quantity, stated)
            plain = choosing.by_unit(scaled.unit)
            return (plain, scaled) if plain.keys else None
        return None

    # ------------------------------------------------------------ what stands beside a figure

    def _local(self, span: Span) -> _Local:
        """The words around a figure, sorted by how near they are to it."""
        previous = max((s.end for s in self.spans if s.end <= span.start), default=0)
        following = min((s.start for s in self.spans if s.start >= span.end), default=len(self.folded))
        start, end = self._clause_of(span.start)
        bracket = _BRACKET.match(self._hidden, span.end)
        end = max(end, bracket.end()) if bracket else end
        low, high = max(previous, start), min(following, end)
        inside = [hit for hit in self.words if not (hit.start < span.end and span.start < hit.end)]
        before = [hit for hit in reversed(inside) if low <= hit.start and hit.end <= span.start]
        after = [hit for hit in inside if span.end <= hit.start and hit.end <= high]
        earlier = [hit for hit in reversed(inside) if hit.end <= span.start and hit not in before]
        later = [hit for hit in inside if span.end <= hit.start < following and hit not in after]
        near = [*before, *after]
        modifiers = _modifiers(near) or self._ambient_modifiers()
        far = _modifiers([hit for hit in earlier if hit.is_a("modifier")][:2])
        return _Local(before, after, earlier, later, modifiers, far)

    def _ambient_modifiers(self) -> frozenset[str]:
        return _modifiers([hit for pool in self._ambient.words for hit in pool])

    def _clause_of(self, position: int) -> tuple[int, int]:
        start, end = 0, len(self.folded)
        for match in _CLAUSE.finditer(self.folded):
            if match.end() <= position:
                start = match.end()
            elif match.start() > position and not _inside_bracket(self.folded, match.start()):
                end = match.start()
                break
        return start, end

    def _clause_after(self, position: int) -> str:
        return self.folded[position : position + 8].lstrip()

    def _clause_words(self, span: Span) -> list[Hit]:
        start, end = self._clause_of(span.start)
        return [hit for hit in self.words if start <= hit.start < end]

    def _variant_words(self, span: Span) -> str:
        """Words of a variant beside a figure: in brackets behind it, before it in its clause, in header and label."""
        bracket = _BRACKET.match(self._hidden, span.end)
        if bracket:
            words = bracket.group(1)
            if re.search(r"sxm|pcie|nvl|oam|\d{2,3}\s?g", words):
                return f"{words})"
        previous = max((s.end for s in self.spans if s.end <= span.start), default=0)
        start, _ = self._clause_of(span.start)
        return f"{self._hidden[max(previous, start) : span.start]} {self._ambient.words_text}"

    def _qualifiers(self, quantity: Quantity, local: _Local) -> frozenset[str]:
        found = set(quantity.qualifiers) - {"peak"}
        for hit in (*local.after, *local.before):
            if hit.is_a("qualifier"):
                found.add(hit.value("qualifier"))
            if hit.is_a("direction"):
                found.add("per_direction" if hit.value("direction") == "one" else "both_directions")
        for pool in self._ambient.words:
            for hit in pool:
                if hit.is_a("direction") and not found & {"per_direction", "both_directions"}:
                    found.add("per_direction" if hit.value("direction") == "one" else "both_directions")
                if hit.is_a("qualifier"):
                    found.add(hit.value("qualifier"))
        if {"per_direction", "both_directions"} <= found:
            found.discard("both_directions" if "per_direction" in quantity.qualifiers else "per_direction")
        return frozenset(found - {"dense", "sparse"}) | (local.modifiers & {"dense", "sparse"})

    def _count_of_cards(self, span: Span, local: _Local) -> tuple[int, bool]:
        """How many cards a figure may be the sum of."""
        counts = [
            int(t.quantity.value)
            for t in self.figures
            if t.quantity is not None
            and t.end <= span.start
            and t.quantity.unit in ("cards", "times")
            and t.quantity.value > 1
        ]
        is_sum = any(hit.is_a("total") for hit in (*local.before, *local.after))
        return (counts[-1], is_sum) if counts else (1, False)

    def _is_denied(self, span: Span, local: _Local) -> bool:
        before = [hit for hit in local.before if hit.is_a("denied")]
        after = [hit for hit in local.after if hit.is_a("denied") and len(hit.text) > 1 and hit.text != "not"]
        aside = any(span.start - hit.end <= 14 for hit in before)
        return aside or any(hit.start - span.end <= 20 for hit in after)

    # ------------------------------------------------------------ what follows from figures

    def _derived(self, token: NumberToken, quantity: Quantity) -> DerivedClaim | None:
        span = Span(token.start, token.end)
        kind = self._derived_kind(token, quantity)
        if kind is None:
            return None
        local = self._local(span)
        keys: list[str] = []
        unit = quantity.unit if kind in ("difference", "per_watt") else ""
        for hit in (*local.before, *local.after, *local.earlier, *local.later):
            found = self._keys_by(hit, unit, local.modifiers)
            if found:
                keys += found[:1]
                break
        return DerivedClaim(span, kind, quantity, self.subjects.pair(span.start), tuple(keys), bool(keys))

    def _keys_by(self, hit: Hit, unit: str, modifiers: Iterable[str]) -> tuple[str, ...]:
        for tried in (unit,) if unit else ("GB/s", "GB", "W", "TFLOPS", "TOPS", "bit", "MHz", "MB", ""):
            found = choosing.by_word(hit, tried, modifiers, self.words)
            if found.keys and found.fits:
                return found.keys
        return ()

    def _derived_kind(self, token: NumberToken, quantity: Quantity) -> str | None:
        if quantity.unit == "times":
            named = any(m.start - 1 <= token.end <= m.start + 1 for m in self.mentions)
            return None if named else "ratio"
        if quantity.unit == "%":
            return "percent"
        if quantity.unit in COMPUTE_UNITS and _PER.match(self.folded, token.end):
            return "per_watt"
        if not quantity.unit or not choosing.by_unit(quantity.unit).keys:
            return None
        before = _DIFFERENCE_BEFORE.search(self.folded, max(0, token.start - 24), token.start)
        if before or _DIFFERENCE_AFTER.match(self.folded, token.end):
            return "difference"
        return None

    def _with_keys(self, claim: DerivedClaim, keys: tuple[str, ...]) -> DerivedClaim:
        if claim.keys:
            return claim
        return replace(claim, keys=keys[:1] or self._ambient.keys[:1])


@dataclass(frozen=True, slots=True)
class _Local:
    """Words around a figure: in its clause before and behind it, and elsewhere in the sentence; nearest first."""

    before: Sequence[Hit]
    after: Sequence[Hit]
    earlier: Sequence[Hit]
    later: Sequence[Hit]
    modifiers: frozenset[str]
    far_modifiers: frozenset[str]


def _modifiers(hits: Iterable[Hit]) -> frozenset[str]:
    found = {hit.value("modifier") for hit in hits if hit.is_a("modifier")}
    if any(hit.value("qualifier") == "measured" for hit in hits):
        found.add("measured")
    return frozenset(found)


def _inside_bracket(text: str, position: int) -> bool:
    before = text[:position]
    return before.count("(") + before.count("（") > before.count(")") + before.count("）")


def _unit_named(header: str) -> str:
    """The unit that a table's header or row label names, as spelt; empty if none."""
    for part in reversed(header.split("\n")):
        match = _HEAD_UNIT.search(part)
        if match:
            return match.group(1)
    return ""


def _scaled(quantity: Quantity, unit: str) -> Quantity:
    """A bare number in a unit as spelt."""
    parsed = parse_quantities(f"1 {unit}")
    if not parsed:
        return replace(quantity, unit=unit)
    factor = parsed[0].value
    high = None if quantity.high is None else quantity.high * factor
    return replace(quantity, value=quantity.value * factor, high=high, unit=parsed[0].unit)


def folded_words(text: str) -> list[Hit]:
    """The lexicon's words in a header, a label or a lead-in."""
    return words_in(fold_in_place(text))
