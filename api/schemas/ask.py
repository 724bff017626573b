"""`/v1/ask`: the question."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator
from pydantic_core import PydanticCustomError

from api.schemas.common import Count, FiltersIn, Flag, RequestModel
from kb.types import MAX_QUESTION, AskRequest, Turn

Question = Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUESTION)]


class MessageIn(RequestModel):
    """An earlier turn of the conversation."""

    role: Literal["user", "assistant"]
    content: Annotated[str, StringConstraints(max_length=100_000)]


class AskIn(RequestModel):
    """A question."""

    question: Question
    messages: Annotated[tuple[MessageIn, ...], Field(max_length=200)] = ()
    language: Literal["auto", "zh", "en"] = "auto"
    stream: Flag = False
    mode: Literal["auto", "generate", "extract"] = "auto"
    filters: FiltersIn = FiltersIn()
    top_k: Annotated[Count, Field(ge=1, le=50)] | None = None
    max_tokens: Annotated[Count, Field(ge=1, le=32_768)] | None = None
    include: Annotated[tuple[Literal["trace", "source_text"], ...], Field(max_length=2)] = ()

    @field_validator("question")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise PydanticCustomError("blank", "Should not be blank")
        return value

    def to_request(self, default_top_k: int) -> AskRequest:
        """The library's request."""
        return AskRequest(
            question=self.question,
            history=tuple(Turn(message.role, message.content) for message in self.messages),
            language=self.language,
            mode=self.mode,
            filters=self.filters.to_filters(),
            top_k=self.top_k or default_top_k,
            max_tokens=self.max_tokens,
        )
