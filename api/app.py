"""The HTTP application: `create_app` wires settings, library, middlewares and routes; nothing is global."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from api.citations import Citations
from api.corpus_files import CorpusFiles
from api.health import Health
from api.jobs import Jobs
from api.knowledge import Knowledge, OpenKnowledgeBase
from api.metrics import Metrics
from api.middleware.body_limit import BodyLimitMiddleware
from api.middleware.head import HeadMiddleware
from api.middleware.requests import RequestMiddleware
from api.respond import install_problem_handlers
from api.routes import ask, chat, documents, gpus, index, jobs, operations, search, select, size, uploads, verify
from api.schemas.common import ProblemOut
from api.staleness import Staleness
from api.state import AppState
from api.tasks import task_group
from api.web import install_pages
from api.workers import Workers
from kb.config import Settings
from kb.factory import chat_model, open_knowledge_base
from kb.index.root import IndexRoot
from kb.version import gpukb_version

EXPOSED_HEADERS = (
    "X-Request-Id",
    "Server-Timing",
    "Timing-Allow-Origin",
    "Retry-After",
    "x-ratelimit-limit-requests",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-reset-requests",
)
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
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state.corpus.remove_leftovers()
        async with task_group() as tasks:
            tasks.start_soon(knowledge.run)
            tasks.start_soon(state.jobs.run)
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
        middleware=_middlewares(settings, metrics),
        generate_unique_id_function=_operation_id,
        responses={"4XX": _PROBLEM, "5XX": _PROBLEM},
    )
    app.state.gpukb = state
    install_problem_handlers(app)
    for module in (ask, chat, search, select, size, gpus, documents, index, jobs, uploads, operations, verify):
        app.include_router(module.router)
    install_pages(app)
    return app


def _middlewares(settings: Settings, metrics: Metrics) -> list[Middleware]:
    layers = [Middleware(RequestMiddleware, metrics=metrics), Middleware(HeadMiddleware)]
    if settings.cors_origins:
        layers.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.cors_origins),
                allow_methods=["GET", "POST", "DELETE"],
                allow_headers=["Authorization", "Content-Type", "X-Request-Id", "Accept-Language"],
                expose_headers=list(EXPOSED_HEADERS),
                max_age=600,
            )
        )
    larger = {("POST", "/v1/documents"): settings.max_document_bytes + _FORM_BYTES}
    layers.append(Middleware(BodyLimitMiddleware, max_body_bytes=settings.max_body_bytes, larger=larger))
    return layers


def _operation_id(route: APIRoute) -> str:
    return route.name
