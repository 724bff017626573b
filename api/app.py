"""The HTTP application: `create_app` wires settings, library, middlewares and routes; nothing is global."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware import Middleware

from api.auth.gate import Gate
from api.citations import Citations
from api.corpus_files import CorpusFiles
from api.feedback import FeedbackDesk
from api.health import Health
from api.jobs import Jobs
from api.knowledge import Knowledge, OpenKnowledgeBase
from api.metrics import Metrics
from api.middleware.access import AccessMiddleware
from api.middleware.body_limit import BodyLimitMiddleware
from api.middleware.cors import ListedOrigins
from api.middleware.head import HeadMiddleware
from api.middleware.requests import RequestMiddleware
from api.openapi import install_openapi
from api.respond import install_problem_handlers
from api.routes import (
    ask,
    chat,
    documents,
    feedback,
    gpus,
    index,
    jobs,
    operations,
    search,
    select,
    session,
    size,
    uploads,
    verify,
)
from api.schemas.common import ProblemOut
from api.staleness import Staleness
from api.state import AppState
from api.tasks import task_group
from api.web import install_pages
from api.workers import Workers
from kb.config import Settings
from kb.factory import chat_model, open_knowledge_base
from kb.feedback import FeedbackFile
from kb.index.root import IndexRoot
from kb.keys import KeyStore, Signer
from kb.version import gpukb_version

_FORM_BYTES = 64 * 1024
"""What a form adds to the document that it carries."""
_PROBLEM: dict[str, Any] = {
    "model": ProblemOut,
    "description": "A problem document",
    "content": {"application/problem+json": {}},
}


def create_app(
    settings: Settings,
    open_kb: OpenKnowledgeBase = open_knowledge_base,
    *,
    on_ready: Callable[[Knowledge], None] = lambda knowledge: None,
) -> FastAPI:
    """Build the application.

    Args:
        settings: of this application.
        open_kb: opens the knowledge base; blocking, run in a thread after the server has started to answer.
        on_ready: called once opening has ended, well or badly.
    """
    metrics = Metrics()
    knowledge = Knowledge(settings, open_kb, metrics, on_ready=on_ready)
    model = chat_model(settings)
    keys, signer = KeyStore(settings.data_dir), Signer(settings.data_dir)
    gate = Gate(settings, keys, signer, metrics)
    ratings = FeedbackFile(settings.data_dir, question_days=settings.feedback_question_days)
    state = AppState(
        settings=settings,
        knowledge=knowledge,
        health=Health(knowledge, model.check if model else None),
        workers=Workers(settings.max_concurrency, settings.max_waiting, metrics.requests_waiting),
        metrics=metrics,
        jobs=Jobs(settings, metrics, knowledge.catch_up),
        corpus=CorpusFiles(settings.corpus_dir),
        citations=Citations(IndexRoot(settings.data_dir)),
        staleness=Staleness(settings.corpus_dir),
        gate=gate,
        feedback=FeedbackDesk(ratings, signer, metrics, keeps_questions=settings.feedback_question_days > 0),
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state.corpus.remove_leftovers()
        async with task_group() as tasks:
            tasks.start_soon(knowledge.run)
            tasks.start_soon(state.jobs.run)
            tasks.start_soon(state.feedback.run)
            yield
            tasks.cancel_scope.cancel()
        await knowledge.close()

    app = FastAPI(
        title="gpukb",
        summary="Questions about GPUs, answered in Chinese and English with the exact figure and its source.",
        version=gpukb_version(),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        middleware=_middlewares(settings, metrics, keys, gate),
        generate_unique_id_function=_operation_id,
        responses={"4XX": _PROBLEM, "5XX": _PROBLEM},
    )
    app.state.gpukb = state
    install_problem_handlers(app)
    for module in (
        ask,
        chat,
        search,
        select,
        size,
        gpus,
        documents,
        index,
        jobs,
        uploads,
        operations,
        verify,
        feedback,
        session,
    ):
        app.include_router(module.router)
    install_pages(app, settings.embed_origins)
    install_openapi(app, lambda: keys.keyring().is_required)
    return app


def _middlewares(settings: Settings, metrics: Metrics, keys: KeyStore, gate: Gate) -> list[Middleware]:
    larger = {("POST", "/v1/documents"): settings.max_document_bytes + _FORM_BYTES}
    return [
        Middleware(RequestMiddleware, metrics=metrics),
        Middleware(HeadMiddleware),
        Middleware(ListedOrigins, origins=(*settings.cors_origins, *settings.embed_origins), store=keys),
        Middleware(AccessMiddleware, gate=gate),
        Middleware(BodyLimitMiddleware, max_body_bytes=settings.max_body_bytes, larger=larger),
    ]


def _operation_id(route: APIRoute) -> str:
    return route.name
