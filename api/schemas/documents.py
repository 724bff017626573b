"""`/v1/documents`: what was indexed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from kb.types import Language
from kb.wire.common import Listing

CitedState = Literal["current", "unchanged", "changed", "gone", "pruned"]
"""What has become of a cited document: see `docs/api.md`."""


class DocumentSummary(BaseModel):
    """A document in a list."""

    id: str
    object: Literal["document"] = "document"
    title: str
    language: Language
    media_type: str
    encoding: str
    sha256: str
    characters: int
    chunks: int
    warnings: list[str]


class DocumentOut(DocumentSummary):
    """A document with its text, which the offsets of citations point into."""

    text: str
    pages: int
    metadata: dict[str, Any]


class DocumentList(Listing):
    """Documents."""

    data: list[DocumentSummary]
    total: int


class DocumentPage(BaseModel):
    """One page; its text is `document.text[start:end]`."""

    object: Literal["page"] = "page"
    doc_id: str
    title: str
    page: int
    pages: int
    start: int
    end: int
    text: str
    generation: str = Field(description="The generation that this page is shown from.")
    cited_generation: str | None = Field(description="The one that the link asks for.")
    state: CitedState
    quote_start: int | None = Field(description="The asked passage within this page's text.")
    quote_end: int | None
