"""Whether what was found holds the answer, or the question must be refused.

A weighted sum of signals (`kb.answer.signals`) against a threshold. The weights are general: fitted on public questions
in both languages and on this project's own, each with its passage present and taken out; fitted on the project's
questions alone they do as well on the public ones. Where the threshold lies is learned from each corpus at build
(`kb.answer.calibration`), within narrow bounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from kb.answer.signals import Signals, read_signals
from kb.index.generation import Generation
from kb.types import SearchResult

CALIBRATION_KEY: Final = "refusal"
"""Name of the entry point that learns, and of what it learned in the manifest."""

RefusalReason = Literal["", "nothing_found", "missing_codes", "weak_evidence"]

# bench/quality/fit_refusal.py prints these.
_WEIGHTS: Final[Mapping[str, float]] = {
    "top": 1.6,
    "margin": 3.0,
    "lead": 4.0,
    "dense": 4.7,
    "words": 2.9,
    "bigrams": 3.0,
    "agreement": 0.4,
}
_BIAS: Final = -7.35
_ENGLISH: Final = 0.6
"""Words of English questions are met less often as they stand (they are inflected): at one threshold English questions
were refused wrongly half as often again as Chinese ones."""
_MISSING_UNIT: Final = -3.0
_UNKNOWN_DOCUMENT: Final = -3.0
_BOUND: Final = 0.5
"""Less of the question's other words beside a code speaks against it."""
_UNBOUND: Final = -4.0

DEFAULT_THRESHOLD: Final = -1.3
"""About 4 % of answerable questions lie below, and 80 % or more of those whose passage is missing."""
_LOWEST_CROSS: Final = 0.26
"""Score of a passage in the other language that may hold the answer, where there are none in the question's own."""
_LEADING_CROSS: Final = 0.44
"""The same where it came before passages in the question's own language."""
_BESIDE_CROSS: Final = 0.5
"""The same where it did not, and those do not hold the answer."""
_CROSS_SLOPE: Final = 10.0
"""Brings the distance of such a score to the scale of evidence."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a corpus taught.

    Attributes:
        threshold: evidence below it is too weak.
        questions: how many it was learned from; 0 for the default.
    """

    threshold: float = DEFAULT_THRESHOLD
    questions: int = 0

    @classmethod
    def from_manifest(cls, calibration: Mapping[str, Any]) -> Calibration:
        """From `Manifest.calibration`; the default if nothing was learned."""
        stored = calibration.get(CALIBRATION_KEY) or {}
        return cls(float(stored.get("threshold", DEFAULT_THRESHOLD)), int(stored.get("questions", 0)))

    def to_manifest(self) -> dict[str, Any]:
        """As `Manifest.calibration` holds it, under `CALIBRATION_KEY`."""
        return {"threshold": round(self.threshold, 3), "questions": self.questions}


@dataclass(frozen=True, slots=True)
class RefusalDecision:
    """Whether to refuse, and why.

    Attributes:
        reason: empty if the question is not refused.
        confidence: 0–1, that what was found holds the answer; 0.5 at the threshold.
    """

    refuse: bool
    reason: RefusalReason
    confidence: float
    signals: Signals


def evidence_strength(signals: Signals) -> float:
    """How much speaks for an answer in passages of the question's own language; any number, more is better."""
    strength = (
        _BIAS
        + _ENGLISH * (signals.language == "en")
        + sum(weight * float(getattr(signals, name)) for name, weight in _WEIGHTS.items())
    )
    return strength + _objections(signals)


def _objections(signals: Signals) -> float:
    """What speaks against passages of either language."""
    against = _UNBOUND * max(0.0, _BOUND - signals.bound)
    if signals.is_unit_missing:
        against += _MISSING_UNIT
    if signals.is_document_unknown:
        against += _UNKNOWN_DOCUMENT
    return against


def decide(signals: Signals, calibration: Calibration) -> RefusalDecision:
    """Decide from what was read."""
    if not signals.has_own and not signals.cross_top:
        return RefusalDecision(True, "nothing_found", 0.0, signals)
    if signals.missing_codes:
        return RefusalDecision(True, "missing_codes", 0.0, signals)
    strength = -math.inf
    if signals.has_own:
        strength = evidence_strength(signals) - calibration.threshold
    if signals.cross_top:
        strength = max(strength, _CROSS_SLOPE * (signals.cross_top - _least_cross(signals)) + _objections(signals))
    confidence = 1 / (1 + math.exp(-strength))
    if strength < 0:
        return RefusalDecision(True, "weak_evidence", confidence, signals)
    return RefusalDecision(False, "", confidence, signals)


def _least_cross(signals: Signals) -> float:
    if not signals.has_own:
        return _LOWEST_CROSS
    return _LEADING_CROSS if signals.crossing else _BESIDE_CROSS


def judge(question: str, result: SearchResult, generation: Generation) -> RefusalDecision:
    """Read what a search found, and decide by what the generation's build learned."""
    return decide(
        read_signals(question, result, generation), Calibration.from_manifest(generation.manifest.calibration)
    )
