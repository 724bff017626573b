"""What routes ask for, as `Annotated` aliases, so that a signature reads like a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Query, Request

from api.problems import ProblemError
from api.respond import language_of_request
from api.state import AppState
from kb.types import Language

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase


async def _state(request: Request) -> AppState:
    return cast(AppState, request.app.state.gpukb)


async def _knowledge_base(request: Request) -> KnowledgeBase:
    return cast(AppState, request.app.state.gpukb).knowledge.current()


async def _language(request: Request, lang: Annotated[Language | None, Query()] = None) -> Language:
    return lang or language_of_request(request.scope)


async def _json_body(request: Request) -> None:
    # Besides being clear, this keeps foreign web pages out: they cannot send this type without asking first.
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise ProblemError("unsupported_media_type")


StateDep = Annotated[AppState, Depends(_state)]
KnowledgeBaseDep = Annotated["KnowledgeBase", Depends(_knowledge_base)]
LanguageDep = Annotated[Language, Depends(_language)]
JsonBody = Depends(_json_body)
