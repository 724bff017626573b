"""A rating of an answer."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from api.schemas.common import RequestModel
from kb.feedback import FeedbackReason, Rating


class FeedbackIn(RequestModel):
    """What somebody thought of an answer."""

    answer_id: Annotated[str, Field(min_length=1, max_length=100)]
    rating: Rating
    reasons: Annotated[tuple[FeedbackReason, ...], Field(max_length=10)] = ()
    comment: Annotated[str, Field(max_length=2000)] | None = None


class FeedbackOut(BaseModel):
    """A rating that is kept."""

    id: str
    object: Literal["feedback"] = "feedback"
    created: str
    answer_id: str
    rating: Rating
