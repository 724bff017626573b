"""From a piece of text to its claims: every number is typed, and every word that names a card's property."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kb.answer.gate import fields as choosing
from kb.answer.gate.claims import DerivedClaim, FigureClaim, WordClaim
from kb.answer.gate.fields import COUNTED, FieldChoice
from kb.answer.gate.lexicon import COMPUTE_UNITS, fold_in_place, words_in
from kb.answer.gate.subjects import Cards, SubjectFinder, Subjects
from kb.answer.question.scanner import Hit, blank
from kb.quantity import NumberToken, Quantity, number_tokens, parse_quantities
from kb.quantity.units import COUNT_UNITS, UNIT_PATTERN
from kb.specs.fields import FIELDS
from kb.types import Span

_CLAUSE = re.compile(
    r"[，；;。！？!?、\n]|,(?!\d)|\band\b|\bwhile\b|\bwhereas\b|\bbut\b|\bplus\b|(?<![总共])和|以及|及(?!以)|与|而(?!非|且)|\|"
)
_LIST = re.compile(r"\s*(?:[(（][^()（）\d]*[)）])?\s*(?:、|,|，|/|→|->|和|与|及|以及|and|or|vs\.?|还是|或者?|&|对)\s*")
_BRACKET = re.compile(r"\s*[*_`]*\s*[(（\[]((?:[^()（）\[\]]|[(（][^()（）]*[)）])*)[)）\]]")
_FORMATS_LISTED = re.compile(r"\s*(?:/|、|和|与|及|and|&|,)\s*")
_UP_TO = re.compile(r"(?:\bup to|\bmax(?:imum)?\.?(?: of)?|最多|最高|最大|高达|多达|可达|达到?)\s*$")
_NO_FIGURE_AFTER = re.compile(r"\s*(?:/\s?(?:s|sec|day|天|hour|小时|card|卡|gpu)\b)")
_PER = re.compile(r"\s*(?:/\s?w(?![a-z])|/\s?瓦|每瓦|per watt)")
_COUNT_BEFORE = re.compile(
    r"[\s:：*_|]*(?:的|算力|性能|throughput|performance|compute|tensor(?: core)?s?|稠密|稀疏|dense|sparse)*"
    r"[\s:：*_|]*(?:的?(?:数量|数|个数|总数|count|number)?)?[\s:：]*"
    r"(?:(?:分别|各|均|都|则|也)?(?:是|为|有|达到?|共|约)|分别|of|is|are|has|=|至|到|at)?\s*(?:约|大约|about|~)?\s*"
)
_COUNT_AFTER = re.compile(
    r"\s*(?:个|颗|组|million|billion|active|enabled|dedicated|第[一二三四五六]代|\S+-gen(?:eration)?)?"
    r"\s*(?:的|of(?: the)?)?\s*(?:number of|total)?\s*"
)
_SLASH = re.compile(r"\s*/\s*")
_SYSTEM = re.compile(r"\b(?:hgx|dgx)\b", re.IGNORECASE)
_AI_TOPS = re.compile(r"ai\s?(?:算力)?\s?[\d.,\s]*(?:tops|pops)$|ai tops[^\d]{0,6}[\d.,]+\s?(?:tops)?$")
_CHANGE_FROM = re.compile(r"(?:从|由|\bfrom)\s*$")
_CHANGE_TO = re.compile(r"(?:到|至|为|\bto|→)\s*$")
_LETTER = re.compile(r"\s?([TP])(?![A-Za-z0-9/])")
"""`312T`, `1.979 P`: thousands of what the field is in, or millions."""
_LETTERED = re.compile(r"\d[\d,]*(?:\.\d+)?[TP]")
_HEAD_UNIT = re.compile(rf"[(（\[/,，\s]\s*(?:单位[:：]?\s*)?({UNIT_PATTERN})\s*[)）\]]?\s*$")
_DIFFERENCE_BEFORE = re.compile(
    r"(?:(?:相差|差距?(?:是|为|有)?|差了|\bdifference(?: of| is)?|\bgap(?: of| is)?)\s*[:：]?"
    r"|(?<![最至])多(?:出|了|出了)?|(?<![最多])(?:高|大|快)(?:出|了|出了)?|(?<![带位最])宽(?:了|出)"
    r"|(?<![最减缩至大])(?:少|低|小|慢|省)(?:了)?"
    r"|(?:增加|减少|提升|提高|降低|下降|领先|落后|超出|增长|节省)(?:了)?"
    r"|\bby|\bextra|\badditional)\s*(?:约|大约|about|roughly|some|~)?\s*$"
)
_DIFFERENCE_AFTER = re.compile(
    r"\s*(?:of [a-z0-9 ]{2,24} )?"
    r"(?:more|less|higher|lower|faster|slower|greater|larger|smaller|wider|extra|fewer|ahead|behind)\b"
    r"|\s*(?:的)?(?:差距|差值|差)"
)
_WORD_BY = re.compile(r"(?:从|由|\bfrom)\s*$")
_BEHIND_NAME = re.compile(r"\s*(?:的|是|为|有|:|：|\(|（|'s|’s|has|with|at|stops at|is|of)*\s*", re.IGNORECASE)
_BEFORE_NAME = re.compile(r"\s*(?:of|for|on|in|\(|（)\s*(?:the\s*)?", re.IGNORECASE)
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
        self.tokens = [self._retyped(token) for token in number_tokens(text, names)]
        hidden = self.folded
        for name in names:
            hidden = blank(hidden, name.start, name.end)
        self.words = words_in(hidden)
        self._hidden = hidden
        self.figures = [t for t in self.tokens if t.quantity is not None]
        self.spans = [Span(t.start, t.end) for t in self.figures]
        self.subjects = Subjects(text, self.folded, finder.groups(text, self.folded), ambient.cards)
        self.runs = self._runs()

    def _retyped(self, token: NumberToken) -> NumberToken:
        """What alone looks like a code (`312T`) or a year (2039 in a column of bandwidths) is a number here."""
        if token.kind == "code" and _LETTERED.fullmatch(token.text):
            return _plain(token, token.text[:-1])
        is_year = token.kind == "date" and token.text.isdigit() and self._ambient.is_cell
        if is_year and not any(hit.is_a("released") for pool in self._ambient.words for hit in pool):
            return _plain(token, token.text)
        return token

    @property
    def hidden(self) -> str:
        """The folded text with the names of cards blanked."""
        return self._hidden

    def cards_of_word(self, span: Span) -> Cards:
        """Whose a word is."""
        return self._finder.narrowed(self.subjects.of_word(span, self.spans), self._variant_words(span))

    @property
    def names_cards(self) -> bool:
        """Whether a card is named here, by a pronoun or by the table, not only by the text before."""
        return bool(self.subjects.groups) or self._ambient.is_cell or bool(self._ambient.words)

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
        self._adopt(claims)
        if not claims.figures and any(hit.is_a("lacking") for hit in self.words) and not self._ambient.cards.is_empty:
            claims.main = self._ambient.cards  # "Ampere has no FP8" gives a reason, it changes no subject
        claims.keys = tuple(dict.fromkeys(k for _, c in claims.figures if c.choice.named for k in c.choice.keys[:1]))
        claims.derived = [(t, self._with_keys(c, claims.keys)) for t, c in claims.derived]
        return claims

    def _adopt(self, claims: Claims) -> None:
        """`A40 的 11752，S80 的流处理器数量是 4096`: a bare number behind a name is of the field that is counted."""
        counted = {c.choice.keys[0]: c for _, c in claims.figures if c.choice.named and c.choice.keys[0] in COUNTED}
        if len(counted) != 1:
            return
        key, claim = next(iter(counted.items()))
        for token in [t for t in claims.others if t.kind == "plain" and t.quantity is not None]:
            if token.quantity is None or not self._is_beside_name(token):
                continue
            span = Span(token.start, token.end)
            cards = self.subjects.of(span, self.spans, self.runs)
            choice = FieldChoice((key,), named=True)
            claims.others.remove(token)
            claims.figures.append((token, FigureClaim(span, token.quantity, choice, cards, claim.qualifiers)))

    def _is_beside_name(self, token: NumberToken) -> bool:
        before = next((g for g in reversed(self.subjects.groups) if g.end <= token.start), None)
        after = next((g for g in self.subjects.groups if g.start >= token.end), None)
        if before is not None and _BEHIND_NAME.fullmatch(self.folded, before.end, token.start):
            return True
        return after is not None and _BEFORE_NAME.fullmatch(self.folded, token.end, after.start) is not None

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
        chosen = self._choice(token, quantity, local)
        choice, quantity = chosen.choice, chosen.quantity
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
            qualifiers=self._qualifiers(quantity, local, chosen),
            fallback=chosen.fallback,
            cards_count=count,
            is_sum=is_sum,
            denied=self._is_denied(span, local),
            is_loose=self._is_loose(span, quantity),
            up_to=_UP_TO.search(self.folded, 0, span.start) is not None,
        )

    def _is_loose(self, span: Span, quantity: Quantity) -> bool:
        """Whether it may be no figure of the card: a load, a node, a change from one figure to another."""
        if quantity.high is not None and quantity.high < quantity.value:
            return True
        froms = [s for s in self.spans if _CHANGE_FROM.search(self.folded, max(0, s.start - 6), s.start)]
        if span in froms or (froms and _CHANGE_TO.search(self.folded, max(0, span.start - 6), span.start)):
            return True
        start, end = self._clause_of(span.start)
        system = any(start <= m.start < end and _SYSTEM.search(m.text) for m in self.mentions)
        return (
            system or "per_system" in quantity.qualifiers or any(h.is_a("workload") for h in self._clause_words(span))
        )

    def _choice(self, token: NumberToken, quantity: Quantity, local: _Local) -> _Chosen:
        if not quantity.unit:
            return _Chosen(*self._counted(token, quantity, local))
        if quantity.unit in COUNT_UNITS:
            return _Chosen(FieldChoice(), quantity)
        if _AI_TOPS.search(self.folded, max(0, token.start - 8), token.end):
            return _Chosen(choosing.AI_TOPS, replace(quantity, unit="AI TOPS"))
        unit = quantity.unit
        modifiers = local.modifiers | self._run_modifier(token)
        mismatched: _Chosen | None = None
        for place, pool in self._pools(local):
            for hit in pool:
                mods = modifiers or self._modifiers_beside(hit)
                found = choosing.by_word(hit, unit, mods, self._beside(hit, pool))
                if found.keys and found.fits:
                    choice = self._with_listed_formats(hit, found, unit, mods)
                    return _Chosen(choice, quantity, self._fallbacks(hit, unit, local), hit, mods)
                if found.keys and mismatched is None and self._is_orphan(hit, found, unit, place):
                    mismatched = _Chosen(found, quantity, (), hit, mods)
            if place == "near" and pool is local.after and mismatched is not None:
                return mismatched
        if any(hit.is_a("slot") for hit in (*local.before, *local.after)):
            return _Chosen(FieldChoice(), quantity)
        if mismatched is not None:
            return mismatched
        plain = choosing.by_unit(unit)
        if self._ambient.keys and set(self._ambient.keys) & set(plain.keys):
            plain = replace(plain, keys=tuple(k for k in plain.keys if k in self._ambient.keys))
        return _Chosen(self._with_modifiers(plain, modifiers), quantity)

    def _pools(self, local: _Local) -> Iterator[tuple[str, Sequence[Hit]]]:
        """Words to choose a field by, those that decide first."""
        yield "near", local.before
        yield "near", local.after
        yield "far", local.earlier
        yield "behind", local.later
        yield "behind", local.rest
        for pool in self._ambient.words:
            yield "around", pool

    def _beside(self, hit: Hit, pool: Sequence[Hit]) -> Sequence[Hit]:
        """The words in the same clause with no figure between."""
        if hit not in self.words:
            return pool
        start, end = self._clause_of(hit.start)
        start = max((start, *(s.end for s in self.spans if s.end <= hit.start)))
        end = min((end, *(s.start for s in self.spans if s.start >= hit.end)))
        return [other for other in self.words if start <= other.start < end]

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
        if not _SLASH.fullmatch(self.folded, run[0].end, run[1].start):
            return frozenset()
        first = next(t for t in self.figures if t.start == run[0].start).quantity
        near = first is not None and abs(token.quantity.value - 2 * first.value) <= 0.03 * token.quantity.value
        return frozenset({"sparse"}) if near else frozenset()

    def _modifiers_beside(self, hit: Hit) -> frozenset[str]:
        """Modifiers in the clause of a word, where none stands beside the figure itself."""
        if hit not in self.words:
            return frozenset()
        start, end = self._clause_of(hit.start)
        return _modifiers([other for other in self.words if start <= other.start < end])

    def _is_orphan(self, hit: Hit, found: FieldChoice, unit: str, place: str) -> bool:
        """Whether a word has no figure in a unit of its field, so that this one's unit must be wrong."""
        if place == "around" or unit == "mm" or (not self._is_usual(unit) and place == "near"):
            return True
        if place == "behind":
            return False
        if place == "far" and set(self._ambient.keys) & set(choosing.by_unit(unit).keys):
            return False  # the sentence goes on about another field
        start, end = self._clause_of(hit.start) if place == "near" else (0, len(self.folded))
        units = {t.quantity.unit for t in self.figures if t.quantity and start <= t.start < end}
        return not any(unit in choosing.UNITS[FIELDS[key].unit] for key in found.keys for unit in units)

    # ------------------------------------------------------------ numbers without a unit

    def _counted(self, token: NumberToken, quantity: Quantity, local: _Local) -> tuple[FieldChoice, Quantity]:
        """A number of things (6912 CUDA cores), or one whose unit its field or table header gives."""
        if self._ambient.is_cell and token.kind in ("plain", "count"):
            found = self._from_header(quantity, local)
            if found is not None:
                return found
        run = next((run for run in self.runs if Span(token.start, token.end) in run), None)
        first, last = (run[0].start, run[-1].end) if run else (token.start, token.end)
        for hit in [hit for hit in self.words if hit.start >= last]:
            if _is_counted(hit) and _COUNT_AFTER.fullmatch(self.folded, last, hit.start):
                return FieldChoice((hit.value("field"),), named=True), quantity
        for hit in [hit for hit in reversed(self.words) if hit.end <= first]:
            if not _COUNT_BEFORE.fullmatch(self.folded, hit.end, first):
                continue
            found = self._with_unit_of(hit, quantity, local, token)
            if found is not None:
                return found
        letter = _LETTER.match(self.text, token.end)
        for hit in self.words if letter else ():
            lettered = self._with_letter(hit, quantity, local, letter.group(1) if letter else "")
            if lettered is not None:
                return lettered
        return self._only_count(token), quantity

    def _only_count(self, token: NumberToken) -> FieldChoice:
        """`As for the number of SMs, the A2 comes in at 10`: one thing is counted, and there is one bare number."""
        keys = {hit.value("field") for hit in self.words if _is_counted(hit)}
        bare = [t for t in self.figures if t.kind == "plain"]
        if token.kind != "plain" or len(keys) != 1 or not self.subjects.groups:
            return FieldChoice()
        return FieldChoice(tuple(keys), named=True) if len(bare) == 1 or self._is_beside_name(token) else FieldChoice()

    def _with_unit_of(
        self, hit: Hit, quantity: Quantity, local: _Local, token: NumberToken
    ) -> tuple[FieldChoice, Quantity] | None:
        """`TDP: 700`: the number is in the field's own unit."""
        if _is_counted(hit):
            return FieldChoice((hit.value("field"),), named=True), quantity
        if token.kind != "plain" or self._clause_after(token.end).startswith(("个", "张", "块", "款", "倍")):
            return None
        letter = _LETTER.match(self.text, token.end)
        if letter:
            return self._with_letter(hit, quantity, local, letter.group(1))
        for unit in ("GB/s", "GB", "W", "TFLOPS", "TOPS", "bit", "MHz", "nm", "MB"):
            found = choosing.by_word(hit, unit, local.modifiers, self.words)
            if found.keys and found.fits and not hit.is_a("memory"):
                return found, replace(quantity, unit=unit)
        return None

    def _with_letter(
        self, hit: Hit, quantity: Quantity, local: _Local, letter: str
    ) -> tuple[FieldChoice, Quantity] | None:
        """`FP16 312T`, `显存 1T`: what the letter stands for depends on the field."""
        for unit, factor in (("TFLOPS", 1.0), ("TOPS", 1.0), ("GB", 1e3), ("GB/s", 1e3)):
            found = choosing.by_word(hit, unit, local.modifiers, self.words)
            if found.keys and found.fits:
                scale = factor * (1e3 if letter == "P" else 1.0)
                return found, replace(quantity, value=quantity.value * scale, unit=unit)
        return None

    def _from_header(self, quantity: Quantity, local: _Local) -> tuple[FieldChoice, Quantity] | None:
        """A bare number of a table: header and row label name its field and unit."""
        stated = _unit_named(self._ambient.words_text)
        for pool in self._ambient.words:
            for hit in pool:
                if _is_counted(hit):
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
        previous = max((self._end_of(s) for s in self.spans if s.end <= span.start), default=0)
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
        rest = [hit for hit in inside if hit.start >= following]
        modifiers = _modifiers(near) or self._ambient_modifiers()
        far = _modifiers([hit for hit in earlier if hit.is_a("modifier")][:2])
        return _Local(before, after, earlier, later, rest, modifiers, far)

    def _end_of(self, figure: Span) -> int:
        """Where a figure ends, with the remark in brackets behind it, if no other figure is in there."""
        bracket = _BRACKET.match(self._hidden, figure.end)
        if bracket is None or any(figure.end <= s.start < bracket.end() for s in self.spans):
            return figure.end
        return bracket.end()

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

    def _qualifiers(self, quantity: Quantity, local: _Local, chosen: _Chosen) -> frozenset[str]:
        found = set(quantity.qualifiers) - {"peak"}
        beside = self._beside(chosen.hit, ()) if chosen.hit is not None and chosen.hit in self.words else ()
        for hit in (*local.after, *local.before, *beside):
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
        if "per_gpu" in found:  # which on a board of several is not the card
            found.discard("per_card")
        if {"per_direction", "both_directions"} <= found:
            found.discard("both_directions" if "per_direction" in quantity.qualifiers else "per_direction")
        modifiers = local.modifiers or chosen.modifiers
        return frozenset(found - {"dense", "sparse"}) | (modifiers & {"dense", "sparse"})

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
        aside = any(span.start - hit.end <= (6 if hit.text == "not" else 14) for hit in before)
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
class _Chosen:
    """The fields a figure may be about, and the word that says so."""

    choice: FieldChoice
    quantity: Quantity
    fallback: tuple[FieldChoice, ...] = ()
    hit: Hit | None = None
    modifiers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Local:
    """Words around a figure: in its clause before and behind it, and elsewhere in the sentence; nearest first."""

    before: Sequence[Hit]
    after: Sequence[Hit]
    earlier: Sequence[Hit]
    later: Sequence[Hit]
    rest: Sequence[Hit]
    modifiers: frozenset[str]
    far_modifiers: frozenset[str]


def _is_counted(hit: Hit) -> bool:
    return hit.is_a("field") and hit.value("field") in COUNTED


def _plain(token: NumberToken, text: str) -> NumberToken:
    end = token.start + len(text)
    quantity = Quantity(float(text.replace(",", "")), None, "", token.start, end, text)
    return NumberToken("plain", token.start, end, text, quantity)


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
