"""Parts that several requests share, and the problem document."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from kb.types import Filters

ShortText = Annotated[str, StringConstraints(min_length=1, max_length=300)]
FilterValues = Annotated[tuple[ShortText, ...], Field(max_length=100)]
DATE_PATTERN = r"^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"


class RequestModel(BaseModel):
    """A request body; an unknown field is an error that names it."""

    model_config = ConfigDict(extra="forbid")


class FiltersIn(RequestModel):
    """Limits of a search; an empty list limits nothing."""

    vendor: FilterValues = ()
    gpu: FilterValues = ()
    doc_id: FilterValues = ()
    doc_type: FilterValues = ()
    published_after: Annotated[str, Field(pattern=DATE_PATTERN)] | None = None

    def to_filters(self) -> Filters:
        """The library's filters."""
        return Filters(
            vendor=self.vendor,
            gpu=self.gpu,
            doc_id=self.doc_id,
            doc_type=self.doc_type,
            published_after=self.published_after or "",
        )


class ProblemOut(BaseModel):
    """An RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: list[dict[str, Any]] | None = None
