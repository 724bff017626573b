"""Finding the words of a vocabulary in a question: longest match first, one pass, offsets kept."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from kb.text import simplified_characters

_IGNORED = " \t-‐‑–—_·"
_WITHOUT_IGNORED = str.maketrans("", "", _IGNORED)
BLANK = "\x00"
"""Stands for characters that are accounted for already, such as a card's name."""


class Tag(NamedTuple):
    """What a word does: a kind (`field`, `precision`, `compare`…) and a value."""

    kind: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A found word with everything it may mean."""

    start: int
    end: int
    text: str
    tags: tuple[Tag, ...]

    def is_a(self, kind: str) -> bool:
        """Whether it may be of that kind."""
        for tag in self.tags:  # noqa: SIM110  (asked hundreds of times a question; `any` takes twice as long)
            if tag.kind == kind:
                return True
        return False

    def value(self, kind: str) -> str:
        """Its value as that kind; empty if it is none."""
        return next((tag.value for tag in self.tags if tag.kind == kind), "")


@dataclass(slots=True)
class _Node:
    children: dict[str, _Node] = field(default_factory=dict)
    tags: tuple[Tag, ...] = ()


def fold_in_place(text: str) -> str:
    """Folded like `kb.text.fold`, character by character, so that offsets stay."""
    if text.isascii():
        return text.lower()
    return "".join(_fold_char(char) for char in text)


@lru_cache(maxsize=8192)
def _fold_char(char: str) -> str:
    if char.isascii():
        return char.lower()
    folded = unicodedata.normalize("NFKC", char).lower()
    return simplified_characters().get(folded, folded) if len(folded) == 1 else char


def is_latin(char: str) -> bool:
    """Whether the character is part of a Latin word or a number."""
    return char.isascii() and char.isalnum()


@dataclass(slots=True)
class Scanner:
    """A set of words, each with tags."""

    _root: _Node = field(default_factory=_Node)
    latin_words: dict[str, tuple[Tag, ...]] = field(default_factory=dict)

    def add(self, words: Iterable[Any], tag: Tag) -> None:
        """Add words that mean `tag`."""
        for word in words:
            self._add(str(word), tag)

    def _add(self, word: str, tag: Tag) -> None:
        node = self._root
        squeezed = fold_in_place(word).translate(_WITHOUT_IGNORED)
        if not squeezed:
            raise ValueError(f"The vocabulary holds an empty word for {tag}.")
        for char in squeezed:
            child = node.children.get(char)
            if child is None:
                child = node.children[char] = _Node()
            node = child
        if tag not in node.tags:
            node.tags = (*node.tags, tag)
        if squeezed.isascii() and squeezed.isalpha():
            self.latin_words[squeezed] = node.tags

    def tags_of(self, word: str) -> tuple[Tag, ...]:
        """The tags of a whole Latin word, if the vocabulary holds it."""
        return self.latin_words.get(word, ())

    def scan(self, folded: str) -> list[Hit]:
        """Every word of the vocabulary in `folded`, left to right, none overlapping."""
        hits: list[Hit] = []
        position = 0
        while position < len(folded):
            hit = self._match(folded, position)
            if hit is None:
                position += 1
            else:
                hits.append(hit)
                position = hit.end
        return hits

    def _match(self, folded: str, start: int) -> Hit | None:
        first = folded[start]
        if first in _IGNORED or first == BLANK or (is_latin(first) and start and is_latin(folded[start - 1])):
            return None
        node = self._root
        best: Hit | None = None
        for end in range(start, len(folded)):
            char = folded[end]
            if char in _IGNORED:
                continue
            child = node.children.get(char)
            if child is None:
                break
            node = child
            if node.tags and _ends_word(folded, end):
                best = Hit(start, end + 1, folded[start : end + 1], node.tags)
        return best


def _ends_word(folded: str, last: int) -> bool:
    return not (is_latin(folded[last]) and last + 1 < len(folded) and is_latin(folded[last + 1]))


def blank(text: str, start: int, end: int) -> str:
    """The text with a span blanked, length kept."""
    return text[:start] + BLANK * (end - start) + text[end:]


def walk(table: Mapping[str, Any], kind: str) -> Iterator[tuple[Tag, Iterable[Any]]]:
    """The rows of one vocabulary table as tags with their words."""
    for value, words in table.items():
        yield Tag(kind, str(value)), words


def one_slip_apart(first: str, second: str) -> bool:
    """Whether one letter more, less, other, or two neighbours swapped, turns one word into the other."""
    if abs(len(first) - len(second)) > 1 or first == second:
        return False
    size = min(len(first), len(second))
    left = next((i for i in range(size) if first[i] != second[i]), size)
    if len(first) == len(second):
        swapped = first[left + 1 : left + 2] + first[left : left + 1] == second[left : left + 2]
        return first[left + 1 :] == second[left + 1 :] or (swapped and first[left + 2 :] == second[left + 2 :])
    longer, shorter = (first, second) if len(first) > len(second) else (second, first)
    return longer[left + 1 :] == shorter[left:]
