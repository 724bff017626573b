"""Hybrid search: dense and lexical scores mixed, the other language given its places."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from kb.embeddings.base import Embedder
from kb.errors import RequestError
from kb.index.generation import Generation
from kb.retrieval.authors import documents_by_author
from kb.retrieval.background import Background
from kb.retrieval.cross import Crossing, CrossLeg, SecondOpinion
from kb.retrieval.dense import best_piece, piece_cosines
from kb.retrieval.filters import allowed_chunks
from kb.retrieval.fusion import CROSS_PLACES, LEADING_PLACES, Scores, best_rows, interleave, mix
from kb.retrieval.query import SearchQuery
from kb.retrieval.sparse import SparseScores, sparse_scores, translated_scores
from kb.retrieval.view import GenerationView
from kb.timings import Timings
from kb.types import Contributions, Filters, Hit, SearchMode, SearchResult, SearchSignals, Stage

LOWEST_SCORE: Final = 0.1
"""A passage below is no hit."""
MOST_HITS: Final = 100

T = TypeVar("T")

_RUNNERS_UP: Final = 5
_MOST_THREADS: Final = 32
_HEAD_START_S: Final = 0.0003


class HybridRetriever:
    """Finds passages; safe to use from several threads.

    A score lies in 0–1. In the question's own language it is 0.6 times the dense score (cosine to the best piece, from
    0 for unrelated texts to 1) plus 0.4 times the lexical score (1 where the passage holds every term of the question
    once). For a passage in the other language it is the cross-language score, brought to the same scale.

    Args:
        embedder: must be the model that made the index.
        cross_embedder: the second encoder; None goes without.
    """

    def __init__(self, embedder: Embedder, cross_embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self._cross_embedder = cross_embedder
        self._views: WeakKeyDictionary[Generation, GenerationView] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="beside")

    @cached_property
    def background(self) -> Background:
        """What the embedding model says of unrelated texts; measured once."""
        return Background.measure(self._embedder)

    def prepare(self, generation: Generation) -> GenerationView:
        """Compute what searches of a generation share, so that the first of them does not wait for it."""
        with self._lock:
            view = self._views.get(generation)
            if view is None:
                view = self._views[generation] = GenerationView(generation, self.background)
            return view

    def search(
        self,
        generation: Generation,
        text: str,
        *,
        top_k: int = 10,
        mode: SearchMode = "hybrid",
        filters: Filters | None = None,
        codes: tuple[str, ...] = (),
        meanwhile: Callable[[], object] | None = None,
    ) -> SearchResult:
        """Passages for a question, best first.

        Args:
            generation: to search.
            text: the question; blank finds nothing.
            top_k: at most so many, 1–100.
            mode: `dense` and `sparse` use one leg alone.
            filters: limits.
            codes: names of cards that the caller found in the question, for exact matches.
            meanwhile: the caller's work that needs no result, done in another thread while the model computes; in mode
                `sparse` there is no such time and it is not called.

        Raises:
            RequestError: if `top_k` is out of range.
        """
        if not 1 <= top_k <= MOST_HITS:
            raise RequestError(f"top_k is {top_k}.", f"Give a number from 1 to {MOST_HITS}.")
        if not text.strip():
            return SearchResult((), {})
        query = SearchQuery.read(text, codes)
        return _Search(self, self.prepare(generation), query, mode, filters or Filters(), meanwhile).result(top_k)

    def embed_beside(self, text: str, work: Callable[[], T]) -> tuple[NDArray[np.float32], T]:
        """A question's vector, and what other work gave meanwhile in a second thread.

        The model keeps this thread and leaves the interpreter to the other one while it computes. It has a head start:
        its tokenizer lets go of the interpreter for a moment, and a busy thread would not give it back for 5 ms.
        """

        def begin_later() -> T:
            time.sleep(_HEAD_START_S)
            return work()

        other = self._threads.submit(begin_later)
        try:
            vector = self._embedder.embed_queries([text])[0]
        finally:
            wait((other,))
        return vector, other.result()

    def cross_embed(self, text: str) -> NDArray[np.float32] | None:
        """A question's vector by the second encoder; None without one."""
        return self._cross_embedder.embed_queries([text])[0] if self._cross_embedder else None


@dataclass(frozen=True, slots=True)
class _Legs:
    """What each leg says of every chunk, `cosines` of every piece; `translated` is for the other language."""

    dense: Scores
    sparse: SparseScores
    cosines: Scores | None = None
    cross: CrossLeg | None = None
    translated: SparseScores | None = None


