"""Parts that several requests share, and the problem document."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, Strict, StringConstraints, field_validator, model_validator
from pydantic_core import PydanticCustomError

from kb.types import Filters

ShortText = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Flag = Annotated[bool, Strict()]
"""`true` or `false`; neither 1 nor "yes"."""

Count = Annotated[int, Strict()]
"""A whole number; neither `true` nor "5"."""
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
"""A finite number; neither `true` nor "5"."""
FilterValues = Annotated[tuple[ShortText, ...], Field(max_length=100)]
DATE_PATTERN = r"^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"

_WHOLE_DATE = len("2026-01-31")


def wrong(en: str, zh: str) -> PydanticCustomError:
    """What is wrong with a field, in both languages; raised by validators."""
    return PydanticCustomError("request_error", "{en}", {"en": en, "zh": zh})


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


class RequestModel(BaseModel):
    """A request body; an unknown field is an error that names it."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _whole_numbers(cls, body: object) -> object:
        """5.0 is 5 in JSON."""
        return {name: _whole(value) for name, value in body.items()} if isinstance(body, dict) else body


class FiltersIn(RequestModel):
    """Limits of a search; an empty list limits nothing."""

    vendor: FilterValues = ()
    gpu: FilterValues = ()
    doc_id: FilterValues = ()
    doc_type: FilterValues = ()
    published_after: Annotated[str, Field(pattern=DATE_PATTERN)] | None = None

    @field_validator("published_after")
    @classmethod
    def _in_the_calendar(cls, value: str | None) -> str | None:
        if value is not None and len(value) == _WHOLE_DATE:
            date.fromisoformat(value)
        return value

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
