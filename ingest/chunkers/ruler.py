"""Measuring text by the columns it fills: a Chinese character counts two, as it says about twice as much."""

from __future__ import annotations

import re

import numpy as np

# CJK radicals to the unified ideographs with all punctuation and kana, Hangul, compatibility and full-width forms.
_WIDE = ((0x2E80, 0xA4CF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF00, 0xFF60), (0x20000, 0x3FFFD))

_WIDE_CHAR = re.compile("[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in _WIDE) + "]")


class Ruler:
    """Widths of any span of one text, each in constant time."""

    def __init__(self, text: str) -> None:
        self._is_narrow = text.isascii()
        self._length = len(text)
        if self._is_narrow:
            return
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        wide = np.zeros(len(codes), dtype=bool)
        for low, high in _WIDE:
            wide |= (codes >= low) & (codes <= high)
        self._columns = np.concatenate(([0], np.cumsum(1 + wide, dtype=np.int64)))

    def width(self, start: int, end: int) -> int:
        """Columns of `text[start:end]`."""
        return end - start if self._is_narrow else int(self._columns[end] - self._columns[start])

    def reach(self, start: int, columns: int) -> int:
        """The farthest end such that `text[start:end]` fills at most `columns`; always past `start`."""
        if self._is_narrow:
            return max(min(start + columns, self._length), start + 1)
        end = int(np.searchsorted(self._columns, self._columns[start] + columns, side="right")) - 1
        return max(end, start + 1)


def columns(text: str) -> int:
    """Columns of a short text."""
    return len(text) if text.isascii() else len(text) + len(_WIDE_CHAR.findall(text))
