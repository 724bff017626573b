"""Numbers that a text says follow from figures: ratios, percentages, differences, quotients."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from kb.answer.gate.claims import DerivedClaim
from kb.answer.gate.fields import by_unit, by_word
from kb.answer.gate.lexicon import COMPUTE_UNITS
from kb.answer.gate.scene import Scene, span_of
from kb.answer.question.scanner import Hit
from kb.quantity import NumberToken, Quantity

_PER_WATT = re.compile(r"\s*(?:/\s?w(?![a-z])|/\s?瓦|每瓦|per watt)")
_BEFORE = re.compile(
    r"(?:(?:相差|差距?(?:是|为|有)?|差了|\bdifference(?: of| is)?|\bgap(?: of| is)?)\s*[:：]?"
    r"|(?<![最至])多(?:出|了|出了)?|(?<![最多])(?:高|大|快)(?:出|了|出了)?|(?<![带位最])宽(?:了|出)"
    r"|(?<![最减缩至大])(?:少|低|小|慢|省)(?:了)?"
    r"|(?:增加|减少|提升|提高|降低|下降|领先|落后|超出|增长|节省)(?:了)?"
    r"|\bby|\bextra|\badditional)\s*(?:约|大约|about|roughly|some|~)?\s*$"
)
_AFTER = re.compile(
    r"\s*(?:of [a-z0-9 ]{2,24} )?"
    r"(?:more|less|higher|lower|faster|slower|greater|larger|smaller|wider|extra|fewer|ahead|behind)\b"
    r"|\s*(?:的)?(?:差距|差值|差)"
)
_UNITS = ("GB/s", "GB", "W", "TFLOPS", "TOPS", "bit", "MHz", "MB", "")


class ComparisonReader:
    """Reads what follows from figures in one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def read(self, token: NumberToken, quantity: Quantity) -> DerivedClaim | None:
        """What a number is said to follow from; `None` for one that is a figure itself."""
        kind = self._kind(token, quantity)
        if kind is None:
            return None
        span = span_of(token)
        near = self._scene.nearby(span)
        unit = quantity.unit if kind in ("difference", "per_watt") else ""
        words = (*near.before, *near.after, *near.earlier, *near.later)
        keys = next((found[:1] for hit in words if (found := self._keys(hit, unit, near.modifiers))), ())
        names = {mention.start for mention in self._scene.mentions}
        counts_cards = any(
            t.end + 1 in names or (t.quantity is not None and t.quantity.unit == "cards") for t in self._scene.figures
        )
        groups = self._scene.subjects.groups
        both_named = sum(len(group.members) for group in groups) > 1 or any(group.compared for group in groups)
        of_parts = any(hit.is_a("part") for hit in self._scene.words)
        compared = (kind != "percent" or self._is_difference(token)) and both_named and not (counts_cards or of_parts)
        pair = self._scene.subjects.pair(span.start)
        return DerivedClaim(span, kind, quantity, pair, keys, bool(keys) and compared, self._scene.ambient.is_cell)

    def with_keys(self, claim: DerivedClaim, keys: tuple[str, ...]) -> DerivedClaim:
        """The claim about what its sentence, or the one before, is about, where it names nothing itself."""
        return claim if claim.keys else replace(claim, keys=keys[:1] or self._scene.ambient.keys[:1])

    def _keys(self, hit: Hit, unit: str, modifiers: Iterable[str]) -> tuple[str, ...]:
        for tried in (unit,) if unit else _UNITS:
            found = by_word(hit, tried, modifiers, self._scene.words)
            if found.keys and found.fits:
                return found.keys
        return ()

    def _kind(self, token: NumberToken, quantity: Quantity) -> str | None:
        if quantity.unit == "times":
            # "8x H100" counts cards.
            if any(abs(token.end - m.start) <= 1 for m in self._scene.mentions):
                return None
            return "increase" if self._is_difference(token) else "ratio"
        if quantity.unit == "%":
            return "percent"
        if quantity.unit in COMPUTE_UNITS and _PER_WATT.match(self._scene.folded, token.end):
            return "per_watt"
        is_figure = quantity.unit and by_unit(quantity.unit).keys
        return "difference" if is_figure and self._is_difference(token) else None

    def _is_difference(self, token: NumberToken) -> bool:
        before = _BEFORE.search(self._scene.folded, max(0, token.start - 24), token.start)
        return before is not None or _AFTER.match(self._scene.folded, token.end) is not None
