"""Facts with their reasons, in words of the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

import yaml

from kb.answer.gate.claims import FigureClaim, WordClaim
from kb.answer.gate.judged import Judged
from kb.answer.gate.model import CheckedFact
from kb.quantity import NumberToken, Quantity
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS
from kb.specs.figures import write_number
from kb.specs.schema import QUALIFIERS, Figure, SpecSource
from kb.types import FactKind, Language

_MOST_SHOWN = 4
_SHOWN_QUALIFIERS = frozenset(QUALIFIERS) - {"vector", "per_card", "measured", "community"}


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Mapping[str, str]]:
    text = resources.files("kb.answer.gate").joinpath("reasons.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Mapping[str, str]] = yaml.load(text, Loader=yaml.CSafeLoader)
    return loaded


class ReasonWriter:
    """Writes facts down."""

    def __init__(self, catalog: Catalog, language: Language) -> None:
        self._catalog = catalog
        self._language = language

    def fact(
        self,
        token: NumberToken,
        kind: FactKind,
        judged: Judged,
        quantity: Quantity | None,
        claim: FigureClaim | None = None,
    ) -> CheckedFact:
        """A number with its verdict."""
        qualifiers = sorted(claim.qualifiers) if claim else []
        expected = self._expected(judged)
        return CheckedFact(
            text=token.text,
            start=token.start,
            end=token.end,
            kind=kind,
            verdict=judged.verdict,
            gpu_ids=judged.ids,
            field=judged.key,
            value=quantity.value if quantity else None,
            value_high=quantity.high if quantity else None,
            unit=(quantity.unit or None) if quantity else None,
            qualifier=", ".join(qualifiers) or None,
            expected=expected,
            reason=self._reason(judged, expected),
            source=_source(judged),
        )

    def word(self, text: str, claim: WordClaim, judged: Judged) -> CheckedFact:
        """A named property with its verdict."""
        expected = self._expected(judged)
        return CheckedFact(
            text=text[claim.span.start : claim.span.end],
            start=claim.span.start,
            end=claim.span.end,
            kind="word",
            verdict=judged.verdict,
            gpu_ids=judged.ids,
            field=judged.key,
            value=text[claim.span.start : claim.span.end],
            qualifier=", ".join(sorted(claim.qualifiers)) or None,
            expected=expected,
            reason=self._reason(judged, expected),
            source=_source(judged),
        )

    def says(self, reason: str, **words: str) -> str:
        """A reason with what it names."""
        return _table()[reason][self._language].format(**words)

    # ------------------------------------------------------------ words

    def _expected(self, judged: Judged) -> str | None:
        """The catalogue's figures, each with the cards it is for where they differ; or what follows from them."""
        if judged.detail and "result" in judged.detail:
            return judged.detail["result"]
        shown: dict[str, list[str]] = {}
        for gpu_id, figure in judged.figures:
            shown.setdefault(self._shown(figure), []).append(self._catalog.get(gpu_id).label(self._language))
        if not shown:
            return None
        if len(shown) == 1:
            return next(iter(shown))
        several = len({name for names in shown.values() for name in names}) > 1
        opening, closing = ("（", "）") if self._language == "zh" else (" (", ")")
        joint = "、" if self._language == "zh" else ", "
        parts = [
            f"{text}{opening}{joint.join(dict.fromkeys(names))}{closing}" if several else text
            for text, names in list(shown.items())[:_MOST_SHOWN]
        ]
        return ("；" if self._language == "zh" else "; ").join(parts)

    def _shown(self, figure: Figure) -> str:
        position = 0 if self._language == "zh" else 1
        words = [QUALIFIERS[q][position] for q in figure.qualifiers if q in _SHOWN_QUALIFIERS]
        joined = ("、" if self._language == "zh" else ", ").join(words)
        if not joined:
            return figure.shown(self._language)
        return (
            f"{figure.shown(self._language)}（{joined}）"
            if self._language == "zh"
            else f"{figure.shown(self._language)} ({joined})"
        )

    def _reason(self, judged: Judged, expected: str | None) -> str | None:
        if not judged.reason or (judged.verdict == "supported" and judged.reason == "value"):
            return None
        detail = dict(judged.detail or {})
        words = {
            "card": self._card(judged) or detail.get("card", ""),
            "label": FIELDS[judged.key].label(self._language) if judged.key else "",
            "expected": expected or "",
            "note": detail.get(self._language, ""),
            "other": detail.get(self._language, ""),
            "why": judged.entry.reason(self._language) if judged.entry else "",
            "inputs": self._inputs(judged),
        }
        return _table()[judged.reason][self._language].format(**words)

    def _card(self, judged: Judged) -> str:
        names = [self._catalog.get(gpu_id).label(self._language) for gpu_id in judged.ids[:_MOST_SHOWN]]
        return ("、" if self._language == "zh" else ", ").join(names)

    def _inputs(self, judged: Judged) -> str:
        parts = [
            f"{self._catalog.get(gpu_id).label(self._language)} {write_number(figure.low)} {figure.unit}".strip()
            for gpu_id, figure in judged.figures
            if figure.low is not None
        ]
        return ("、" if self._language == "zh" else ", ").join(parts)


def _source(judged: Judged) -> SpecSource | None:
    return judged.figures[0][1].source if judged.figures else None
