"""A piece of text laid open: its words, numbers, names and clauses, and what stands around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from kb.answer.gate.finder import SubjectFinder
from kb.answer.gate.lexicon import fold_in_place, words_in
from kb.answer.gate.subjects import Subjects
from kb.answer.gate.surroundings import Ambient, Nearby, is_counted, modifiers_in
from kb.answer.question.scanner import Hit, blank
from kb.quantity import NumberToken, Quantity, number_tokens
from kb.types import Span

_CLAUSE = re.compile(
    r"[，；;。！？!?、\n]|,(?!\d)|\band\b|\bwhile\b|\bwhereas\b|\bbut\b|\bplus\b|(?<![总共])和|以及|及(?!以)|与|而(?!非|且)|\|"
)
_LIST = re.compile(r"\s*(?:[(（][^()（）\d]*[)）])?\s*(?:、|,|，|/|→|->|和|与|及|以及|and|or|vs\.?|还是|或者?|&|对)\s*")
_BRACKET = re.compile(r"\s*[*_`]*\s*[(（\[]((?:[^()（）\[\]]|[(（][^()（）]*[)）])*)[)）\]]")
_VARIANT = re.compile(r"sxm|pcie|nvl|oam|\d{2,3}\s?g")
_LETTERED = re.compile(r"\d[\d,]*(?:\.\d+)?[TP]")
_TAG = re.compile(r"<[a-zA-Z/][^<>]*>\s*$")
_SERIES = re.compile(r"(?<![a-z])(?:gtx|rtx|rx|quadro|tesla|geforce|radeon)\s$")
_MINUS = re.compile(r"(?:[是为有:：=]|\b(?:of|is|has|with|at))\s*[-−]$")
_TIMES = re.compile(r"\s?times\b|-?fold\b")
_NUMBER_CELL = re.compile(r"[\s\d.,]+")
COUNT_BEFORE = re.compile(
    r"[\s:：*_|\"'`]*(?:的|算力|性能|throughput|performance|compute|tensor(?: core)?s?|稠密|稀疏|dense|sparse)*"
    r"[\s:：*_|]*(?:的?(?:数量|数|个数|总数|count|number)?)?[\s:：]*"
    r"(?:(?:分别|各|均|都|则|也)?(?:是|为|有|达到?|共|约)|分别|of|is|are|has|=|至|到|at)?\s*(?:约|大约|about|~)?\s*"
)
"""What may stand between the word for what is counted and its number."""


class Scene:
    """One piece, laid open.

    Attributes:
        folded: the text as compared, every character in its place; `hidden` is the same with card names blanked.
        figures: the tokens that are numbers by themselves; `spans` where they stand; `runs` those listed together.
    """

    def __init__(self, text: str, finder: SubjectFinder, ambient: Ambient) -> None:
        self.text = text
        self.ambient = ambient
        self.folded = fold_in_place(text)
        self.mentions = () if ambient.is_cell and _NUMBER_CELL.fullmatch(text) else finder.mentions(text)
        groups = finder.groups(text, self.folded, self.mentions, ambient.cards)
        names = [Span(m.start, m.end) for m in self.mentions]
        names += [Span(g.start, g.end) for g in groups if g.is_variant]
        self.hidden = self.folded
        for name in names:
            self.hidden = blank(self.hidden, name.start, name.end)
        self.words = words_in(self.hidden)
        self._own_words = frozenset(map(id, self.words))
        self._beside: dict[int, list[Hit]] = {}
        self._modifiers_beside: dict[int, frozenset[str]] = {}
        self._borders = [m.span() for m in _CLAUSE.finditer(self.folded)]
        self.tokens = [self._retyped(token) for token in number_tokens(text, names)]
        self.figures = [token for token in self.tokens if token.quantity is not None]
        self.spans = [span_of(token) for token in self.figures]
        self.subjects = Subjects(self.folded, groups, ambient.cards, ambient.members)
        self.runs = self._runs()
        self._run_of = {span: run for run in self.runs for span in run}
        self._ends = [self._end_of(span) for span in self.spans]

    # ------------------------------------------------------------ reading numbers again

    def _retyped(self, token: NumberToken) -> NumberToken:
        """What alone looks like a code (`312T`) or a year (2039 in a column of bandwidths) is a number here."""
        if token.quantity is not None and token.quantity.comparator and _TAG.search(self.text, 0, token.start):
            token = replace(token, quantity=replace(token.quantity, comparator=""))  # "<td>80 GB" is no bound
        if token.quantity is not None and _MINUS.search(self.folded, max(0, token.start - 8), token.start):
            negative = replace(token.quantity, value=-token.quantity.value)
            return replace(token, start=token.start - 1, text=self.text[token.start - 1 : token.end], quantity=negative)
        if token.kind == "plain" and _SERIES.search(self.folded, max(0, token.start - 10), token.start):
            return replace(token, kind="code", quantity=None)
        if token.kind == "code" and _LETTERED.fullmatch(token.text):
            return _plain(token, token.text[:-1])
        times = _TIMES.match(self.folded, token.end) if token.kind in ("plain", "count") else None
        if times is not None and token.quantity is not None:
            quantity = replace(token.quantity, unit="times", end=times.end())
            return NumberToken("count", token.start, times.end(), self.text[token.start : times.end()], quantity)
        if token.kind != "date" or not token.text.isdigit():
            return token
        counted = any(is_counted(h) and COUNT_BEFORE.fullmatch(self.folded, h.end, token.start) for h in self.words)
        of_release = any(hit.is_a("released") for hit in (*self.words, *self.ambient.all_words))
        return _plain(token, token.text) if counted or (self.ambient.is_cell and not of_release) else token

    def _runs(self) -> list[tuple[Span, ...]]:
        """Figures of one unit that are listed together."""
        runs: list[list[NumberToken]] = []
        for token in self.figures:
            last = runs[-1][-1] if runs else None
            if last is not None and _unit(last) == _unit(token) and _LIST.fullmatch(self.folded, last.end, token.start):
                runs[-1].append(token)
            else:
                runs.append([token])
        return [tuple(map(span_of, run)) for run in runs if len(run) > 1]

    def run_of(self, span: Span) -> tuple[Span, ...]:
        """The figures a figure is listed with, itself included."""
        return self._run_of.get(span, (span,))

    # ------------------------------------------------------------ clauses

    def clause_of(self, position: int) -> tuple[int, int]:
        """The clause around a place; signs inside brackets end none."""
        start, end = 0, len(self.folded)
        for border_start, border_end in self._borders:
            if border_end <= position:
                start = border_end
            elif border_start > position and not _inside_bracket(self.folded, border_start):
                return start, border_start
        return start, end

    def clause_words(self, position: int) -> list[Hit]:
        """The words of the clause around a place."""
        start, end = self.clause_of(position)
        return [hit for hit in self.words if start <= hit.start < end]

    def beside(self, hit: Hit, pool: Sequence[Hit]) -> Sequence[Hit]:
        """The words in the same clause as a word, with no figure between; for a header's word, the header's."""
        if id(hit) not in self._own_words:  # a hash of what it says would be slow
            return pool
        found = self._beside.get(id(hit))
        if found is None:
            start, end = self.clause_of(hit.start)
            start = max((start, *(s.end for s in self.spans if s.end <= hit.start)))
            end = min((end, *(s.start for s in self.spans if s.start >= hit.end)))
            found = self._beside[id(hit)] = [other for other in self.words if start <= other.start < end]
        return found

    def modifiers_beside(self, hit: Hit) -> frozenset[str]:
        """Dense, tensor… in the same clause as a word."""
        found = self._modifiers_beside.get(id(hit))
        if found is None:
            found = self._modifiers_beside[id(hit)] = modifiers_in(self.beside(hit, ()))
        return found

    @cached_property
    def kinds(self) -> frozenset[str]:
        """All that its words may be."""
        return frozenset(tag.kind for hit in self.words for tag in hit.tags)

    @cached_property
    def counted_keys(self) -> frozenset[str]:
        """The fields of which things are counted here."""
        return frozenset(hit.value("field") for hit in self.words if is_counted(hit))

    @cached_property
    def plain_numbers(self) -> int:
        """How many numbers have no unit and no thing that they count."""
        return sum(token.kind == "plain" for token in self.figures)

    @cached_property
    def counts_things(self) -> bool:
        """Whether a number counts something."""
        return any(t.kind == "count" and t.quantity and not t.quantity.unit for t in self.figures)

    def bracket_behind(self, position: int) -> str:
        """What stands in brackets right behind a place, folded."""
        match = _BRACKET.match(self.hidden, position)
        return match.group(1) if match else ""

    # ------------------------------------------------------------ around a figure

    def nearby(self, span: Span) -> Nearby:
        """The words around a figure, sorted by how near they are to it."""
        previous = max((end for s, end in zip(self.spans, self._ends, strict=True) if s.end <= span.start), default=0)
        following = min((s.start for s in self.spans if s.start >= span.end), default=len(self.folded))
        start, end = self.clause_of(span.start)
        bracket = _BRACKET.match(self.hidden, span.end)
        if bracket is not None:
            of_another = any(bracket.start() <= s.start < bracket.end() for s in self.spans)
            end = min(end, bracket.start()) if of_another else max(end, bracket.end())
        low, high = max(previous, start, self._bracket_around(span.start)), min(following, end)
        ahead = [hit for hit in reversed(self.words) if hit.end <= span.start]
        behind = [hit for hit in self.words if hit.start >= span.end]
        before = [hit for hit in ahead if hit.start >= low]
        after = [hit for hit in behind if hit.end <= high]
        earlier = [hit for hit in ahead if hit.start < low]
        since_last = [hit for hit in ahead if hit.start >= previous]
        return Nearby(
            before=before,
            after=after,
            earlier=earlier,
            later=[hit for hit in behind if hit.end > high and hit.start < following],
            rest=[hit for hit in behind if hit.start >= following],
            modifiers=modifiers_in((*before, *_own(before, after)))
            or modifiers_in(since_last) & {"dense", "sparse"}
            or modifiers_in(self.ambient.all_words),
            far_modifiers=modifiers_in([hit for hit in earlier if hit.is_a("modifier")][:2]),
        )

    def _bracket_around(self, position: int) -> int:
        """Where the bracket opens that a place is in; 0 if it is in none."""
        opened = max(self.folded.rfind("(", 0, position), self.folded.rfind("（", 0, position))
        closed = max(self.folded.rfind(")", 0, position), self.folded.rfind("）", 0, position))
        return opened if opened > closed else 0

    def _end_of(self, figure: Span) -> int:
        """Where a figure ends, with the remark in brackets behind it, if no other figure is in there."""
        bracket = _BRACKET.match(self.hidden, figure.end)
        if bracket is None or any(figure.end <= s.start < bracket.end() for s in self.spans):
            return figure.end
        return bracket.end()

    def variant_words(self, span: Span) -> str:
        """Words of a variant beside a figure: in brackets behind it, before it in its clause, in header and label."""
        bracket = self.bracket_behind(span.end)
        if _VARIANT.search(bracket):
            return f"{bracket})"
        previous = max((s.end for s in self.spans if s.end <= span.start), default=0)
        start, _ = self.clause_of(span.start)
        return f"{self.hidden[max(previous, start) : span.start]} {self.ambient.words_text}"


def _own(before: Sequence[Hit], after: Sequence[Hit]) -> Sequence[Hit]:
    """The words behind a figure that are its own: none beyond the next format, if its own stands before it."""
    if not any(hit.is_a("precision") for hit in before):
        return after
    return after[: next((n for n, hit in enumerate(after) if hit.is_a("precision")), len(after))]


def span_of(token: NumberToken) -> Span:
    """Where a token stands."""
    return Span(token.start, token.end)


def _unit(token: NumberToken) -> str:
    return token.quantity.unit if token.quantity else ""


def _plain(token: NumberToken, text: str) -> NumberToken:
    end = token.start + len(text)
    quantity = Quantity(float(text.replace(",", "")), None, "", token.start, end, text)
    return NumberToken("plain", token.start, end, text, quantity)


def _inside_bracket(text: str, position: int) -> bool:
    before = text[:position]
    return before.count("(") + before.count("（") > before.count(")") + before.count("）")
