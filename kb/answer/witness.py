"""What bears a number out: a text that holds the same figure, in whatever unit it is written."""

from __future__ import annotations

import math
import re

from kb.errors import RequestError
from kb.quantity import NumberToken, Quantity, convert, number_tokens
from kb.text import fold

FIGURES = frozenset({"quantity", "count", "plain"})
"""Kinds of number tokens that are figures."""
DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_JOINS_BEFORE = re.compile(r"[0-9a-z.]")
_JOINS = re.compile(r"[0-9a-z]|\.\d")
_EXPONENT = re.compile("(?=[⁰¹²³⁴-⁹])")


class Witness:
    """A text that may bear out numbers; typed only if the plain look does not settle it."""

    def __init__(self, text: str) -> None:
        self._text = plain(text)
        self._quantities: tuple[Quantity, ...] | None = None

    def bears_out(self, token: NumberToken) -> bool:
        """Whether the text holds that number: as written, or the same figure written another way."""
        shown = plain(token.text)
        if self._holds_alone(shown):
            return True
        if token.kind not in FIGURES or token.quantity is None:
            return shown in self._text
        if self._quantities is None:
            tokens = number_tokens(self._text)
            self._quantities = tuple(t.quantity for t in tokens if t.quantity is not None)
        return any(same(token.quantity, other.value, other.unit) for other in self._quantities)

    def _holds_alone(self, shown: str) -> bool:
        """Whether the text holds it, not as part of a longer number or word."""
        start = self._text.find(shown)
        while start >= 0:
            if not _JOINS_BEFORE.match(self._text[start - 1 : start]) and not _JOINS.match(
                self._text, start + len(shown)
            ):
                return True
            start = self._text.find(shown, start + 1)
        return False


def plain(text: str) -> str:
    """Text as figures are compared. An exponent or a full-width comma does not join the numbers beside it."""
    return fold(_EXPONENT.sub("^", _THOUSANDS.sub("", text)))


def same(shown: Quantity, value: float, unit: str) -> bool:
    """Whether a written figure is that value in that unit; where one of them has no unit, the number alone decides."""
    if not shown.unit or not unit or shown.unit == unit:
        return agrees(shown, value)
    try:
        return agrees(shown, convert(value, unit, shown.unit))
    except RequestError:
        return False


def agrees(shown: Quantity, value: float) -> bool:
    """Whether a written figure is that value, rounded to the digits it is written with."""
    return any(
        math.isclose(written, value, rel_tol=1e-9, abs_tol=_half_a_digit(shown))
        for written in (shown.value, shown.high)
        if written is not None
    )


def _half_a_digit(shown: Quantity) -> float:
    """Half a unit of the last digit written, in the quantity's canonical unit."""
    match = DIGITS.search(fold(shown.text))
    if match is None:
        return 0.0
    digits = match.group().replace(",", "")
    decimals = len(digits.partition(".")[2])
    written = float(digits)
    scale = shown.value / written if written else 1.0
    return abs(0.5 * 10.0**-decimals * scale) * 1.000001 if decimals or written >= 10 else 0.0
