"""Typing errors in the words of a question; names of cards have rules of their own."""

from __future__ import annotations

import re
from dataclasses import replace

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


class Spelling:
    """Mends words by the vocabulary."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._slip_words = [
            word
            for word, tags in words.scanner.latin_words.items()
            if len(word) >= 5 and any(tag.kind in _MEANINGFUL for tag in tags)
        ]

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
            right = next((known for known in self._slip_words if one_slip_apart(word, known)), None)
            if right is not None:
                mended.append(Hit(match.start(), match.end(), word, self._words.scanner.tags_of(right)))
        return sorted([*hits, *mended], key=lambda hit: hit.start) if mended else hits
