"""The field's terms in both languages: a question in one gets the words of the other for the lexical leg."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

import yaml

from kb.text import CJK, STOP_WORDS, fold
from kb.types import Language

_CJK_RUN: Final = re.compile(f"[{CJK}]+")
_LATIN_RUN: Final = re.compile(r"[A-Za-z0-9][\w./+-]*")


@dataclass(frozen=True, slots=True)
class Translation:
    """What a passage in the other language may say instead of a question's words.

    Attributes:
        text: known terms translated, codes and figures as they are.
        share: part of the question's content that this is, 0–1.
    """

    text: str
    share: float


def translate(question: str, language: Language) -> Translation:
    """Translate the terms of a question that the glossary knows; other words stand in no passage anyway."""
    folded = fold(question)
    return _from_chinese(folded) if language == "zh" else _from_english(folded)


def _from_chinese(folded: str) -> Translation:
    pattern, translations = _glossary()["zh"]
    kept = _LATIN_RUN.findall(folded)
    found = [term for run in _CJK_RUN.findall(folded) for term in pattern.findall(run)]
    characters = sum(map(len, _CJK_RUN.findall(folded)))
    known = sum(map(len, found)) + 2 * len(kept)
    words_of_it = (*kept, *(word for term in found for word in translations[term]))
    return Translation(" ".join(words_of_it), known / max(1, characters + 2 * len(kept)))


def _from_english(folded: str) -> Translation:
    pattern, translations = _glossary()["en"]
    content = [word for word in _LATIN_RUN.findall(folded) if word not in STOP_WORDS]
    kept = [word for word in content if any(char.isdigit() for char in word)]
    found = pattern.findall(folded)
    known = sum(len(term.split()) for term in found) + len(kept)
    words_of_it = (*kept, *(word for term in found for word in translations[term]))
    return Translation(" ".join(words_of_it), min(1.0, known / max(1, len(content))))


@cache
def _glossary() -> dict[Language, tuple[re.Pattern[str], dict[str, tuple[str, ...]]]]:
    text = yaml.safe_load(resources.files("kb.retrieval").joinpath("glossary.yaml").read_text("utf-8"))["terms"]
    to_english: dict[str, tuple[str, ...]] = {}
    to_chinese: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        chinese, english = ([word.strip() for word in side.split(",")] for side in line.split("="))
        for word in chinese:
            to_english[word] = (*to_english.get(word, ()), *english)
        for word in english:
            to_chinese[fold(word)] = (*to_chinese.get(fold(word), ()), *chinese)
    return {"zh": (_any_of(to_english, ""), to_english), "en": (_any_of(to_chinese, r"\b", "s?"), to_chinese)}


def _any_of(terms: dict[str, tuple[str, ...]], border: str, plural: str = "") -> re.Pattern[str]:
    longest_first = sorted(terms, key=lambda term: (-len(term), term))
    return re.compile(f"{border}({'|'.join(map(re.escape, longest_first))}){plural}{border}")
