"""`POST /v1/feedback`: whether an answer was of use."""

from __future__ import annotations

from fastapi import APIRouter, Request

from api.auth.caller import caller_of
from api.deps import JsonBody, StateDep
from api.schemas.feedback import FeedbackIn, FeedbackOut

router = APIRouter(tags=["Ask"])


@router.post("/v1/feedback", status_code=201, dependencies=[JsonBody])
async def feedback(body: FeedbackIn, request: Request, state: StateDep) -> FeedbackOut:
    """Rate an answer; it is kept in the data folder, without its question unless the settings say so."""
    kept = await state.feedback.take(body, caller_of(request.scope).key_id)
    return FeedbackOut(id=kept.feedback_id, created=kept.created, answer_id=kept.answer_id, rating=kept.rating)
