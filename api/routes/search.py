"""`POST /v1/search`: passages without an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.answering import server_timing
from api.auth.links import link_sources
from api.deps import JsonBody, KnowledgeBaseDep, StateDep
from api.schemas.search import SearchIn
from kb.wire.search import SearchOut, search_out

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase

router = APIRouter(tags=["Ask"])


@router.post("/v1/search", response_model=SearchOut, dependencies=[JsonBody])
async def search(body: SearchIn, request: Request, kb: KnowledgeBaseDep, state: StateDep) -> Response:
    """Find passages, best first."""
    async with state.workers.slot() as queue_ms:
        found = await state.workers.run(_search, kb, body)
    found.timings_ms["queue"] = round(queue_ms, 3)
    state.metrics.count_stages(found.timings_ms, kb.device)
    link_sources(found.data, state.gate.links.of(request.scope))
    return Response(
        found.model_dump_json(),
        media_type="application/json",
        headers={"Server-Timing": server_timing(found.timings_ms)},
    )


def _search(kb: KnowledgeBase, body: SearchIn) -> SearchOut:
    snapshot = kb.snapshot()
    result = snapshot.search(body.query, top_k=body.top_k, mode=body.mode, filters=body.filters.to_filters())
    found = search_out(result, snapshot.generation)
    if body.rerank:
        found.warnings.append("rerank: no reranker is set up; the passages are in the order of the search")
    return found
