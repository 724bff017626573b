"""Learning at build what weak evidence looks like in a corpus.

Nobody gives questions, so the corpus makes its own: a sentence loses a stretch (what would be asked for) and half of
its other words, and becomes a question. Searched with its passage present it shows what evidence looks like, with the
passage left out what its absence does. Such questions are easier than real ones and always share words with their
passage, so they move the threshold within narrow bounds only; questions that people give set it outright.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from kb.answer.calibration_questions import kept_questions
from kb.answer.refusal import DEFAULT_THRESHOLD, Calibration, evidence_strength
from kb.answer.signals import Signals, read_signals
from kb.embeddings.base import Embedder
from kb.index.generation import Generation
from kb.retrieval.hybrid import HybridRetriever
from kb.text import sentences, words
from kb.types import Chunk, Language, SearchResult

_QUESTIONS: Final = 120
_FEWEST: Final = 30
"""Of fewer questions nothing is learned."""
_HITS: Final = 8
_LOWEST_THRESHOLD: Final = -1.5
_HIGHEST_THRESHOLD: Final = -1.2
_FALSE_REFUSALS: Final = 0.05
_KEPT_UP_TO: Final = 0.05
"""Share of the corpus that may change until it is learned anew: far less than moves a tenth of 120 questions."""

_MIN_TERMS: Final = 6
_MAX_TERMS: Final = 60
_ASKED_SHARE: Final = 0.25
_KEPT_SHARE: Final = 0.5
_LATIN_WORD: Final = re.compile(r"[\w'./+-]*\w")


def calibrate(
    generation: Generation,
    embedder: Embedder,
    cross_embedder: Embedder | None = None,
    *,
    before: Mapping[str, Any] | None = None,
    changed: float = 1.0,
) -> Mapping[str, Any]:
    """Learn from the questions kept for this index, else from the corpus itself; builds call it by its entry point.

    It takes two to five seconds on one CPU core, so what was learned is kept until a twentieth of the corpus is
    another; the manifest says how much is.

    Args:
        generation: what was written.
        embedder: made its vectors.
        cross_embedder: made its second vectors.
        before: what this function gave for the index before, if the same models and code made it.
        changed: share of the passages that are others than there, 0–1.
    """
    questions = kept_questions(generation.folder.parent)
    since = float((before or {}).get("changed_since", 0.0)) + changed
    if before and before.get("learned_from") == _basis(questions) and since <= _KEPT_UP_TO:
        return {**before, "changed_since": round(since, 6)}
    retriever = HybridRetriever(embedder, cross_embedder)
    learned = (
        calibration_on(signals_of(generation, retriever, questions))
        if questions
        else calibration_of(generation, retriever)
    )
    return as_manifest(learned, questions)


def as_manifest(learned: Calibration, questions: Sequence[str]) -> dict[str, Any]:
    """What the manifest says of what was just learned; without questions the corpus itself taught."""
    return {**learned.to_manifest(), "learned_from": _basis(questions), "changed_since": 0.0}


def _basis(questions: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(questions).encode("utf-8", "replace")).hexdigest()[:16] if questions else "corpus"


def calibration_of(generation: Generation, retriever: HybridRetriever) -> Calibration:
    """What the corpus teaches."""
    present: list[float] = []
    absent: list[float] = []
    for chunk, question in _made_questions(generation):
        found = retriever.search(generation, question, top_k=_HITS)
        present.append(evidence_strength(read_signals(question, found, generation)))
        absent.append(evidence_strength(read_signals(question, _without(found, chunk), generation)))
        if len(present) == _QUESTIONS:
            break
    if len(present) < _FEWEST:
        return Calibration(questions=len(present))
    wanted = min(float(np.quantile(absent, 0.9)), float(np.quantile(present, 0.1)))
    threshold = float(np.clip(wanted, _LOWEST_THRESHOLD, _HIGHEST_THRESHOLD))
    return Calibration(threshold, len(present))


def calibration_on(signals: Sequence[Signals]) -> Calibration:
    """What questions that the corpus answers teach, about 50 of them.

    Args:
        signals: of each question, see `signals_of`.

    Raises:
        ValueError: if there are no questions.
    """
    if not signals:
        raise ValueError("no questions to calibrate on")
    # Between few questions and the default the truth lies nearer to the default.
    trust = len(signals) / (len(signals) + _FEWEST)
    learned = float(np.quantile([evidence_strength(one) for one in signals], _FALSE_REFUSALS))
    return Calibration(trust * learned + (1 - trust) * DEFAULT_THRESHOLD, len(signals))


def signals_of(generation: Generation, retriever: HybridRetriever, questions: Sequence[str]) -> list[Signals]:
    """What a search finds for each question."""
    return [
        read_signals(question, retriever.search(generation, question, top_k=_HITS), generation)
        for question in questions
    ]


def _made_questions(generation: Generation) -> Iterator[tuple[Chunk, str]]:
    """Questions from chunks in an order that only depends on their ids."""
    ids = sorted(range(len(generation.chunks)), key=lambda row: random.Random(row).random())
    for row in ids:
        chunk = generation.chunks[row]
        if chunk.kind != "text":
            continue
        chance = random.Random(chunk.chunk_id)
        spans = sentences(chunk.text)
        chance.shuffle(spans)
        for span in spans:
            question = _question_from(chunk.text[span.start : span.end], chunk.language, chance)
            if question:
                yield chunk, question
                break


def _question_from(sentence: str, language: Language, chance: random.Random) -> str:
    terms = _LATIN_WORD.findall(sentence) if language == "en" else words(sentence)
    if not _MIN_TERMS <= len(terms) <= _MAX_TERMS:
        return ""
    asked = max(1, round(len(terms) * _ASKED_SHARE))
    start = chance.randrange(len(terms) - asked + 1)
    kept = [term for term in terms[:start] + terms[start + asked :] if chance.random() < _KEPT_SHARE]
    if not kept:
        return ""
    return f"What {' '.join(kept)}?" if language == "en" else f"{''.join(kept)}是什么？"


def _without(result: SearchResult, chunk: Chunk) -> SearchResult:
    """The same search had the passage not been there."""
    hits = tuple(hit for hit in result.hits if hit.chunk.chunk_id != chunk.chunk_id)
    own = [hit for hit in hits if hit.contributions.cross is None]
    scores = [hit.score for hit in own[:6]]
    margin = scores[0] - sum(scores[1:]) / (len(scores) - 1) if len(scores) > 1 else sum(scores)
    dense = max(own, key=lambda hit: hit.contributions.dense or 0.0, default=None)
    sparse = max(own, key=lambda hit: hit.contributions.sparse or 0.0, default=None)
    return replace(result, hits=hits, signals=replace(result.signals, margin=margin, agreement=dense is sparse))
