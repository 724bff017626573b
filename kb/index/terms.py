"""Search terms of a text, counted once: numbers stand for terms, so that a build adds them up without reading again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_PAIR: Final = np.dtype("<i4")


class TermNumbers:
    """Numbers of terms, in the order in which they were first seen. A number never changes its term.

    Attributes:
        terms: all of them, by number.
    """

    def __init__(self, terms: Sequence[str] = ()) -> None:
        """Begin with what is known."""
        self.terms: list[str] = list(terms)
        self._numbers: dict[str, int] | None = None

    def count(self, terms: Sequence[str]) -> bytes:
        """The different terms of a text: of each its number and how often it stands there."""
        numbers = self._known()
        pairs = np.empty((len(counts := Counter(terms)), 2), _PAIR)
        for row, (term, count) in enumerate(counts.items()):
            number = numbers.setdefault(term, len(self.terms))
            if number == len(self.terms):
                self.terms.append(term)
            pairs[row] = number, count
        return pairs.tobytes()

    def _known(self) -> dict[str, int]:
        # Made when it is needed: where no text is new, it is not.
        if self._numbers is None:
            self._numbers = {term: number for number, term in enumerate(self.terms)}
        return self._numbers


def counted(texts: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """What `TermNumbers.count` gave for many texts, as columns: the row of the text, the number, the count."""
    pairs = np.frombuffer(b"".join(texts), _PAIR).reshape(-1, 2)
    different = np.array([len(text) // (2 * _PAIR.itemsize) for text in texts], np.int64)
    return np.repeat(np.arange(len(texts), dtype=np.int32), different), pairs[:, 0], pairs[:, 1]
