"""Whether a property is said of a card, or only mentioned: "FlashAttention-3 needs Hopper" claims nothing."""

from __future__ import annotations

import re

from kb.answer.gate.scene import Scene
from kb.answer.question.scanner import Hit
from kb.types import Span

_NOT_WITHIN = 4
_SAID_WITHIN = 24
_RELEASE_GAP = 40
_BESIDE = re.compile(r"\s*(?:的|of|,|，|/|\||:|：|\(|（|-|是|用|is|'s|’s)?\s*")
_BESIDE_SIZE = re.compile(r"\s*(?:的|of|,|，|/|\||:|：|\(|（|-)?(?:\s?[a-z][a-z\-]+){0,2}\s*")
"""Between a size and its kind: `48 GB of blazing-fast GDDR6`."""


def is_said(scene: Scene, span: Span, key: str) -> bool:
    """Whether a property is said of a card: in its cell, beside its name, or with a word that says so.

    Mentioned only, as in "FlashAttention-3 needs Hopper", it claims nothing.
    """
    if scene.ambient.is_cell:
        return any(_says(hit, key) or (key == "memory_type" and hit.is_a("memory")) for hit in scene.ambient.all_words)
    groups = scene.subjects.groups
    if any(_is_beside(scene, (g.start, g.end), span) for g in groups):
        return True
    sizes = [(t.start, t.end) for t in scene.figures if t.quantity is not None and t.quantity.unit == "GB"]
    if key == "memory_type" and any(_is_beside(scene, size, span, _BESIDE_SIZE) for size in sizes):
        return True
    if any(hit.is_a("denied") and 0 <= span.start - hit.end <= _NOT_WITHIN for hit in scene.words):
        return True
    words = scene.words if key == "released_on" else scene.clause_words(span.start)
    said = [hit for hit in words if _says(hit, key)]
    within = _RELEASE_GAP if key == "released_on" else _SAID_WITHIN
    near = any(hit.start - span.end <= within and span.start - hit.end <= within for hit in said)
    return near and (bool(groups) or not scene.ambient.follows)


def _says(hit: Hit, key: str) -> bool:
    return any(tag.kind == "says" and tag.value == key for tag in hit.tags)


def _is_beside(scene: Scene, place: tuple[int, int], span: Span, gap: re.Pattern[str] = _BESIDE) -> bool:
    start, end = place
    return bool(
        gap.fullmatch(scene.folded, end, span.start)
        if end <= span.start
        else gap.fullmatch(scene.folded, span.end, start)
    )


def released_words(scene: Scene, span: Span) -> list[Hit]:
    """The words near a date that make it one of release, with what kind of release they say."""
    _, end = scene.clause_of(span.end - 1)
    before = [h for h in scene.words if 0 <= span.start - h.end <= _RELEASE_GAP]
    near = [*before, *(h for h in scene.words if span.end <= h.start < min(end, span.end + _RELEASE_GAP))]
    near += scene.ambient.all_words
    return near if any(hit.is_a("released") for hit in near) else []
