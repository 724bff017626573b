"""A reply as OpenAI's clients read it: whole, or as chunks."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from api.openai.citations import Links, addresses_of, annotations_of, source_event, source_list
from api.openai.models import Carrier
from api.openai.tokens import count_tokens
from api.schemas.chat import (
    Annotation,
    ChatCompletionOut,
    ChatMessageOut,
    Choice,
    ExtensionOut,
    Usage,
)
from kb.wire.answers import AnswerOut
from kb.wire.common import SourceOut

FinishReason = Literal["stop", "length"]


@dataclass(slots=True)
class WrittenText:
    """What of an answer is sent: whole sentences and tables as they come, as many as a limit of tokens lets through.

    Nothing is cut inside, where it could lose a figure's last digits; so the first piece is sent in any case.

    Attributes:
        max_tokens: the limit; `None` lets everything through.
        is_cut: something was held back.
    """

    max_tokens: int | None
    text: str = ""
    tokens: int = 0
    is_cut: bool = False

    def take(self, piece: str) -> bool:
        """Take a piece; whether it is sent."""
        tokens = count_tokens(piece)
        if self.max_tokens is not None and self.text and self.tokens + tokens > self.max_tokens:
            self.is_cut = True
        if self.is_cut:
            return False
        self.text += piece
        self.tokens += tokens
        return True


@dataclass(frozen=True, slots=True)
class Ending:
    """What a reply ends with, besides its text.

    Attributes:
        text: a list of sources behind the answer's text; empty in most cases.
        citations: the address of each source, by number.
        events: the sources in Open WebUI's form.
        gpukb: the receipt.
    """

    finish_reason: FinishReason
    gpukb: ExtensionOut
    text: str = ""
    annotations: Sequence[Annotation] = ()
    citations: Sequence[str] = ()
    events: Sequence[Mapping[str, Any]] = ()


def ending_of(
    answer: AnswerOut, written: WrittenText, numbered: Sequence[SourceOut], carrier: Carrier, links: Links
) -> Ending:
    """How the reply with an answer ends.

    Args:
        answer: the whole of it.
        written: what of its text is sent.
        numbered: the sources that marks may point to, in order; those of the answer, and perhaps more.
        carrier: how citations travel.
        links: addresses on this server.
    """
    size = len(written.text)
    citations = [citation for citation in answer.citations if citation.end <= size]
    cited = {citation.source_id for citation in citations}
    sources = [source for source in answer.sources if source.id in cited]
    last = max((source.index for source in sources), default=0)
    return Ending(
        finish_reason="length" if written.is_cut else "stop",
        text=source_list(sources, answer.language, links) if carrier == "text" else "",
        annotations=annotations_of(citations, sources, links) if carrier == "annotations" else (),
        citations=addresses_of(numbered[:last], links) if carrier == "annotations" else (),
        events=[source_event(source, links) for source in numbered] if carrier == "events" else (),
        gpukb=ExtensionOut(
            answer_id=answer.id,
            status=answer.status,
            reason=answer.reason,
            sources=[source.model_copy(update={"page_url": links.link(source.page_url)}) for source in sources],
            timings_ms=answer.timings_ms,
            index=answer.index,
            warnings=answer.warnings,
        ),
    )


@dataclass(frozen=True, slots=True)
class Reply:
    """The frame of one reply: what all of its chunks share.

    Attributes:
        prompt_tokens: of everything the client sent as text.
        wants_usage: the stream ends in a chunk with the usage.
    """

    model: str
    prompt_tokens: int
    wants_usage: bool = False
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))

    def usage(self, text: str) -> Usage:
        """What a reply with this text is counted as."""
        tokens = count_tokens(text)
        return Usage(
            prompt_tokens=self.prompt_tokens, completion_tokens=tokens, total_tokens=self.prompt_tokens + tokens
        )

    def whole(self, text: str, ending: Ending) -> str:
        """The reply as JSON."""
        content = text + ending.text
        message = ChatMessageOut(content=content, annotations=list(ending.annotations))
        completion = ChatCompletionOut(
            id=self.id,
            created=self.created,
            model=self.model,
            choices=[Choice(index=0, message=message, finish_reason=ending.finish_reason)],
            usage=self.usage(content),
            citations=list(ending.citations),
            sources=[dict(event) for event in ending.events],
            gpukb=ending.gpukb,
        )
        return completion.model_dump_json(exclude=None if ending.events else {"sources"})

    # ------------------------------------------------------------ chunks, in the order in which they are sent

    def role_chunk(self) -> dict[str, Any]:
        """Opens the message."""
        return self._chunk({"role": "assistant", "content": "", "refusal": None})

    def event_chunk(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """A source, before the text that cites it; for Open WebUI."""
        return {**self._chunk({}), "event": {"type": "source", "data": event}}

    def text_chunk(self, text: str) -> dict[str, Any]:
        """A piece of the text."""
        return self._chunk({"content": text})

    def final_chunk(self, ending: Ending) -> dict[str, Any]:
        """Closes the message."""
        annotations = [annotation.model_dump() for annotation in ending.annotations]
        return {
            **self._chunk({"annotations": annotations}, ending.finish_reason),
            "citations": list(ending.citations),
            "gpukb": ending.gpukb.model_dump(),
        }

    def closing_chunks(self, text: str, ending: Ending) -> list[dict[str, Any]]:
        """All that follows a reply's text."""
        chunks = [self.text_chunk(ending.text)] if ending.text else []
        chunks.append(self.final_chunk(ending))
        if self.wants_usage:
            chunks.append(self.usage_chunk(text + ending.text))
        return chunks

    def usage_chunk(self, text: str) -> dict[str, Any]:
        """The usage, where it was asked for."""
        return {**self._chunk({}), "choices": [], "usage": self.usage(text).model_dump()}

    def _chunk(self, delta: Mapping[str, Any], finish_reason: FinishReason | None = None) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}],
            **({"usage": None} if self.wants_usage else {}),
        }
