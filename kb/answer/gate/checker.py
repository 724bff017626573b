"""Any text, checked: every number typed and held against the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from kb.answer.gate.claims import FigureClaim, WordClaim
from kb.answer.gate.derived import DerivedJudge
from kb.answer.gate.finder import SubjectFinder
from kb.answer.gate.judge import FigureJudge
from kb.answer.gate.judged import Judged
from kb.answer.gate.layout import Piece, pieces_of
from kb.answer.gate.lexicon import fold_in_place
from kb.answer.gate.model import CheckedFact, CheckedText, CheckVerdict
from kb.answer.gate.properties import PropertyReader
from kb.answer.gate.property_values import PropertyJudge
from kb.answer.gate.reading import ClaimReader, Claims
from kb.answer.gate.reasons import ReasonWriter
from kb.answer.gate.scene import Scene
from kb.answer.gate.subjects import NOBODY, Cards
from kb.answer.gate.surroundings import FRAGMENT, Ambient, folded_words
from kb.answer.question.scanner import Hit
from kb.quantity import NumberToken
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.text import language_of
from kb.types import FactKind, Language

MAX_CHECKED = 100_000
"""Characters that a text to be checked may have at every door."""

_AHEAD = 5
"""In so many sentences a card may be named whose figures came first."""
_SHEET_COLUMNS = 2
"""A table of so many columns may be one card's sheet, whose name stands above."""
_LABELLED = re.compile(
    r"[^\w\u4e00-\u9fff]{0,6}([\w\u4e00-\u9fff][^:：.。，,;；\n]{0,30}?)\W{0,3}(?:[:：]|\s?\.{3,})"
    r"(?:[^.。\n]|\.(?=\d)){1,48}[.。]?$"
)
_NAMES_A_FIELD = frozenset({"field", "memory", "bandwidth", "memory_type", "precision", "link", "says"})
"""A line of a data sheet: `**Memory:** 48 GB`."""
_TOGETHER = re.compile(r"\s*(?:的|of|,|/)?\s*")
_CLAIM_NOTHING = frozenset({"list_number", "citation", "format", "ordinal", "resolution"})


@dataclass(slots=True)
class _Spoken:
    """What the text spoke of last.

    Attributes:
        members: each card that the last sentence with a name in it names.
        named: the cards of every name so far.
    """

    cards: Cards = NOBODY
    members: tuple[Cards, ...] = ()
    keys: tuple[str, ...] = ()
    named: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def only(self) -> Cards:
        """The one card that all of the text so far is about."""
        return Cards((next(iter(self.named)),)) if len(self.named) == 1 else NOBODY


