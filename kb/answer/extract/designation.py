"""Things told apart by a number behind a word: `NVLink 4`, `CPU_LEAF(7)`, `bit 5`, `第 14 位`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from kb.answer.extract.glossary import variants_of
from kb.answer.extract.passage import Passage, Unit
from kb.answer.extract.terms import EMPTY_EN, Text
from kb.text import fold

Standing = Literal["named", "rival", "silent"]
"""What a text says to a designation: its very number, the same word with another number, neither."""

_LATIN: Final = re.compile(
    r"""
    (?<![\w./-]) ([a-z][a-z_+-]*[a-z]) [ (] (\d+(?:\.\d+)*) \)?
    (?! [\w%°"'] | \.\w | [ -]?(?:[kmgt]i?b|[munµ]?s|w|hz|x)\b )
    """,
    re.VERBOSE,
)
_CHINESE: Final = re.compile(r"第\s?(\d+)\s?([位行列级层代章节步])")
_CHINESE_WORDS: Final = {"位": ("bit",), "行": ("row", "line"), "列": ("column",), "级": ("level",), "层": ("layer",)}
_COUNTED: Final = re.compile(r"\s+[a-z]{3,}s\b")
_RELEASE: Final = re.compile(r"\W*(?:v|version |release )?(\d+(?:\.\d+){2,})\W*$")
_HAS_DIGIT: Final = re.compile(r"\d")
_FIGURE: Final = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Designation:
    """One such thing of a question, or several that share their word: `GPU 1 and GPU 2`.

    Attributes:
        numbers: as written.
        words: any of them may stand before a number, or name the column it stands in.
    """

    numbers: tuple[str, ...]
    words: tuple[str, ...]

    def standing(self, unit: Unit, passage: Passage) -> Standing:
        """What a unit says to it; a heading speaks for sentences that are silent."""
        texts = [cell.shown for cell in unit.row.cells] if unit.row is not None else [unit.text.folded]
        if unit.row is not None and unit.row.label != unit.row.cells[0].shown:
            texts.append(unit.row.label)
        standing = self._of(fold("\n".join(texts)))
        if standing == "silent" and unit.row is not None:
            standing = self._of_columns(unit)
        return self._of_headings(passage) if standing == "silent" else standing

    def _of(self, folded: str) -> Standing:
        found = _numbers_behind(self.words).findall(folded) if any(word in folded for word in self.words) else []
        return self._among(found)

    def _among(self, found: Sequence[str]) -> Standing:
        """What some numbers are to it; `12` and `12.4` may mean the same."""
        if any(number in self.numbers for number in found):
            return "named"
        akin = any(_is_part(own, number) or _is_part(number, own) for own in self.numbers for number in found)
        return "rival" if found and not akin else "silent"

    def _of_headings(self, passage: Passage) -> Standing:
        """What the headings say, the nearest first; a release may stand there without the word before it."""
        for heading in reversed(passage.chunk.heading_path):
            folded = fold(heading)
            bare = _RELEASE.match(folded)
            standing = self._among([bare.group(1)]) if bare and self._is_release else self._of(folded)
            if standing != "silent":
                return standing
        return "silent"

    @property
    def _is_release(self) -> bool:
        return all(number.count(".") > 1 for number in self.numbers)

    def _of_columns(self, unit: Unit) -> Standing:
        row = unit.row
        if row is None:
            return "silent"
        releases = [name for name in row.header.names if _RELEASE.match(fold(name))]
        if self._is_release and len(releases) > 1:
            return self._among([number for name in releases for number in _FIGURE.findall(name)])
        standing: Standing = "silent"
        for cell in row.cells:
            name = row.header.name(cell.column)
            if (
                name
                and not _HAS_DIGIT.search(name)
                and _FIGURE.fullmatch(cell.shown)
                and not _named(name).isdisjoint(self.words)
            ):
                if cell.shown in self.numbers:
                    return "named"
                standing = "rival"
        return standing


def designations_in(question: str) -> tuple[Designation, ...]:
    """The things that a question tells apart by a number."""
    folded = fold(question)
    found: dict[tuple[str, ...], list[str]] = {}
    for match in _LATIN.finditer(folded):
        if match.group(1) not in EMPTY_EN and not _COUNTED.match(folded, match.end()):
            found.setdefault((match.group(1),), []).append(match.group(2))
    for match in _CHINESE.finditer(folded):
        words = (match.group(2), *_CHINESE_WORDS.get(match.group(2), ()), *variants_of(match.group(2)).latin)
        found.setdefault(words, []).append(match.group(1))
    return tuple(Designation(tuple(dict.fromkeys(numbers)), words) for words, numbers in found.items())


def _is_part(number: str, whole: str) -> bool:
    return whole.startswith(number + ".")


@lru_cache(maxsize=512)
def _numbers_behind(words: Sequence[str]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, words))
    return re.compile(rf"(?<![a-z0-9])(?:{either})[\s_(:#-]{{0,2}}(\d+(?:\.\d+)*)(?![\w])")


@lru_cache(maxsize=4096)
def _named(column: str) -> frozenset[str]:
    text = Text.of(column)
    return text.latin | frozenset(text.folded)
