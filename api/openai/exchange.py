"""One question of a chat and its reply: whole, or as chunks while the answer comes about."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fastapi import Request
from starlette.responses import Response

from api.answering import answer_unless_gone, late_problem, live_events, server_timing, with_queue
from api.openai.citations import Links, source_event
from api.openai.errors import openai_error
from api.openai.models import Carrier
from api.openai.replies import Ending, Reply, WrittenText, ending_of
from api.sse import EventStream, encode_data
from api.state import AppState
from kb.types import Answer, AnswerEvent, AskRequest, DeltaEvent, DoneEvent, Source, SourcesEvent
from kb.wire.answers import AnswerOut, answer_out
from kb.wire.common import SourceOut
from kb.wire.sources import source_out

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase

_DONE: Final = encode_data("[DONE]")
_CLIENT_CLOSED_REQUEST: Final = 499


@dataclass(slots=True)
class Exchange:
    """A question and its reply.

    Attributes:
        request: that asks.
        state: of the application.
        reply: the frame.
        carrier: how citations travel.
        links: addresses on this server.
        written: what of the text is sent.
    """

    request: Request
    state: AppState
    reply: Reply
    carrier: Carrier
    links: Links
    written: WrittenText
    _question: str = ""
    _numbered: tuple[Source, ...] = ()

    async def whole(self, kb: KnowledgeBase, ask: AskRequest) -> Response:
        """The reply in one piece."""
        self._question = ask.question
        async with self.state.workers.slot() as queue_ms:
            answer = await answer_unless_gone(kb, ask, self.request, self.state, on_event=self._see)
        if answer is None:
            return Response(status_code=_CLIENT_CLOSED_REQUEST)
        out, ending = self._ended(answer, queue_ms)
        headers = {"Server-Timing": server_timing(out.timings_ms)}
        return Response(self.reply.whole(self.written.text, ending), media_type="application/json", headers=headers)

    async def stream(self, kb: KnowledgeBase, ask: AskRequest) -> Response:
        """The reply as chunks: role, sources for Open WebUI, text, the end with its citations, usage, `[DONE]`."""
        self._question = ask.question
        queue_ms = await self.state.workers.acquire()
        return EventStream(self._chunks(kb, ask, queue_ms), on_close=self.state.workers.release)

    async def _chunks(self, kb: KnowledgeBase, ask: AskRequest, queue_ms: float) -> AsyncGenerator[bytes]:
        yield encode_data(self.reply.role_chunk())
        try:
            snapshot = kb.snapshot()
            async with aclosing(live_events(snapshot, ask, self.state)) as events:
                async for event in events:
                    for chunk in self._chunks_for(event, snapshot.generation.name, queue_ms):
                        yield encode_data(chunk)
        except Exception as error:  # the status is sent already: the error travels as the last line
            yield encode_data(openai_error(late_problem(error, self.request, self.state)))
        else:
            yield _DONE

    def _chunks_for(self, event: AnswerEvent, generation: str, queue_ms: float) -> list[dict[str, Any]]:
        if isinstance(event, DoneEvent):
            _, ending = self._ended(event.answer, queue_ms)
            return self.reply.closing_chunks(self.written.text, ending)
        is_first = not self.written.text
        if not self._see(event) or not isinstance(event, DeltaEvent):
            return []
        # Numbers may be given anew until the first text is there; so sources wait for it.
        opening = self._sources(generation) if is_first and self.carrier == "events" else []
        return [
            *(self.reply.event_chunk(source_event(source, self.links)) for source in opening),
            self.reply.text_chunk(event.text),
        ]

    def _see(self, event: AnswerEvent) -> bool:
        """Keep what a reply needs of an event; whether it is a piece of text that is sent."""
        if isinstance(event, SourcesEvent):
            self._numbered = event.sources
        return isinstance(event, DeltaEvent) and bool(event.text) and self.written.take(event.text)

    def _ended(self, answer: Answer, queue_ms: float) -> tuple[AnswerOut, Ending]:
        answer_id = self.state.feedback.new_answer_id()
        out = answer_out(with_queue(answer, queue_ms), answer_id, with_trace=False)
        self.state.feedback.remember(out, self._question)
        self.state.metrics.count_answer(out)
        return out, ending_of(out, self.written, self._sources(answer.generation), self.carrier, self.links)

    def _sources(self, generation: str) -> list[SourceOut]:
        return [source_out(source, generation) for source in self._numbered]


async def known_reply(reply: Reply, text: str, ending: Ending) -> AsyncGenerator[bytes]:
    """A reply that is known already, as a stream."""
    for chunk in [reply.role_chunk(), reply.text_chunk(text), *reply.closing_chunks(text, ending)]:
        yield encode_data(chunk)
    yield _DONE
