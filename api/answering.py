"""From a request to an answer or a stream of events, with work that ends when the client leaves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from fastapi import Request

from api.auth.links import Link, link_answer, link_sources
from api.problems import Problem, problem_of
from api.respond import language_of_request, request_id_of
from api.sse import encode_event
from api.state import AppState
from kb.types import (
    Answer,
    AnswerEvent,
    AskRequest,
    DeltaEvent,
    DoneEvent,
    SourcesEvent,
    Stage,
    StatusEvent,
    TableEvent,
)
from kb.wire.answers import AnswerOut, answer_json, answer_out, table_out
from kb.wire.sources import source_out

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase, Snapshot


async def answer_unless_gone(
    kb: KnowledgeBase,
    ask: AskRequest,
    request: Request,
    state: AppState,
    *,
    on_event: Callable[[AnswerEvent], object] = lambda event: None,
) -> Answer | None:
    """The whole answer; `None` if the client left first. The caller holds a slot.

    Args:
        kb: answers.
        ask: the question.
        request: whose client may leave.
        state: of the application.
        on_event: sees what comes before the answer is whole, in a worker's thread.
    """
    gone = threading.Event()
    watch = asyncio.create_task(_watch(request, gone))
    try:
        return await state.workers.run(_last, kb, ask, gone, on_event)
    finally:
        watch.cancel()


async def _watch(request: Request, gone: threading.Event) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    gone.set()


def _last(
    kb: KnowledgeBase, ask: AskRequest, gone: threading.Event, on_event: Callable[[AnswerEvent], object]
) -> Answer | None:
    events = kb.ask_stream(ask)
    for event in events:
        if isinstance(event, DoneEvent):
            return event.answer
        on_event(event)
        if gone.is_set():
            break
    _close(events)
    return None


def _close(events: Iterator[AnswerEvent]) -> None:
    """End a generator where it stands, so that its own clean-up runs (closing a chat model's connection)."""
    close = getattr(events, "close", None)
    if close is not None:
        close()


def with_queue(answer: Answer, queue_ms: float) -> Answer:
    """The answer with the time it waited for a worker."""
    timings: dict[Stage, float | None] = dict(answer.timings_ms)
    timings["queue"] = round(queue_ms, 3)
    timings["total"] = round((timings.get("total") or 0.0) + queue_ms, 3)
    return replace(answer, timings_ms=timings)


async def answer_events(
    kb: KnowledgeBase,
    ask: AskRequest,
    request: Request,
    state: AppState,
    *,
    answer_id: str,
    queue_ms: float,
    with_trace: bool,
) -> AsyncGenerator[bytes]:
    """The answer as encoded events; the last is `done` or `error`. The caller holds a slot."""
    yield encode_event("start", {"id": answer_id})
    link = state.gate.links.of(request.scope)
    try:
        snapshot = kb.snapshot()
        async with aclosing(live_events(snapshot, ask, state)) as events:
            async for event in events:
                if isinstance(event, DoneEvent):
                    answer = answer_out(with_queue(event.answer, queue_ms), answer_id, with_trace=with_trace)
                    hand_over(answer, ask.question, request, state)
                    yield encode_event("done", answer_json(answer))
                    return
                yield _encode(event, snapshot.generation.name, link)
    except Exception as error:  # the status is sent already: the error travels as the last event
        yield encode_event("error", late_problem(error, request, state).body(request_id_of(request.scope)))


def hand_over(answer: AnswerOut, question: str, request: Request, state: AppState) -> None:
    """What goes with every answer: links that open for who asked, and a note of it for ratings and metrics."""
    link_answer(answer, state.gate.links.of(request.scope))
    state.feedback.remember(answer, question)
    state.metrics.count_answer(answer)


async def live_events(snapshot: Snapshot, ask: AskRequest, state: AppState) -> AsyncGenerator[AnswerEvent]:
    """An answer's events as they come; closing the iterator ends the work. The caller holds a slot."""
    events: Iterator[AnswerEvent] | None = None
    try:
        events = await state.workers.run(snapshot.ask_stream, ask)
        async for event in state.workers.iterate(events):
            yield event
    finally:
        if events is not None:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(_close, events)


def late_problem(error: Exception, request: Request, state: AppState) -> Problem:
    """The problem for an error after a stream has begun; one that nobody foresaw is logged."""
    problem = problem_of(error, language_of_request(request.scope))
    if problem.kind.status == 500:
        state.log_failure(error, request_id_of(request.scope))
    return problem


def _encode(event: StatusEvent | SourcesEvent | DeltaEvent | TableEvent, generation: str, link: Link) -> bytes:
    if isinstance(event, StatusEvent):
        return encode_event("status", {"stage": event.stage, "ms": round(event.ms, 3)})
    if isinstance(event, SourcesEvent):
        sources = [source_out(source, generation) for source in event.sources]
        link_sources(sources, link)
        return encode_event("sources", {"sources": [source.model_dump() for source in sources]})
    if isinstance(event, DeltaEvent):
        return encode_event("delta", {"text": event.text})
    return encode_event("table", table_out(event.table).model_dump())


def server_timing(timings_ms: Mapping[str, float | None]) -> str:
    """The stages that ran, as a Server-Timing header."""
    return ", ".join(f"{stage};dur={ms:g}" for stage, ms in timings_ms.items() if ms is not None)
