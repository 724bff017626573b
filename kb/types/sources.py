"""The numbered evidence of an answer, and the marks that point to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kb.types.search import Contributions

SourceKind = Literal["text", "table", "spec"]


@dataclass(frozen=True, slots=True)
class Source:
    """Numbered evidence that an answer cites.

    Attributes:
        source_id: `src_…`, stable for the same passage in the same generation.
        index: the n of its mark `[n]`.
        doc_id: the document, or `catalog/<language>/<gpu_id>` for a card's sheet.
        kind: `spec` for a catalogue entry, `table` for a table passage, else `text`.
        text: the passage or the sheet's line, as it stands.
        start, end: where `text` (without repeated table headers) stands in the document.
    """

    source_id: str
    index: int
    doc_id: str
    title: str
    kind: SourceKind
    text: str
    start: int
    end: int
    section: str = ""
    page: int | None = None
    page_end: int | None = None
    url: str | None = None
    doc_version: str = ""
    published: str | None = None
    score: float | None = None
    contributions: Contributions = field(default_factory=Contributions)


@dataclass(frozen=True, slots=True)
class Citation:
    """One mark in an answer.

    Attributes:
        marker: `[1]`.
        start, end: where the mark itself stands in `Answer.text`.
        text_start, text_end: the sentence or table cell that it supports, the mark not included.
        quote: the supporting words, exactly as they stand in the document at [doc_start, doc_end).
    """

    marker: str
    source_id: str
    start: int
    end: int
    text_start: int
    text_end: int
    quote: str
    doc_id: str
    doc_start: int
    doc_end: int
