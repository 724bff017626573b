"""Health, readiness, metrics and what this service is."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response

from api.deps import StateDep
from api.schemas.operations import InfoOut, ReadyOut
from kb.version import gpukb_version

router = APIRouter(tags=["Operations"])


@router.get("/healthz")
@router.get("/health", include_in_schema=False)
async def healthz() -> dict[str, str]:
    """Tell that the process is alive; depends on nothing."""
    return {"status": "ok"}


@router.get("/readyz", responses={503: {"model": ReadyOut}})
async def readyz(request: Request, state: StateDep) -> Response:
    """Tell whether questions can be answered, part by part; where keys are set up, the reasons are for who has one."""
    ready = await state.health.ready()
    if state.gate.keyring().is_required and state.gate.caller(request.scope) is None:
        ready = ready.without_details()
    return Response(
        ready.model_dump_json(),
        status_code=503 if ready.status == "not_ready" else 200,
        media_type="application/json",
        headers={"Retry-After": "2"} if ready.status == "not_ready" else None,
    )


@router.get("/metrics", response_class=Response)
async def metrics(state: StateDep) -> Response:
    """Metrics for Prometheus."""
    if state.knowledge.state == "ready":
        state.metrics.count_truncated(state.knowledge.current().embedder.truncated_inputs)
    return Response(generate_latest(state.metrics.registry), media_type=CONTENT_TYPE_LATEST)


@router.get("/v1/info")
async def info(state: StateDep) -> InfoOut:
    """Tell what this service is and what it can do."""
    knowledge, settings = state.knowledge, state.settings
    kb = knowledge.current() if knowledge.state == "ready" else None
    manifest = kb.generation.manifest if kb else None
    features = ["ask", "ask_stream", "search", "documents"]
    if kb and kb.catalog.gpus:
        features.append("gpus")
    if settings.llm_base_url:
        features.append("generate")
    return InfoOut(
        version=gpukb_version(),
        index={
            "state": knowledge.state,
            "generation": manifest.generation if manifest else None,
            "built_at": manifest.built_at if manifest else None,
            "documents": manifest.documents if manifest else 0,
            "chunks": manifest.chunks if manifest else 0,
            "gpus": len(kb.catalog.gpus) if kb else 0,
        },
        models={
            "embedding": manifest.embedding.model if manifest else None,
            "cross_embedding": manifest.cross_embedding.model if manifest and manifest.cross_embedding else None,
            "chat": settings.llm_model,
        },
        device=kb.device if kb else None,
        features=features,
    )
