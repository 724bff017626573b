"""Which chunks a search may return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.index.documents import DocumentSummary
from kb.retrieval.query import code_key
from kb.retrieval.view import GenerationView
from kb.text import fold
from kb.types import Filters


def allowed_chunks(view: GenerationView, filters: Filters, documents: Sequence[int]) -> NDArray[np.bool_] | None:
    """By chunk row; None where everything is allowed.

    Args:
        view: of the generation.
        filters: what the caller asks for. A value of `vendor` or `gpu` must be in the document's metadata or name, or
            in the passage; `published_after` leaves out documents that state no date.
        documents: numbers of the documents the question names; empty allows all.
    """
    if filters.is_empty and not documents:
        return None
    summaries = view.generation.documents.summaries()
    fits = np.array([_document_fits(summary, filters) for summary in summaries], np.bool_)
    if documents:
        fits &= np.isin(np.arange(len(summaries)), documents)
    allowed = fits[view.generation.chunks.documents] | _shared_rows(view, summaries, fits)
    for wanted in (filters.vendor, filters.gpu):
        if wanted:
            allowed = allowed & _mentions(view, summaries, wanted, allowed)
    return np.asarray(allowed, np.bool_)


def _document_fits(summary: DocumentSummary, filters: Filters) -> bool:
    metadata = summary.metadata
    if filters.doc_id and summary.doc_id not in filters.doc_id:
        return False
    if filters.doc_type and fold(str(metadata.get("doc_type") or "")) not in {fold(kind) for kind in filters.doc_type}:
        return False
    published = str(metadata.get("published") or metadata.get("as_of") or "")
    return not filters.published_after or published > filters.published_after


def _shared_rows(
    view: GenerationView, summaries: Sequence[DocumentSummary], fits: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Passages of other documents that a fitting document holds too."""
    rows = np.zeros(len(view), np.bool_)
    for number in np.flatnonzero(fits):
        rows[list(summaries[int(number)].shared_chunks)] = True
    return rows


def _mentions(
    view: GenerationView, summaries: Sequence[DocumentSummary], wanted: Sequence[str], allowed: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    names = {code_key(value) for value in wanted}
    documents = np.array([bool(names & _names_of(summary.metadata)) for summary in summaries], np.bool_)
    result = documents[view.generation.chunks.documents]
    for row in np.flatnonzero(allowed & ~result):
        chunk = view.generation.chunks[int(row)]
        text = code_key(" ".join((chunk.doc_id, *chunk.heading_path, chunk.text)))
        result[row] = any(name in text for name in names)
    return np.asarray(result, np.bool_)


def _names_of(metadata: Any) -> set[str]:
    values: set[str] = set()
    for key in ("vendor", "gpu", "gpus", "cards"):
        value = metadata.get(key) or ()
        values.update(code_key(str(item)) for item in ([value] if isinstance(value, str) else value))
    return values
