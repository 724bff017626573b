"""What extraction says in its own words, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

import yaml

from kb.types import Language


def say(key: str, language: Language, **words: object) -> str:
    """A phrase of `phrases.yaml` with its words filled in."""
    return _phrases()[key][language].format(**words)


@lru_cache(maxsize=1)
def _phrases() -> Mapping[str, Mapping[str, str]]:
    text = resources.files("kb.answer.extract").joinpath("phrases.yaml").read_text(encoding="utf-8")
    phrases: Mapping[str, Mapping[str, str]] = yaml.load(text, Loader=yaml.CSafeLoader)
    return phrases
