"""Whether a written figure is a value, rounded to the digits it is written with.

1,979          every digit counts: 1,979 it is, and not 1,978
1,980          so do its zeros: it is not 1,979
about 2,000    closing zeros do not count after "about" (约, ~): 1,979 rounds to it
2 TB/s         one digit is given: 2,039 GB/s rounds to it; never further off than 5 %
989.4          finer than the catalogue's 989, which rounds from it
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from kb.quantity import Quantity

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MOST_ROUNDED = 0.05
_MOST_FINER = 0.006
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Written:
    """A number as written.

    Attributes:
        value: in the unit it is compared in.
        step: what one more in its last digit is worth, in that unit.
        approximate: the text says "about".
    """

    value: float
    step: float
    approximate: bool = False

    def has_digits(self, number: int) -> bool:
        """Whether it has so many digits from the first to the last that is not 0."""
        shown = f"{self.value:.10e}".partition("e")[0].replace(".", "").strip("-0")
        return len(shown) >= number

    def scaled(self, factor: float) -> Written:
        """The same in another unit."""
        return Written(self.value * factor, self.step * factor, self.approximate)

    def is_rounded_from(self, value: float) -> bool:
        """Whether it is `value`, rounded half up to the digits written."""
        off = self.value - value
        if math.isclose(self.value, value, rel_tol=_TINY):
            return True
        if abs(off) > _MOST_ROUNDED * abs(value):
            return False
        half = self.step / 2
        if self.approximate:
            return abs(off) <= half * (1 + _TINY)
        return -half * (1 - _TINY) < off <= half * (1 + _TINY) or self._is_finer_than(value, off)

    def _is_finer_than(self, value: float, off: float) -> bool:
        """Whether `value` itself is this number, rounded to fewer decimals."""
        half = _step_of(f"{value:.10g}") / 2
        return self.step < half and abs(off) <= half * (1 + _TINY) and abs(off) <= _MOST_FINER * abs(value)


def written_numbers(quantity: Quantity) -> tuple[Written, ...]:
    """The figure of a quantity, both ends of a range, as written."""
    values = [quantity.value, *(() if quantity.high is None else (quantity.high,))]
    digits = _DIGITS.findall(quantity.text.translate(_HALF_WIDTH))
    about = quantity.comparator == "~"
    found: list[Written] = []
    for number, value in enumerate(values):
        shown = digits[number] if number < len(digits) else (digits[-1] if digits else "")
        found.append(Written(value, _step(shown, value, approximate=about), about))
    return tuple(found)


_HALF_WIDTH = str.maketrans("０１２３４５６７８９．，", "0123456789.,")


def _step(shown: str, value: float, *, approximate: bool) -> float:
    digits = shown.replace(",", "")
    if not digits or not float(digits):
        return 0.0
    scale = value / float(digits)
    step = _step_of(digits)
    if approximate and step == 1.0:
        step = 10.0 ** (len(digits) - len(digits.rstrip("0")))
    return abs(step * scale)


def _step_of(digits: str) -> float:
    return 10.0 ** -len(digits.partition(".")[2])
