"""`/v1/chat/completions` and `/v1/models`: OpenAI's fields, and our own under `gpukb`.

Whatever else a client sends is accepted and ignored; null stands for a field that is left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from api.schemas.common import Count, FiltersIn, Flag, Number, RequestModel
from kb.wire.common import IndexRef, SourceOut

Role = Literal["system", "developer", "user", "assistant", "tool", "function"]
MOST_TOKENS = 32_768
"""What a chat model is asked for at most; a client may name more."""


Text = Annotated[str, StringConstraints(max_length=4_000_000)]
"""Any text; the bound is beyond every body's, and it makes halves of a character an error."""


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class PartIn(_Lenient):
    """A part of a message; only those of type `text` are read."""

    type: Text
    text: Text | None = None


class ChatMessageIn(_Lenient):
    """One message of a conversation."""

    role: Role
    content: Text | tuple[PartIn, ...] | None = None


class StreamOptionsIn(_Lenient):
    """What a stream carries beside the text."""

    include_usage: Flag | None = None


class ExtensionIn(RequestModel):
    """What `/v1/ask` knows and OpenAI's protocol does not; here an unknown field is an error, as there."""

    filters: FiltersIn | None = None
    top_k: Annotated[Count, Field(ge=1, le=50)] | None = None
    language: Literal["auto", "zh", "en"] = "auto"
    mode: Literal["auto", "generate", "extract"] = "auto"


class ChatIn(_Lenient):
    """A conversation whose last user message is the question."""

    model: Text
    messages: Annotated[tuple[ChatMessageIn, ...], Field(min_length=1)]
    stream: Flag | None = None
    stream_options: StreamOptionsIn | None = None
    max_tokens: Annotated[Count, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[Count, Field(ge=1)] | None = None
    temperature: Annotated[Number, Field(ge=0, le=2)] | None = None
    user: Text | None = None
    gpukb: ExtensionIn | None = None

    @property
    def token_limit(self) -> int | None:
        """The most tokens that an answer may have; the newer of the two fields counts."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def wants_usage(self) -> bool:
        """Whether a stream ends in a chunk with the usage."""
        return bool(self.stream_options and self.stream_options.include_usage)


class UrlCitation(BaseModel):
    """Where a mark leads."""

    url: str
    title: str
    start_index: int = Field(description="Where the mark stands in the content, in code points, half open.")
    end_index: int


class Annotation(BaseModel):
    """A mark of the content."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class ChatMessageOut(BaseModel):
    """The answer."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: list[Annotation]


class Choice(BaseModel):
    """The only choice."""

    index: int
    message: ChatMessageOut
    logprobs: None = None
    finish_reason: Literal["stop", "length"]


class Usage(BaseModel):
    """Tokens, counted by a rule of our own."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ExtensionOut(BaseModel):
    """The answer's receipt; a client's background prompt only has `background`, what it asked for."""

    answer_id: str | None = None
    status: str | None = None
    reason: str | None = None
    sources: list[SourceOut] = []
    timings_ms: dict[str, float | None] = {}
    index: IndexRef | None = None
    warnings: list[str] = []
    background: str | None = None


class ChatCompletionOut(BaseModel):
    """An answer in OpenAI's form."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    citations: list[str] = Field(description="The address of each source, by number; of `gpukb` only.")
    sources: list[dict[str, Any]] = Field(default=[], description="Open WebUI's form; of `gpukb-openwebui` only.")
    gpukb: ExtensionOut


class ModelOut(BaseModel):
    """A model that can be named."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: Literal["gpukb"] = "gpukb"


class ModelListOut(BaseModel):
    """The models that can be named."""

    object: Literal["list"] = "list"
    data: list[ModelOut]


class OpenAIErrorDetail(BaseModel):
    """What is wrong."""

    message: str
    type: str
    param: str | None
    code: str | None


class OpenAIErrorOut(BaseModel):
    """An error in OpenAI's form."""

    error: OpenAIErrorDetail
