"""OpenAI's protocol: the models that can be named, and answers as a chat model gives them."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.deps import JsonBody, StateDep
from api.openai.background import BackgroundReply, background_reply
from api.openai.citations import Links
from api.openai.conversation import Conversation, read_conversation, text_of
from api.openai.exchange import Exchange, known_reply
from api.openai.models import CARRIERS, CREATED, carrier_of
from api.openai.replies import Ending, Reply, WrittenText
from api.openai.tokens import count_tokens
from api.schemas.chat import (
    MOST_TOKENS,
    ChatCompletionOut,
    ChatIn,
    ExtensionIn,
    ExtensionOut,
    ModelListOut,
    ModelOut,
    OpenAIErrorOut,
)
from api.sse import EVENT_STREAM, EventStream
from kb.types import AskRequest, Filters

_ERROR: Final[dict[str, Any]] = {"model": OpenAIErrorOut, "description": "An error in OpenAI's form"}
_ERRORS: Final[dict[int | str, dict[str, Any]]] = {"4XX": _ERROR, "5XX": _ERROR}

router = APIRouter(tags=["OpenAI-compatible"])


@router.get("/v1/models", responses=_ERRORS)
async def list_models() -> ModelListOut:
    """List the models: one for each way in which citations travel."""
    return ModelListOut(data=[ModelOut(id=model, created=CREATED) for model in CARRIERS])


@router.get("/v1/models/{model}", responses=_ERRORS)
async def get_model(model: str) -> ModelOut:
    """Show a model."""
    carrier_of(model)
    return ModelOut(id=model, created=CREATED)


@router.post(
    "/v1/chat/completions",
    response_model=ChatCompletionOut,
    responses={200: {"content": EVENT_STREAM}, **_ERRORS},
    dependencies=[JsonBody],
)
async def create_chat_completion(body: ChatIn, request: Request, state: StateDep) -> Response:
    """Answer the last user message, in OpenAI's form: whole, or with `stream: true` as chunks.

    Fields of OpenAI's that mean nothing here are accepted and ignored. `gpukb` takes what `/v1/ask` knows besides.
    """
    carrier = carrier_of(body.model)
    texts = [(message.role, text_of(message)) for message in body.messages]
    reply = Reply(body.model, sum(count_tokens(text) for _, text in texts), body.wants_usage)
    background = background_reply(texts)
    if background is not None:
        return _known(background, reply, stream=bool(body.stream))
    ask = _ask(body, read_conversation(body.messages), state.settings.top_k)
    base_url = (state.settings.public_url or str(request.base_url)).rstrip("/")
    links = Links(base_url, state.gate.links.of(request.scope))
    exchange = Exchange(request, state, reply, carrier, links, WrittenText(body.token_limit))
    kb = state.knowledge.current()
    return await (exchange.stream(kb, ask) if body.stream else exchange.whole(kb, ask))


def _ask(body: ChatIn, conversation: Conversation, default_top_k: int) -> AskRequest:
    """The library's request."""
    extension = body.gpukb or ExtensionIn()
    return AskRequest(
        question=conversation.question,
        history=conversation.history,
        language=extension.language,
        mode=extension.mode,
        filters=extension.filters.to_filters() if extension.filters else Filters(),
        top_k=extension.top_k or default_top_k,
        max_tokens=min(body.token_limit, MOST_TOKENS) if body.token_limit else None,
        style=conversation.style,
        temperature=body.temperature,
    )


def _known(background: BackgroundReply, reply: Reply, *, stream: bool) -> Response:
    """The reply to a client's own prompt."""
    ending = Ending("stop", ExtensionOut(background=background.what))
    if stream:
        return EventStream(known_reply(reply, background.text, ending))
    return Response(reply.whole(background.text, ending), media_type="application/json")
