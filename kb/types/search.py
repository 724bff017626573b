"""What a search is given and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kb.types.documents import Chunk, Language, Span
from kb.types.stages import Stage

SearchMode = Literal["hybrid", "dense", "sparse"]


@dataclass(frozen=True, slots=True)
class Filters:
    """Limits of a search; an empty tuple limits nothing."""

    vendor: tuple[str, ...] = ()
    gpu: tuple[str, ...] = ()
    doc_id: tuple[str, ...] = ()
    doc_type: tuple[str, ...] = ()
    published_after: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is limited."""
        return self == Filters()


@dataclass(frozen=True, slots=True)
class Contributions:
    """How each leg rated a hit; `None` where the leg did not see it. Each score lies in 0–1."""

    dense: float | None = None
    sparse: float | None = None
    cross: float | None = None
    rerank: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One found passage.

    Attributes:
        rank: from 1.
        score: 0–1, higher is better; never increases with rank, except at slots reserved for the other language.
        piece: the span of the best matching piece in the document.
    """

    chunk: Chunk
    rank: int
    score: float
    contributions: Contributions
    piece: Span


@dataclass(frozen=True, slots=True)
class SearchSignals:
    """What a search noticed besides its hits.

    Attributes:
        language: of the question as it was searched.
        crossing: the first hit is a passage in the other language.
        is_foreign: nothing that may be found is in the question's own language.
        margin: how far the best score of the ranking that leads stands above the mean of its ranks 2–6.
        agreement: the dense and the lexical leg rate the same passage best.
        unknown_codes: card or part numbers of the question that stand nowhere in the corpus.
        named_documents: doc_ids that the question names; the hits are limited to them.
    """

    language: Language = "en"
    crossing: bool = False
    is_foreign: bool = False
    margin: float = 0.0
    agreement: bool = False
    unknown_codes: tuple[str, ...] = ()
    named_documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search found, and how long each stage took."""

    hits: tuple[Hit, ...]
    timings_ms: Mapping[Stage, float]
    warnings: tuple[str, ...] = ()
    signals: SearchSignals = field(default_factory=SearchSignals)
