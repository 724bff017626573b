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


NO_VARIANTS: Final = Variants()


def variants_of(term: str) -> Variants:
    """Other words for a search term, Chinese or Latin."""
    return _table().get(term, NO_VARIANTS)


def is_vendor(term: str) -> bool:
    """Whether a search term names a vendor or its product line."""
    return term in _vendors()


@lru_cache(maxsize=1)
def _vendors() -> frozenset[str]:
    named = (str(word) for group in _groups()["vendors"] for word in group)
    return frozenset(term for word in named for term in (word, *words(word)[:1]))


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, list[list[Any]]]:
    text = resources.files("kb.answer.extract").joinpath(_FILE).read_text(encoding="utf-8")
    groups: Mapping[str, list[list[Any]]] = yaml.load(text, Loader=yaml.CSafeLoader)
    return groups


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Variants]:
    groups = _groups()
    found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for group in (*groups["words"], *groups["vendors"]):
        chinese = [str(word) for word in group if not str(word).isascii()]
        latin = [terms[0] for word in group if str(word).isascii() and (terms := words(str(word)))]
        for term in (*chinese, *latin):
            others = found.setdefault(term, ({}, {}))
            others[0].update(dict.fromkeys(word for word in chinese if word != term))
            others[1].update(dict.fromkeys(word for word in latin if word != term))
    return {term: Variants(tuple(zh), tuple(en)) for term, (zh, en) in found.items()}
