"""The words of conditions (`words.yaml`), with the fields', vendors' and scenarios' own; the longest match wins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

import yaml

from kb.selection.scenarios import Scenarios
from kb.selection.series import SpokenSeries
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS
from kb.text import fold

_IGNORED: Final = " \t-‐‑_·"
_ASKS: Final = re.compile(r"多少|几|谁|哪|什么|吗$|多大|何时|\b(?:how|which|what|who|when|is it)\b")
_LINKS: Final = frozenset({"interconnect", "interconnect_gb_s"})
_THROUGHPUT: Final = re.compile(r"(?:_tflops|_tops)(?:_sparse)?$")


class Tag(NamedTuple):
    """What a word does: a kind (`before`, `field`, `vendor`…) and a value."""

    kind: str
    value: str = ""


@lru_cache(maxsize=1)
def read_words() -> Mapping[str, Any]:
    """The table of words, read once."""
    text = resources.files("kb.selection.interpretation").joinpath("words.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return loaded


@dataclass(frozen=True, slots=True)
class Match:
    """A word found at a place."""

    end: int
    tags: tuple[Tag, ...]


class Lexicon:
    """All words with what they may do. Immutable and safe to share between threads.

    Attributes:
        series: what product series are called.
    """

    def __init__(self, catalog: Catalog, scenarios: Scenarios) -> None:
        self.series = SpokenSeries(name for _, name, *_ in catalog.names())
        self._tags: dict[str, tuple[Tag, ...]] = {}
        table = read_words()
        for kind, rows in table.items():
            if kind == "superlative":
                for position, row in enumerate(rows):
                    self._add(row["words"], Tag(kind, str(position)))
            elif isinstance(rows, dict):
                for value, words in rows.items():
                    self._add(words, Tag(kind, value))
            else:
                for word in rows:
                    self._add([word], Tag(kind, word if kind in _NAMED_BY_WORD else ""))
        for vendor in catalog.vendors.values():
            names = {vendor.name, vendor.name_zh, *vendor.aliases}
            self._add(names, Tag("vendor", vendor.name))
        for scenario in scenarios.values():
            self._add(scenario.words, Tag("scenario", scenario.name))
        self._add_fields()
        self._prefixes = frozenset(word[:size] for word in self._tags for size in range(1, len(word) + 1))

    def _add(self, words: Iterable[str], tag: Tag) -> None:
        for word in words:
            squeezed = _squeezed(fold(word))
            self._tags[squeezed] = tuple(dict.fromkeys((*self._tags.get(squeezed, ()), tag)))

    def _add_fields(self) -> None:
        """The fields' own terms, where no word above says otherwise, and no question is asked by them."""
        own = set(self._tags)
        for key, field in FIELDS.items():
            self._add([key], Tag("field", key))
            if key in _LINKS or (_THROUGHPUT.search(key) and "acc_" not in key and "measured" not in key):
                continue  # read by the words they are put together from
            terms = [term for term in (*field.terms_zh, *field.terms_en) if not _ASKS.search(fold(term))]
            self._add([term for term in terms if _squeezed(fold(term)) not in own], Tag("field", key))

    def match(self, folded: str, start: int, stop: int) -> Match | None:
        """The longest word that begins at `start` and ends by `stop`."""
        if folded[start] in _IGNORED or (_is_latin(folded[start]) and start and _is_latin(folded[start - 1])):
            return None
        squeezed = ""
        found: Match | None = None
        for end in range(start, stop):
            if folded[end] in _IGNORED:
                continue
            squeezed += folded[end]
            if squeezed not in self._prefixes:
                break
            tags = self._tags.get(squeezed)
            if tags and not (_is_latin(folded[end]) and end + 1 < len(folded) and _is_latin(folded[end + 1])):
                found = Match(end + 1, tags)
        return found


_NAMED_BY_WORD: Final = frozenset({"link_kind", "memory_kind", "architecture", "unit"})
"""Kinds whose value is the word itself."""


def _squeezed(folded: str) -> str:
    return "".join(character for character in folded if character not in _IGNORED)


def _is_latin(character: str) -> bool:
    return character.isascii() and character.isalnum()
