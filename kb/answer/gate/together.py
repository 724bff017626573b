"""Figures and words of one sentence, judged together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kb.answer.gate.claims import FigureClaim, WordClaim
from kb.answer.gate.judged import Judged
from kb.quantity import NumberToken

JudgedFigure = tuple[NumberToken, FigureClaim, Judged]
JudgedWord = tuple[WordClaim, Judged]

_OF_VERSION = re.compile(r"\s?(?:boards?|cards?|models?|versions?|版)", re.IGNORECASE)
_TOGETHER = re.compile(r"\s*(?:的|of|,|/)?\s*")
_OR = re.compile(r"\s*(?:/|or|或者?)\s*", re.IGNORECASE)


def words_together(text: str, words: Sequence[JudgedWord], figures: Sequence[JudgedFigure]) -> list[JudgedWord]:
    """Words after a look at the figures and words beside them."""
    joint = [(claim, _jointly(text, claim, judged, figures)) for claim, judged in words]
    return [(claim, _alternative(text, claim, judged, joint)) for claim, judged in joint]


def figures_together(figures: Sequence[JudgedFigure]) -> list[JudgedFigure]:
    """Figures after a look at the others of their sentence."""
    return [(token, claim, _discussed(judged, figures)) for token, claim, judged in figures]


def _jointly(text: str, word: WordClaim, judged: Judged, figures: Sequence[JudgedFigure]) -> Judged:
    """`40GB HBM2e`: size and kind written together must be those of one version."""
    if word.field != "memory_type" or judged.verdict != "supported":
        return judged
    for token, _, size in figures:
        beside = _TOGETHER.fullmatch(text, token.end, word.span.start) or _TOGETHER.fullmatch(
            text, word.span.end, token.start
        )
        if beside is None or _OF_VERSION.match(text, token.end):
            continue  # "40 GB boards have HBM2, 80 GB boards HBM2e"
        if size.key == "memory_gb" and size.verdict == "supported" and not set(size.ids) & set(judged.ids):
            return replace(judged, verdict="contradicted", reason="joint")
    return judged


def _alternative(text: str, word: WordClaim, judged: Judged, words: Sequence[JudgedWord]) -> Judged:
    """`GDDR5 or GDDR5X`: if one of two put up for choice is right, the other is not wrong."""
    if judged.verdict != "contradicted":
        return judged
    for other, verdict in words:
        one, two = sorted((word.span, other.span), key=lambda span: span.start)
        if other.field == word.field and verdict.verdict == "supported" and _OR.fullmatch(text, one.end, two.start):
            return Judged("unknown", judged.ids, judged.key)
    return judged


def _discussed(judged: Judged, figures: Sequence[JudgedFigure]) -> Judged:
    """A wrong figure that is known to circulate, in one sentence with the right one: the text is about it."""
    if judged.verdict != "contradicted" or judged.reason != "rejected":
        return judged
    right = [other for _, _, other in figures if other.verdict == "supported" and other.key == judged.key]
    is_beside = any(set(other.ids) & set(judged.ids) for other in right)
    return Judged("unknown", judged.ids, judged.key) if is_beside else judged
