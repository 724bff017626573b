"""Typing errors in the words of a question; names of cards have rules of their own."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from kb.answer.question.scanner import Hit, one_slip_apart
from kb.answer.question.vocabulary import Vocabulary

_MEANINGFUL = (
    "field",
    "precision",
    "superlative",
    "compute",
    "bandwidth",
    "modifier",
    "memory_type",
    "direction",
    "link",
)

_REMEMBERED = 4096


class Spelling:
    """Mends words by the vocabulary."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        # A slip leaves a word's first letter or its last: only words that share one are compared.
        self._slip_words: dict[str, list[str]] = {}
        for word, tags in words.scanner.latin_words.items():
            if len(word) >= 5 and any(tag.kind in _MEANINGFUL for tag in tags):
                self._slip_words.setdefault(f"{word[0]}…", []).append(word)
                self._slip_words.setdefault(f"…{word[-1]}", []).append(word)
        self._nearest = lru_cache(maxsize=_REMEMBERED)(self._one_slip_away)

    def mended(self, masked: str) -> str:
        """The text with slips of Chinese input put right; its length stays."""
        for wrong, right in self._words.slips.items():
            if wrong in masked:
                masked = masked.replace(wrong, right)
        return masked

    def mended_hits(self, masked: str, hits: list[Hit]) -> list[Hit]:
        """The words found, slips read as what they stand for, with those that are one slip away from a known word."""
        return self._mend_latin(masked, [self._resolve_slip(hit) for hit in hits])

    def _resolve_slip(self, hit: Hit) -> Hit:
        right = hit.value("slip")
        return replace(hit, tags=self._words.scanner.tags_of(right)) if right else hit

    def _mend_latin(self, masked: str, hits: list[Hit]) -> list[Hit]:
        """Latin words that no entry explains, read as the vocabulary's word one slip away."""
        mended: list[Hit] = []
        for match in re.finditer(r"(?<![a-z0-9])[a-z]{5,}(?![a-z0-9])", masked):
            if any(hit.start <= match.start() < hit.end for hit in hits):
                continue
            word = match.group()
            right = self._nearest(word)
            if right is not None:
                mended.append(Hit(match.start(), match.end(), word, self._words.scanner.tags_of(right)))
        return sorted([*hits, *mended], key=lambda hit: hit.start) if mended else hits

    def _one_slip_away(self, word: str) -> str | None:
        """The vocabulary's word that was meant; None if there is none."""
        candidates = (*self._slip_words.get(f"{word[0]}…", ()), *self._slip_words.get(f"…{word[-1]}", ()))
        return next((known for known in candidates if one_slip_apart(word, known)), None)
