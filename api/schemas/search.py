"""`/v1/search`: what to search for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from api.schemas.ask import Question
from api.schemas.common import FiltersIn, RequestModel
from kb.types import SearchMode


class SearchIn(RequestModel):
    """A search."""

    query: Question
    filters: FiltersIn = FiltersIn()
    top_k: Annotated[int, Field(ge=1, le=100)] = 10
    mode: SearchMode = "hybrid"
    rerank: bool = False

    @field_validator("query")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be blank")
        return value
