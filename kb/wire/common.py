"""Parts that several responses share."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from kb.types import SourceKind


class IndexRef(BaseModel):
    """The index generation that an answer rests on."""

    generation: str
    built_at: str


class Scores(BaseModel):
    """How each leg rated a passage, 0–1; null where it did not see it."""

    dense: float | None
    sparse: float | None
    rerank: float | None
    cross: float | None


class SourceOut(BaseModel):
    """A passage, or a line of a card's sheet."""

    id: str
    index: int
    doc_id: str
    title: str
    page: int | None
    page_end: int | None
    section: str
    kind: SourceKind
    text: str
    start: int = Field(description="Where the text stands in the document, in code points.")
    end: int
    url: str | None = Field(description="The document's own address, where it has one.")
    page_url: str = Field(description="Opens the passage here, relative to this server.")
    doc_version: str
    published: str | None
    score: float | None
    scores: Scores


class Listing(BaseModel):
    """A list of things; `next_cursor` asks for the next part."""

    object: Literal["list"] = "list"
    next_cursor: str | None = None
