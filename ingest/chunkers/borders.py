"""Where a text may be cut, from best to worst, and cutting it there.

A cut never separates a figure from its unit, and a part never begins with a closing mark.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from ingest.chunkers.ruler import Ruler


class Border(IntEnum):
    """What stands between two parts; the lower, the better a place to cut."""

    BLOCK = 0
    SENTENCE = 1
    SEMICOLON = 2
    LINE = 3
    COMMA = 4
    SPACE = 5
    CHARACTER = 6


@dataclass(frozen=True, slots=True)
class Atom:
    """A part that is not cut further, and the border after it."""

    start: int
    end: int
    after: Border


_CLOSERS = "”’」』）》】〉〕｝\"')\\]}"
# A run of stops is looked at once, from its beginning, and not once more from each of its million dots.
_CHINESE_STOP = re.compile(
    rf"(?<![。！？!?…])[。！？!?…]*[。！？][。！？!?…]*[{_CLOSERS}]*(?:\*\*(?=\s|$))?|(?<!…)…++[{_CLOSERS}]*+(?=\s|$)"
)
_ENGLISH_STOP = re.compile(rf"(?<![.!?])[.!?]++[{_CLOSERS}*_`]*+(?=\s+[^\sa-z])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|etc|vs|cf|al|Dr|Mr|Mrs|Ms|Prof|No|Nos|Fig|Figs|Sec|Eq|Ref|approx|ca|resp|max|min|Inc|Ltd|Corp|[A-Z])$"
)
_LIST_NUMBER = re.compile(r"(?:^|\n)[ \t>]*\d{1,3}$")
_SEMICOLON = re.compile(rf"；[{_CLOSERS}]*|;(?=\s)")
_ITEM = re.compile(r"\n(?=[ \t>]*(?:[-*+•·●▪]|\d{1,3}[.)、])[ \t]+\S|[^\S\n]*+\n)")
_LINE = re.compile(r"\n")
_COMMA = re.compile(rf"[，、：][{_CLOSERS}]*|[,:](?=\s)")
_SPACE = re.compile(r"[ \t　]+")
# Inside these a space or a character border is no place to cut: 80 GB, 1,979 TFLOPS, 8 x H100, RTX 4090, 第 3 代.
_HOLDS_BEFORE = re.compile(
    r"(?:\d|[~≈±<>≤≥=×x*/+-]|\b(?:RTX|GTX|Tesla|Quadro|Table|Figure|Step|CUDA|ROCm|version|Gen))[ \t　]*$"
)
_HOLDS_AFTER = re.compile(r"[ \t　]*(?:[A-Za-zµμΩ°%‰/×~≈±<>≤≥=]|\d|[年月日个张块卡核天次倍瓦位元万亿千百代条颗片层路])")
_CANNOT_HOLD = re.compile(
    r"[^\W\d_XaoepAmnx]"
)  # letters that end none of the words above: most spaces are decided here
_WORD = re.compile(r"[A-Za-z0-9_./%+#@$&=~^-]")
_NOT_FIRST = re.compile(rf"[\s。，、；：！？…·,.;:!?{_CLOSERS}]")
_CHARACTER_BACK_OFF = 48
_ATOMS_PER_PART = 24
"""Smaller neighbours are joined before it is tried where to cut."""
_SIGNS = {Border.LINE: "\n", Border.SPACE: " "}
_DENSE_CHARACTERS = 3
"""Characters from one border to the next, where words or lines are so short that no text has them."""
_HUGE_PARTS = 50
"""A span of so many parts is cut at a choice of its borders only."""


def cut(text: str, start: int, end: int, ruler: Ruler, max_columns: int, *, lines_end: bool = False) -> list[Atom]:
    """`text[start:end]` as its sentences; one wider than `max_columns` is cut at the best borders it has.

    Args:
        text: the whole text.
        start: of the span.
        end: of the span.
        ruler: of `text`.
        max_columns: no part is wider.
        lines_end: each line is a unit and keeps its indentation (code), whatever its punctuation says.
    """
    first = Border.LINE if lines_end else Border.SENTENCE
    return _Cutter(text, ruler, max_columns, lines_end).cut(start, end, first, first)


class _Cutter:
    def __init__(self, text: str, ruler: Ruler, max_columns: int, lines_end: bool) -> None:
        self._text = text
        self._ruler = ruler
        self._max_columns = max_columns
        self._lines_end = lines_end

    def cut(self, start: int, end: int, border: Border, last: Border) -> list[Atom]:
        """Parts of a span, cut at `border` and, where that leaves one too wide, at the next finer one."""
        parts = self._parts(start, end, border)
        atoms: list[Atom] = []
        for number, (part_start, part_end) in enumerate(parts, 1):
            after = border if number < len(parts) else last
            if border is Border.CHARACTER or self._ruler.width(part_start, part_end) <= self._max_columns:
                atoms.append(Atom(part_start, part_end, after))
            else:
                finer = self.cut(part_start, part_end, Border(border + 1), after)
                atoms.extend(pack(finer, self._ruler, self._max_columns, self._max_columns))
        return atoms

    def _parts(self, start: int, end: int, border: Border) -> list[tuple[int, int]]:
        if border is Border.CHARACTER:
            spans = self._by_characters(start, end)
        else:
            spans, position = [], start
            for stop in sorted(set(self._stops(start, end, border))):
                if position < stop < end and not self._text[position:stop].isspace():
                    spans.append((position, stop))
                    position = stop
            spans.append((position, end))
        stripped = (_stripped(self._text, *span, keep_indent=self._lines_end) for span in spans)
        return [span for span in stripped if span[0] < span[1]]

    def _stops(self, start: int, end: int, border: Border) -> Iterator[int]:
        step = self._max_columns // (2 * _ATOMS_PER_PART) if self._has_many(start, end, border) else 0
        for pattern, accepts in _PATTERNS[border]:
            for match in _matches(pattern, self._text, start, end, step):
                if (self._lines_end and border is Border.LINE) or accepts(self._text, start, match):
                    yield match.end()

    def _has_many(self, start: int, end: int, border: Border) -> bool:
        """Whether there are more borders than it is worth to look at: a huge span, or one of single letters."""
        sign = _SIGNS.get(border)
        is_dense = sign is not None and _DENSE_CHARACTERS * self._text.count(sign, start, end) > end - start
        return is_dense or self._ruler.width(start, end) > _HUGE_PARTS * self._max_columns

    def _by_characters(self, start: int, end: int) -> list[tuple[int, int]]:
        spans = []
        while self._ruler.width(start, end) > self._max_columns:
            limit = stop = self._ruler.reach(start, self._max_columns)
            while stop > max(start + 1, limit - _CHARACTER_BACK_OFF) and not _may_cut(self._text, stop):
                stop -= 1
            if not _may_cut(self._text, stop):
                stop = limit
            spans.append((start, stop))
            start = stop
        spans.append((start, end))
        return spans


def _matches(pattern: re.Pattern[str], text: str, start: int, end: int, step: int) -> Iterator[re.Match[str]]:
    """Borders in order; where there would be a million of them, only those `step` characters apart."""
    if not step:
        yield from pattern.finditer(text, start, end)
        return
    position = start
    while (match := pattern.search(text, position, end)) is not None:
        yield match
        position = match.end() + step


def _always(text: str, start: int, match: re.Match[str]) -> bool:
    return True


def _is_sentence_end(text: str, start: int, match: re.Match[str]) -> bool:
    if not match.group().startswith("."):
        return True
    before = text[max(start, match.start() - 12) : match.start()]
    return _ABBREVIATION.search(before) is None and _LIST_NUMBER.search(before) is None


def _is_free_space(text: str, start: int, match: re.Match[str]) -> bool:
    if match.start() > start and _CANNOT_HOLD.match(text, match.start() - 1):
        return True
    before = text[max(start, match.start() - 12) : match.start()]
    return not (_HOLDS_BEFORE.search(before) and _HOLDS_AFTER.match(text, match.end()))


_PATTERNS: dict[Border, tuple[tuple[re.Pattern[str], Callable[[str, int, re.Match[str]], bool]], ...]] = {
    Border.SENTENCE: ((_CHINESE_STOP, _always), (_ENGLISH_STOP, _is_sentence_end), (_ITEM, _always)),
    Border.SEMICOLON: ((_SEMICOLON, _always),),
    Border.LINE: ((_LINE, _is_free_space),),
    Border.COMMA: ((_COMMA, _always),),
    Border.SPACE: ((_SPACE, _is_free_space),),
}


def _may_cut(text: str, at: int) -> bool:
    if _NOT_FIRST.match(text, at) or (_WORD.match(text, at - 1) and _WORD.match(text, at)):
        return False
    return not (_HOLDS_BEFORE.search(text, max(0, at - 12), at) and _HOLDS_AFTER.match(text, at))


def _stripped(text: str, start: int, end: int, *, keep_indent: bool) -> tuple[int, int]:
    """The span without white space around; code keeps the indentation of its first line."""
    while end > start and text[end - 1].isspace():
        end -= 1
    first = start
    while first < end and text[first].isspace():
        first += 1
    if keep_indent:
        line_start = text.rfind("\n", start, first) + 1
        return (line_start or start), end
    return first, end


_PENALTY = {
    Border.BLOCK: 0.0,
    Border.SENTENCE: 0.08,
    Border.SEMICOLON: 0.3,
    Border.LINE: 0.3,
    Border.COMMA: 0.8,
    Border.SPACE: 1.2,
    Border.CHARACTER: 1.6,
}


def pack(atoms: list[Atom], ruler: Ruler, max_columns: int, target_columns: int) -> list[Atom]:
    """Group neighbours into parts of at most `max_columns`, all near the target, cut at the best borders.

    An atom that is wider by itself stays alone. The grouping with the least total cost is found exactly.
    """
    atoms = _coalesced(atoms, ruler, max_columns // _ATOMS_PER_PART)
    if not atoms:
        return []
    starts = [ruler.width(0, atom.start) for atom in atoms]
    ends = [ruler.width(0, atom.end) for atom in atoms]
    costs = [0.0]
    begins = [0]
    for last in range(1, len(atoms) + 1):
        penalty = _PENALTY[atoms[last - 1].after] if last < len(atoms) else 0.0
        least, begin = math.inf, last - 1
        for first in range(last - 1, -1, -1):
            width = ends[last - 1] - starts[first]
            if width > max_columns and first < last - 1:
                break
            missing = (target_columns - width) / target_columns
            cost = costs[first] + missing * missing + penalty
            if cost <= least:
                least, begin = cost, first
        costs.append(least)
        begins.append(begin)
    groups: list[Atom] = []
    last = len(atoms)
    while last:
        first = begins[last]
        groups.append(Atom(atoms[first].start, atoms[last - 1].end, atoms[last - 1].after))
        last = first
    return groups[::-1]


def _coalesced(atoms: list[Atom], ruler: Ruler, columns: int) -> list[Atom]:
    """Tiny neighbours joined, so that a file of a million one-letter lines does not take a day."""
    joined: list[Atom] = []
    for atom in atoms:
        if joined and ruler.width(joined[-1].start, atom.end) <= columns:
            joined[-1] = Atom(joined[-1].start, atom.end, atom.after)
        else:
            joined.append(atom)
    return joined
