"""From a piece of text to its claims: every number is typed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

from kb.answer.gate.choosing import Chosen, FieldChooser
from kb.answer.gate.claims import DerivedClaim, FigureClaim
from kb.answer.gate.comparing import ComparisonReader
from kb.answer.gate.counting import Counter
from kb.answer.gate.fields import SLIPS, FieldChoice
from kb.answer.gate.finder import SubjectFinder
from kb.answer.gate.looseness import Looseness
from kb.answer.gate.remarks import Remarks
from kb.answer.gate.scene import Scene, span_of
from kb.answer.gate.subjects import NOBODY, Cards
from kb.quantity import NumberToken, Quantity


@dataclass(slots=True)
class Claims:
    """What the numbers of one piece claim; spans are in the piece.

    Attributes:
        slips: by where they start, numbers among `others` that may be a card's figure in a mistaken unit.
        others: numbers that claim nothing of a card.
        main: whom the next sentence may speak of without naming it.
        keys: the fields the piece is about.
    """

    figures: list[tuple[NumberToken, FigureClaim]] = field(default_factory=list)
    derived: list[tuple[NumberToken, DerivedClaim]] = field(default_factory=list)
    slips: dict[int, FigureClaim] = field(default_factory=dict)
    others: list[NumberToken] = field(default_factory=list)
    main: Cards = NOBODY
    keys: tuple[str, ...] = ()


class ClaimReader:
    """Reads the numbers of one scene."""

    def __init__(self, scene: Scene, finder: SubjectFinder) -> None:
        self._scene = scene
        self._finder = finder
        self._chooser = FieldChooser(scene)
        self._remarks = Remarks(scene)
        self._looseness = Looseness(scene)
        self._comparisons = ComparisonReader(scene)

    def read(self) -> Claims:
        """Every number of the scene, typed."""
        claims = Claims(main=self._main())
        for token in self._scene.tokens:
            self._read_token(token, claims)
        adopted = Counter(self._scene).adopted(claims.others, claims.figures)
        claims.figures += [(token, self._loosely(claim)) for token, claim in adopted]
        taken = {token.start for token, _ in adopted}
        claims.others = [token for token in claims.others if token.start not in taken]
        claims.main = self._main() if claims.figures else self._main_without_figures()
        claims.keys = tuple(dict.fromkeys(k for _, c in claims.figures if c.choice.named for k in c.choice.keys[:1]))
        claims.derived = [(t, self._comparisons.with_keys(c, claims.keys)) for t, c in claims.derived]
        return claims

    def _read_token(self, token: NumberToken, claims: Claims) -> None:
        quantity = token.quantity
        derived = self._comparisons.read(token, quantity) if quantity is not None else None
        if derived is not None:
            claims.derived.append((token, derived))
            return
        figure = self._figure(token, quantity) if quantity is not None else None
        if figure is None:
            claims.others.append(token)
            if quantity is not None and quantity.unit in SLIPS:
                claims.slips[token.start] = self._slip(token, quantity)
        else:
            claims.figures.append((token, figure))

    def _loosely(self, claim: FigureClaim) -> FigureClaim:
        chosen = Chosen(claim.choice, claim.quantity)
        near = self._scene.nearby(claim.span)
        return replace(claim, is_loose=partial(self._looseness.is_loose, claim.span, near, claim.quantity, chosen))

    def _slip(self, token: NumberToken, quantity: Quantity) -> FigureClaim:
        span = span_of(token)
        cards = self._scene.subjects.of(span, self._scene.spans, self._scene.runs)
        return FigureClaim(span, quantity, FieldChoice(), cards)

    def _main(self) -> Cards:
        return self._scene.subjects.main()

    def _main_without_figures(self) -> Cards:
        """A reason, such as "Ampere has no FP8", changes no subject."""
        before = self._scene.ambient.cards
        lacks = any(hit.is_a("lacking") for hit in self._scene.words)
        return before if lacks and not before.is_empty else self._main()

    def _figure(self, token: NumberToken, quantity: Quantity) -> FigureClaim | None:
        span = span_of(token)
        near = self._scene.nearby(span)
        chosen = self._chooser.choose(token, quantity, near)
        if not chosen.choice.keys:
            return None
        cards = self._scene.subjects.of(span, self._scene.spans, self._scene.runs)
        if chosen.choice.keys[0] != "memory_gb":
            cards = self._finder.narrowed(cards, self._scene.variant_words(span))
        is_change = self._looseness.is_a_change(span, chosen.quantity)
        if is_change:  # one end is one card's, the other another's
            both = self._scene.subjects.all_members()
            cards, is_change = (cards, True) if both.is_empty else (both, False)
        count, is_sum = self._remarks.count_of_cards(span, near)
        return FigureClaim(
            span=span,
            quantity=chosen.quantity,
            choice=chosen.choice,
            cards=cards,
            qualifiers=self._remarks.qualifiers(quantity, near, chosen),
            fallback=chosen.fallback,
            cards_count=count,
            is_sum=is_sum,
            denied=self._remarks.denies(span, near),
            contrasted=self._remarks.contrasts(span, near),
            is_loose=_always if is_change else partial(self._looseness.is_loose, span, near, chosen.quantity, chosen),
            up_to=self._remarks.says_up_to(span),
        )


def _always() -> bool:
    return True