@dataclass(slots=True)
class FactChecker:
    """Checks texts against a catalogue; immutable after it is made, and safe to share between threads."""

    catalog: Catalog
    resolver: NameResolver
    _finder: SubjectFinder = field(init=False)
    _figures: FigureJudge = field(init=False)
    _derived: DerivedJudge = field(init=False)
    _properties: PropertyReader = field(init=False)
    _values: PropertyJudge = field(init=False)

    def __post_init__(self) -> None:
        self._finder = SubjectFinder(self.catalog, self.resolver)
        self._figures = FigureJudge(self.catalog)
        self._derived = DerivedJudge(self.catalog)
        self._properties = PropertyReader(self.catalog, self.resolver, self._finder)
        self._values = PropertyJudge(self.catalog)

    def check(self, text: str, language: Language | None = None) -> CheckedText:
        """Every number and named property of a text with its verdict.

        Args:
            text: any text: prose, lists, Markdown tables.
            language: of the reasons; the text's own by default.
        """
        writer = ReasonWriter(self.catalog, language or language_of(text))
        facts: list[CheckedFact] = []
        spoken = _Spoken()
        pieces = tuple(pieces_of(text))
        for number, piece in enumerate(pieces):
            if not spoken.named and not piece.is_cell and len(piece) <= FRAGMENT:
                spoken.cards = self._named_next(text, pieces[number + 1 : number + _AHEAD])
            facts += self._check_piece(text, piece, spoken, writer)
        return CheckedText(tuple(sorted(facts, key=lambda fact: (fact.start, fact.end))))

    # ------------------------------------------------------------ one piece

    def _check_piece(self, text: str, piece: Piece, spoken: _Spoken, writer: ReasonWriter) -> Iterator[CheckedFact]:
        shown = text[piece.span.start : piece.span.end]
        ambient = self._ambient(text, piece, spoken)
        scene = Scene(shown, self._finder, ambient)
        claims = ClaimReader(scene, self._finder).read()
        spoken.named.update(mention.gpu_ids for mention in scene.mentions)
        words = list(self._properties.claims(scene))
        if not piece.is_cell:
            spoken.cards = claims.main if not claims.main.is_empty else spoken.cards
            spoken.members = scene.subjects.members() or spoken.members
            spoken.keys = claims.keys or spoken.keys
        elif piece.head is None:
            spoken.keys = ()
        yield from _placed(self._facts(scene, claims, words, writer), piece.span.start)

    def _ambient(self, text: str, piece: Piece, spoken: _Spoken) -> Ambient:
        above = [text[span.start : span.end] for span in piece.above]
        if piece.is_cell:
            return self._ambient_of_cell(text, piece, above, spoken)
        cards = spoken.cards if piece.follows or not spoken.named else self._named_in(above)
        words = [folded_words(line) for line in above[:2]] if not piece.follows else []
        keys = spoken.keys if piece.follows else ()
        label = _LABELLED.match(text, piece.span.start, piece.span.end)
        is_labelled = label is not None and any(map(_names_a_field, folded_words(label.group(1))))
        is_far = cards.is_empty and not is_labelled
        cards = spoken.only if cards.is_empty else cards
        follows = (piece.follows or is_far) and not (is_labelled or piece.is_rest)
        members = spoken.members if piece.follows else ()
        return Ambient(cards=cards, words=words, keys=keys, follows=follows, is_far=is_far, members=members)

    def _ambient_of_cell(self, text: str, piece: Piece, above: list[str], spoken: _Spoken) -> Ambient:
        head = text[piece.head.start : piece.head.end] if piece.head else ""
        label = text[piece.label.start : piece.label.end] if piece.label else ""
        corner = text[piece.corner.start : piece.corner.end] if piece.corner else ""
        names = [label, head, text[piece.name.start : piece.name.end] if piece.name else ""]
        cards = self._named_in([name for name in names if name])
        if cards.is_empty and piece.columns <= _SHEET_COLUMNS:
            cards = self._named_in(above)
            cards = spoken.only if cards.is_empty else cards
        words = [folded_words(part) for part in (head, label) if part]
        text_around = fold_in_place(f"{label}\n{head}")
        is_first = piece.label is None
        return Ambient(
            cards=cards,
            words=words,
            words_text=text_around,
            is_cell=True,
            is_first=is_first,
            corner=folded_words(corner),
        )

    def _named_next(self, text: str, following: Sequence[Piece]) -> Cards:
        """`48 GB. 275 W. That is the L20.`: the card that the paragraph names first."""
        texts = (text[p.span.start : p.span.end] for p in takewhile(lambda p: p.follows, following))
        return self._named_in(texts)

    def _named_in(self, texts: Iterable[str]) -> Cards:
        """The cards of the first text that names any."""
        for text in texts:
            groups = self._finder.groups(text, fold_in_place(text), self._finder.mentions(text), NOBODY)
            if groups:
                return groups[0].cards
        return NOBODY

    # ------------------------------------------------------------ facts

    def _facts(
        self, scene: Scene, claims: Claims, words: list[WordClaim], writer: ReasonWriter
    ) -> Iterator[CheckedFact]:
        stated: list[tuple[str | None, float]] = []
        figures = [(token, claim, self._figures.judge(claim)) for token, claim in claims.figures]
        judged_words = [(claim, self._values.judge(claim)) for claim in words]
        judged_words = [(claim, _jointly(scene.text, claim, judged, figures)) for claim, judged in judged_words]
        for token, claim, judged in figures:
            if judged.verdict == "supported":
                values = [f.low for _, f in judged.figures if f.low is not None] or [claim.quantity.value]
                stated += [(judged.key, value) for value in values]
            yield _figure_fact(token, claim, judged, writer)
        for token, derived in claims.derived:
            judged = self._derived.judge(derived, stated)
            yield writer.fact(token, "derived", judged, token.quantity)
        covered = [word.span for word in words]
        slips = {start: self._figures.slip(claim) for start, claim in claims.slips.items()}
        for word, judged in judged_words:
            yield writer.word(scene.text, word, judged)
        for token in claims.others:
            slip = slips.get(token.start)
            if slip is not None:
                yield writer.fact(token, "figure", slip, token.quantity)
            elif not any(span.start < token.end and token.start < span.end for span in covered):
                yield self._other(token, scene)

    def _other(self, token: NumberToken, scene: Scene) -> CheckedFact:
        """A number that is no figure of a card."""
        kind: FactKind
        verdict: CheckVerdict
        if token.kind == "card":
            kind, known = "card", self._is_known(token, scene)
            ids = next((m.gpu_ids for m in scene.mentions if m.start <= token.start < m.end), ())
            return CheckedFact(token.text, token.start, token.end, kind, "supported" if known else "unknown", ids)
        if scene.ambient.is_first and token.text == scene.text.strip():
            return CheckedFact(token.text, token.start, token.end, "list_number", "supported")
        if token.kind == "quantity" or token.kind == "plain":
            kind, verdict = "number", "untyped"
        else:
            kind = token.kind
            verdict = "supported" if kind in _CLAIM_NOTHING else "unknown"
        value = token.quantity.value if token.quantity else None
        unit = token.quantity.unit or None if token.quantity else None
        return CheckedFact(token.text, token.start, token.end, kind, verdict, value=value, unit=unit)

    def _is_known(self, token: NumberToken, scene: Scene) -> bool:
        named = [m for m in scene.mentions if m.start <= token.start < m.end]
        return all(mention.status != "unknown" or self._finder.is_chip(mention) for mention in named)


def _names_a_field(hit: Hit) -> bool:
    return any(tag.kind in _NAMES_A_FIELD for tag in hit.tags)


def _jointly(
    text: str, word: WordClaim, judged: Judged, figures: Sequence[tuple[NumberToken, FigureClaim, Judged]]
) -> Judged:
    """`40GB HBM2e`: size and kind written together must be those of one version."""
    if word.field != "memory_type" or judged.verdict != "supported":
        return judged
    for token, _, size in figures:
        beside = _TOGETHER.fullmatch(text, token.end, word.span.start) or _TOGETHER.fullmatch(
            text, word.span.end, token.start
        )
        if size.key == "memory_gb" and size.verdict == "supported" and beside and not set(size.ids) & set(judged.ids):
            return replace(judged, verdict="contradicted", reason="joint")
    return judged


def _figure_fact(token: NumberToken, claim: FigureClaim, judged: Judged, writer: ReasonWriter) -> CheckedFact:
    return writer.fact(token, "figure", judged, claim.quantity, claim)


def _placed(facts: Iterator[CheckedFact], offset: int) -> Iterator[CheckedFact]:
    for fact in facts:
        yield replace(fact, start=fact.start + offset, end=fact.end + offset)
