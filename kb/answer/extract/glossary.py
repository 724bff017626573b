"""Words of the field that mean the same, in one language or across both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final

import yaml

from kb.text import words

_FILE: Final = "glossary.yaml"


@dataclass(frozen=True, slots=True)
class Variants:
    """Other words for a term: Chinese ones as they stand in a text, Latin ones as search terms."""

    chinese: tuple[str, ...] = ()
    latin: tuple[str, ...] = ()


_NONE: Final = Variants()


def variants_of(term: str) -> Variants:
    """Other words for a search term, Chinese or Latin."""
    return _table().get(term, _NONE)


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Variants]:
    text = resources.files("kb.answer.extract").joinpath(_FILE).read_text(encoding="utf-8")
    groups: list[list[Any]] = yaml.load(text, Loader=yaml.CSafeLoader)
    found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for group in groups:
        chinese = [str(word) for word in group if not str(word).isascii()]
        latin = [terms[0] for word in group if str(word).isascii() and (terms := words(str(word)))]
        for term in (*chinese, *latin):
            others = found.setdefault(term, ({}, {}))
            others[0].update(dict.fromkeys(word for word in chinese if word != term))
            others[1].update(dict.fromkeys(word for word in latin if word != term))
    return {term: Variants(tuple(zh), tuple(en)) for term, (zh, en) in found.items()}
