"""What is found in one piece of a text: its claims judged, and the numbers that claim nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb.answer.gate.claims import WordClaim
from kb.answer.gate.derived import DerivedJudge
from kb.answer.gate.finder import SubjectFinder
from kb.answer.gate.judge import FigureJudge
from kb.answer.gate.model import CheckedFact, CheckVerdict
from kb.answer.gate.property_values import PropertyJudge
from kb.answer.gate.reading import Claims
from kb.answer.gate.reasons import ReasonWriter
from kb.answer.gate.scene import Scene
from kb.answer.gate.together import JudgedFigure, figures_together, words_together
from kb.answer.gate.version_words import misspelt_version
from kb.quantity import NumberToken
from kb.specs.catalog import Catalog
from kb.types import FactKind

_CLAIM_NOTHING = frozenset({"list_number", "citation", "format", "ordinal", "resolution"})


class Findings:
    """Judges the claims of pieces by a catalogue."""

    def __init__(self, catalog: Catalog, finder: SubjectFinder) -> None:
        self._finder = finder
        self._figures = FigureJudge(catalog)
        self._derived = DerivedJudge(catalog)
        self._values = PropertyJudge(catalog)

    def of(
        self, scene: Scene, claims: Claims, words: Sequence[WordClaim], writer: ReasonWriter
    ) -> Iterator[CheckedFact]:
        """Every number and named property of a piece with its verdict; places are in the piece."""
        judged = [(token, claim, self._figures.judge(claim)) for token, claim in claims.figures]
        judged_words = words_together(scene.text, [(claim, self._values.judge(claim)) for claim in words], judged)
        figures = figures_together(judged)
        for token, claim, verdict in figures:
            yield writer.fact(token, "figure", verdict, claim.quantity, claim)
        stated = list(_stated(figures))
        for token, derived in claims.derived:
            yield writer.fact(token, "derived", self._derived.judge(derived, stated), token.quantity)
        for word, verdict in judged_words:
            yield writer.word(scene.text, word, verdict)
        yield from self._others(scene, claims, words, writer)

    def _others(
        self, scene: Scene, claims: Claims, words: Sequence[WordClaim], writer: ReasonWriter
    ) -> Iterator[CheckedFact]:
        covered = [(word.span.start, word.span.end) for word in words]
        for token in claims.others:
            slip = self._figures.slip(claims.slips[token.start]) if token.start in claims.slips else None
            if slip is not None:
                yield writer.fact(token, "figure", slip, token.quantity)
            elif not any(start < token.end and token.start < end for start, end in covered):
                fact = self._other(token, scene, writer)
                covered.append((fact.start, fact.end))
                yield fact

    def _name(self, token: NumberToken, scene: Scene, writer: ReasonWriter) -> CheckedFact:
        """A card's name; not known is also one with a version that it does not have: H100 SXN."""
        ids = next((m.gpu_ids for m in scene.mentions if m.start <= token.start < m.end), ())
        misspelt = misspelt_version(scene.text, token.end) if len(ids) > 1 else None
        if misspelt is not None:
            text = scene.text[token.start : misspelt.end]
            reason = writer.says("unknown_version", card=token.text, other=misspelt.text)
            return CheckedFact(text, token.start, misspelt.end, "card", "unknown", ids, reason=reason)
        known = self._is_known(token, scene)
        return CheckedFact(token.text, token.start, token.end, "card", "supported" if known else "unknown", ids)

    def _other(self, token: NumberToken, scene: Scene, writer: ReasonWriter) -> CheckedFact:
        """A number that is no figure of a card."""
        kind: FactKind
        verdict: CheckVerdict
        if token.kind == "card":
            return self._name(token, scene, writer)
        if scene.ambient.is_first and token.text == scene.text.strip():
            return CheckedFact(token.text, token.start, token.end, "list_number", "supported")
        if token.quantity is not None and token.quantity.unit == "CNY":
            kind, verdict = "figure", "unknown"  # a price, and the catalogue has none in yuan
        elif token.kind == "quantity" or token.kind == "plain":
            kind, verdict = "number", "untyped"
        else:
            kind = token.kind
            verdict = "supported" if kind in _CLAIM_NOTHING else "unknown"
        value = token.quantity.value if token.quantity else None
        unit = token.quantity.unit or None if token.quantity else None
        field = "price_usd" if kind == "figure" else None
        return CheckedFact(token.text, token.start, token.end, kind, verdict, field=field, value=value, unit=unit)

    def _is_known(self, token: NumberToken, scene: Scene) -> bool:
        named = [m for m in scene.mentions if m.start <= token.start < m.end]
        return all(mention.status != "unknown" or self._finder.is_chip(mention) for mention in named)


def _stated(figures: Sequence[JudgedFigure]) -> Iterator[tuple[str | None, float]]:
    """Field and value of the right figures, in their fields' units."""
    for _, claim, judged in figures:
        if judged.verdict == "supported":
            values = [f.low for _, f in judged.figures if f.low is not None] or [claim.quantity.value]
            yield from ((judged.key, value) for value in values)
