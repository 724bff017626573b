"""What a chat model must not be told, instructions inside documents, and what it must not tell, our own rules."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

import yaml

from kb.text import sentences

WITHHELD: Final = "[…]"
"""What stands in a chat model's evidence where a document speaks to it."""
_TOKEN: Final = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_RUN: Final = 7
"""So many words, or Chinese characters, in a row are no accident."""
_SHORTEST_RUN: Final = 3
"""A sentence of fewer words says nothing of the rules."""
_ADDRESS: Final = re.compile(
    r"(?:https?|ftp|data|javascript):[^\s)\]>\"'，。；）】]*|\bwww\.[^\s)\]>\"'，。；）】]+", re.IGNORECASE
)


@lru_cache(maxsize=1)
def _table() -> tuple[tuple[str, ...], re.Pattern[str]]:
    table = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    return tuple(table["triggers"]), re.compile("|".join(f"(?:{each})" for each in table["patterns"]), re.IGNORECASE)


def speaks_to_a_model(text: str) -> bool:
    """Whether a text tells a chat model what to do, rather than a reader what is so."""
    triggers, patterns = _table()
    folded = text.lower()
    return any(trigger in folded for trigger in triggers) and patterns.search(text) is not None


def without_instructions(text: str) -> str:
    """A text of a document as a chat model gets it: sentences that speak to a model are withheld."""
    if not speaks_to_a_model(text):
        return text
    pieces: list[str] = []
    end = 0
    for span in sentences(text):
        pieces.append(text[end : span.start])
        sentence = text[span.start : span.end]
        pieces.append(WITHHELD if speaks_to_a_model(sentence) else sentence)
        end = span.end
    pieces.append(text[end:])
    # One that runs over the end of a sentence is found in the whole only.
    return _table()[1].sub(WITHHELD, "".join(pieces))


def repeats(text: str, rules: str) -> bool:
    """Whether a text says a piece of the rules word for word, or is nothing but a shorter piece of them."""
    words = _TOKEN.findall(text.lower())
    size = min(_RUN, len(words))
    if size < _SHORTEST_RUN:
        return False
    runs = _runs_of(rules, size)
    return any(tuple(words[start : start + size]) in runs for start in range(len(words) - size + 1))


@lru_cache(maxsize=8)
def _runs_of(rules: str, size: int) -> frozenset[tuple[str, ...]]:
    words = _TOKEN.findall(rules.lower())
    return frozenset(tuple(words[start : start + size]) for start in range(len(words) - size + 1))


def foreign_address(text: str, sources: str) -> bool:
    """Whether a text holds an address that no source holds: a way to carry off what the model was told."""
    return any(match.group().rstrip(".,:;") not in sources for match in _ADDRESS.finditer(text))
