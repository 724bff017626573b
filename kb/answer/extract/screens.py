"""What a program printed on its screen, kept in a document as a block of code: boxes, and names with their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from kb.answer.extract.terms import Term, Text
from kb.types import Span

LONGEST: Final = 48
"""So many lines are read together, as a value means little without the lines above it."""
_SHOWN: Final = 6
_SHOWN_OF_BOX: Final = 10
_LEAST_LINES: Final = 3
_PAIRS_PART: Final = 0.6
_OPTIONS_PART: Final = 0.5
_SHARE: Final = 0.5

_BOX: Final = re.compile(r"[-=+]{12}|(?:\|[^|\n]*){4}")
_RULE: Final = re.compile(r"[\s|+=-]*")
_OPTION: Final = re.compile(r"\s*-{1,2}[\w?][^\n]*?\s{2,}\S")
_PAIR: Final = re.compile(r"\s*\S.{0,60}?\s{2,}: .*\S|\s*[^\s:][^:]{1,60}:\s{2,}\S.*")
"""A name, its value behind a colon, and more than one space between: so that values stand below each other."""


@lru_cache(maxsize=4096)
def is_options(source: str) -> bool:
    """Whether some lines tell the options of a command, as its help does."""
    lines = [line for line in source.split("\n") if line.strip()]
    return sum(_OPTION.match(line) is not None for line in lines) >= max(_LEAST_LINES, _OPTIONS_PART * len(lines))


def is_printed(source: str) -> bool:
    """Whether some lines are what a program printed, not a program."""
    return is_box(source) or _is_list_of_values(source)


@lru_cache(maxsize=4096)
def is_box(source: str) -> bool:
    """Whether lines are drawn as a box with columns."""
    return _BOX.search(source) is not None


@lru_cache(maxsize=4096)
def _is_list_of_values(source: str) -> bool:
    lines = [line for line in source.split("\n") if line.strip()]
    return len(lines) >= _LEAST_LINES and sum(map(_is_pair, lines)) >= _PAIRS_PART * len(lines)


def _is_pair(line: str) -> bool:
    return _PAIR.fullmatch(line) is not None


def telling_lines(source: str, terms: Sequence[Term]) -> list[Span]:
    """The few lines of a long screen that hold what is asked, in their order; all lines of a short one."""
    lines = list(_lines(source))
    if len(lines) <= _SHOWN + 2:
        return lines
    if is_box(source):
        return lines[:_SHOWN_OF_BOX]
    held = [
        sum(term.weight * term.share_in(Text.of(source[line.start : line.end])) for term in terms) for line in lines
    ]
    best = max(held)
    if not best:
        return lines[: _SHOWN + 2]
    kept = sorted(sorted(range(len(lines)), key=lambda number: -held[number])[:_SHOWN])
    return [lines[number] for number in kept if held[number] >= _SHARE * best]


def _lines(source: str) -> Iterator[Span]:
    """Places of lines that say something."""
    start = 0
    for line in source.split("\n"):
        if not _RULE.fullmatch(line):
            yield Span(start, start + len(line))
        start += len(line) + 1
