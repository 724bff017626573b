"""`/v1/search`: what to search for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from api.schemas.common import Count, FiltersIn, Flag, RequestModel
from kb.types import MAX_QUESTION, SearchMode


class SearchIn(RequestModel):
    """A search."""

    query: Annotated[str, StringConstraints(max_length=MAX_QUESTION)]
    filters: FiltersIn = FiltersIn()
    top_k: Annotated[Count, Field(ge=1, le=100)] = 10
    mode: SearchMode = "hybrid"
    rerank: Flag = False