class _Search:
    """One search, from scores to hits."""

    def __init__(
        self,
        retriever: HybridRetriever,
        view: GenerationView,
        query: SearchQuery,
        mode: SearchMode,
        filters: Filters,
        meanwhile: Callable[[], object] | None,
    ) -> None:
        self._retriever = retriever
        self._view = view
        self._query = query
        self._mode = mode
        self._meanwhile = meanwhile
        self._timings = Timings()
        self._documents = () if filters.doc_id else _named_documents(view, query.text)
        self._allowed = allowed_chunks(view, filters, self._documents)

    def result(self, top_k: int) -> SearchResult:
        legs = self._legs()
        with self._timings.stage("fuse"):
            main = self._limited(self._main(legs))
            own = best_rows(main, max(top_k, _RUNNERS_UP + 1))
            crossing = self._crossing(legs, main)
            rows = interleave(
                own if crossing is None or crossing.has_own else (),
                best_rows(crossing.scores, top_k) if crossing else (),
                top_k,
                LEADING_PLACES if crossing and crossing.is_leading else CROSS_PLACES,
            )
            scores = main if crossing is None else np.maximum(main, crossing.scores)
            hits = self._hits(rows, np.minimum(scores, 1), legs, crossing)
        return SearchResult(hits, self._stage_times(), signals=self._signals(legs, main, own, crossing, hits))

    # ------------------------------------------------------------ scoring

    def _legs(self) -> _Legs:
        if self._mode == "sparse":
            return _Legs(np.zeros(len(self._view), np.float32), self._sparse())
        with self._timings.stage("embed"):
            query, (sparse, second, translated) = self._retriever.embed_beside(self._query.text, self._beside)
        with self._timings.stage("dense"):
            background = self._retriever.background
            cosines = piece_cosines(self._view.generation.vectors, query)
            dense = background.relevance(self._view.best_by_chunk(cosines))
            leg = None
            if self._crosses:
                leg = CrossLeg(self._view, background, self._query.language, query, cosines, second)
        return _Legs(dense, sparse, cosines, leg, translated)

    def _beside(self) -> tuple[SparseScores, SecondOpinion | None, SparseScores | None]:
        """What needs no vector of the first encoder: both lexical scores and what the second encoder says."""
        sparse = self._sparse()
        if self._meanwhile is not None:
            self._meanwhile()
        if not self._crosses:
            return sparse, None, None
        translated = None if self._mode == "dense" else self._translated(sparse)
        second = SecondOpinion.read(self._view, self._retriever.cross_embed(self._query.text))
        return sparse, second, translated

    def _sparse(self) -> SparseScores:
        with self._timings.stage("sparse"):
            return sparse_scores(self._view, self._query)

    @cached_property
    def _crosses(self) -> bool:
        """Whether passages in the other language can be found for this question."""
        return not self._query.is_neutral and self._view.has_other_than(self._query.language)

    def _main(self, legs: _Legs) -> Scores:
        if self._mode == "sparse":
            return legs.sparse.total
        return legs.dense if self._mode == "dense" else mix(legs.dense, legs.sparse.lexical) + legs.sparse.codes

    def _crossing(self, legs: _Legs, main: Scores) -> Crossing | None:
        return None if legs.cross is None else legs.cross.rank(main, legs.translated, self._allowed)

    def _translated(self, sparse: SparseScores) -> SparseScores:
        """What the lexical leg finds in the other language: the question's words as they are, and translated."""
        with self._timings.stage("sparse"):
            translated = translated_scores(self._view, self._query)
        return replace(sparse, lexical=np.minimum(sparse.lexical, 1) + np.minimum(translated, 1))

    def _limited(self, scores: Scores) -> Scores:
        return scores if self._allowed is None else np.where(self._allowed, scores, np.float32(-np.inf))

    # ------------------------------------------------------------ reporting

    def _hits(self, rows: Iterable[int], scores: Scores, legs: _Legs, crossing: Crossing | None) -> tuple[Hit, ...]:
        found = [row for row in rows if scores[row] >= LOWEST_SCORE]
        return tuple(self._hit(rank, row, scores, legs, crossing) for rank, row in enumerate(found, start=1))

    def _hit(self, rank: int, row: int, scores: Scores, legs: _Legs, crossing: Crossing | None) -> Hit:
        chunk = self._view.generation.chunks[row]
        piece = 0 if legs.cosines is None else best_piece(self._view, legs.cosines, row)
        is_other = crossing is not None and bool(np.isfinite(crossing.scores[row]))
        return Hit(
            chunk=chunk,
            rank=rank,
            score=float(scores[row]),
            contributions=Contributions(
                dense=None if legs.cosines is None else float(legs.dense[row]),
                sparse=None if self._mode == "dense" else float(min(legs.sparse.lexical[row], 1)),
                cross=float(np.clip(crossing.similarities[row], 0, 1)) if crossing and is_other else None,
            ),
            piece=chunk.pieces[piece],
        )

    def _signals(
        self, legs: _Legs, main: Scores, own: list[int], crossing: Crossing | None, hits: tuple[Hit, ...]
    ) -> SearchSignals:
        doc_ids = self._view.names.doc_ids
        return SearchSignals(
            language=self._query.language,
            crossing=bool(hits) and hits[0].contributions.cross is not None,
            is_foreign=crossing is not None and not crossing.has_own,
            margin=_margin(main[own]),
            agreement=legs.cosines is not None and bool(np.argmax(legs.dense) == np.argmax(legs.sparse.total)),
            unknown_codes=legs.sparse.unknown_codes,
            named_documents=tuple(doc_ids[number] for number in self._documents),
        )

    def _stage_times(self) -> Mapping[Stage, float]:
        return {stage: ms for stage, ms in self._timings.snapshot().items() if ms is not None and stage != "total"}


def _named_documents(view: GenerationView, text: str) -> tuple[int, ...]:
    """Numbers of the documents that a question names, by their name or by who wrote them."""
    return view.names.named_in(text) or documents_by_author(view, text)


def _margin(best: Scores) -> float:
    """How far the first of some scores, best first, stands above the mean of the next; a lone one above nothing."""
    if len(best) < 2:
        return float(best.sum())
    return float(best[0] - best[1 : _RUNNERS_UP + 1].mean())
