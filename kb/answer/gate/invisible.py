"""Characters without a width: a reader does not see them, so that they part no name and no number."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate

from kb.answer.gate.model import CheckedFact

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]+")


class Visible:
    """A text as a reader sees it, with the way back to the places in the original.

    Attributes:
        text: without what has no width.
    """

    def __init__(self, original: str) -> None:
        self._original = original
        gone = [(match.start(), match.end() - match.start()) for match in _INVISIBLE.finditer(original)]
        self._before = list(accumulate(length for _, length in gone))
        self._places = [start - before for (start, length), before in zip(gone, [0, *self._before], strict=False)]
        self.text = _INVISIBLE.sub("", original) if gone else original

    def placed(self, fact: CheckedFact) -> CheckedFact:
        """A fact of `text` at its place in the original, as written there."""
        if not self._places:
            return fact
        start, end = self._origin(fact.start), self._origin(fact.end - 1) + 1
        return replace(fact, text=self._original[start:end], start=start, end=end)

    def _origin(self, place: int) -> int:
        passed = bisect_right(self._places, place)
        return place + (self._before[passed - 1] if passed else 0)
