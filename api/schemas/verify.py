"""`/v1/verify`: the text to check."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints, field_validator
from pydantic_core import PydanticCustomError

from api.schemas.common import RequestModel
from kb.answer.gate import MAX_CHECKED


class VerifyIn(RequestModel):
    """A text whose figures are to be checked."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_CHECKED)]
    language: Literal["auto", "zh", "en"] = "auto"

    @field_validator("text")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise PydanticCustomError("blank", "Should not be blank")
        return value
