"""Product series: what a card's name begins with (`series.yaml`), and what people call it ("RTX 40 系列", "Quadro")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Final, NamedTuple

import yaml

from kb.text import fold

OTHERS: Final = "others"
_SUFFIX: Final = r"(?:[\s\-]*(?:系列|系|series|family|line))?"
_SPACES: Final = re.compile(r"[\s\-]+")


class _Rule(NamedTuple):
    name: re.Pattern[str]
    series: str
    say: tuple[str, ...]


class _Table(NamedTuple):
    brands: tuple[str, ...]
    rules: tuple[_Rule, ...]


@lru_cache(maxsize=1)
def _table() -> _Table:
    text = resources.files("kb.selection").joinpath("series.yaml").read_text(encoding="utf-8")
    table = yaml.load(text, Loader=yaml.CSafeLoader)
    rules = (
        _Rule(re.compile(row["name"], re.IGNORECASE), row["series"], tuple(row.get("say", ())))
        for row in table["rules"]
    )
    return _Table(tuple(table["brands"]), tuple(rules))


def series_of(name: str) -> str:
    """The series that a card's name states; `OTHERS` where it states none."""
    found = _found(name)
    return OTHERS if found is None else _filled(found[0].series, found[1])


def _found(name: str) -> tuple[_Rule, re.Match[str]] | None:
    return next(((rule, match) for rule in _table().rules if (match := rule.name.match(name)) is not None), None)


def _filled(template: str, match: re.Match[str]) -> str:
    """`$1` and `${1}` by what the rule's brackets hold."""
    return re.sub(r"\$\{?(\d)\}?", lambda group: match[int(group[1])], template)


class SpokenSeries:
    """What the series of a catalogue are called in texts. Immutable and safe to share between threads."""

    def __init__(self, names: Iterable[str]) -> None:
        said = {_key(brand): brand for brand in _table().brands}
        spoken = {*_table().brands}
        seen: set[object] = set()
        for rule, match in filter(None, map(_found, names)):
            if (rule, match.groups()) in seen:
                continue
            seen.add((rule, match.groups()))
            series = _filled(rule.series, match)
            for word in (series, *(_filled(word, match) for word in rule.say)):
                spoken.add(word)
                said.setdefault(_key(word), series)
        self._said: Mapping[str, str] = said
        longest_first = sorted((fold(word) for word in spoken), key=len, reverse=True)
        words = "|".join(r"[\s\-]*".join(map(re.escape, _SPACES.split(word))) for word in longest_first)
        self._pattern = re.compile(rf"(?<![a-z0-9])({words}){_SUFFIX}(?![a-z0-9\-])")

    def find(self, folded: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and value of every series that a folded text names."""
        for match in self._pattern.finditer(folded):
            yield match.start(), match.end(), self._said[_key(match[1])]


def _key(word: str) -> str:
    return _SPACES.sub("", fold(word))
