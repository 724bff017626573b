"""`POST /v1/ask`: a question in, an answer with its sources out, whole or as events."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.answering import answer_events, answer_unless_gone, hand_over, server_timing, with_queue
from api.deps import JsonBody, KnowledgeBaseDep, StateDep
from api.schemas.ask import AskIn
from api.sse import EVENT_STREAM, EventStream
from kb.wire.answers import AnswerOut, answer_json, answer_out

_CLIENT_CLOSED_REQUEST = 499

router = APIRouter(tags=["Ask"])


@router.post(
    "/v1/ask",
    response_model=AnswerOut,
    responses={200: {"content": EVENT_STREAM}},
    dependencies=[JsonBody],
)
async def ask(body: AskIn, request: Request, kb: KnowledgeBaseDep, state: StateDep) -> Response:
    """Answer a question from the indexed documents and the catalogue of cards.

    With `stream: true` the answer comes as server-sent events: `start`, `status`, `sources`, `delta`, `table`, then one
    of `done` and `error`. A refusal is a 200 with `status: no_answer` and its reason.
    """
    question = body.to_request(state.settings.top_k)
    answer_id = state.feedback.new_answer_id()
    with_trace = "trace" in body.include
    queue_ms = await state.workers.acquire()
    if body.stream:
        events = answer_events(
            kb, question, request, state, answer_id=answer_id, queue_ms=queue_ms, with_trace=with_trace
        )
        return EventStream(events, on_close=state.workers.release)
    try:
        answer = await answer_unless_gone(kb, question, request, state)
    finally:
        state.workers.release()
    if answer is None:
        return Response(status_code=_CLIENT_CLOSED_REQUEST)
    out = answer_out(with_queue(answer, queue_ms), answer_id, with_trace=with_trace)
    hand_over(out, question.question, request, state)
    return Response(
        answer_json(out), media_type="application/json", headers={"Server-Timing": server_timing(out.timings_ms)}
    )
