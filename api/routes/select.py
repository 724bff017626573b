"""`POST /v1/select`: which cards meet requirements."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from api.answering import server_timing
from api.deps import JsonBody, KnowledgeBaseDep, LanguageDep, StateDep
from api.routes.size import sizer_of
from api.schemas.select import SelectIn
from kb.text import language_of
from kb.types import Language
from kb.wire.select import DEFAULT_LIMIT, select_out
from kb.wire.selection import SelectOut

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase

router = APIRouter(tags=["Cards"])


@router.post("/v1/select", response_model=SelectOut, dependencies=[JsonBody])
async def select(body: SelectIn, kb: KnowledgeBaseDep, state: StateDep, language: LanguageDep) -> Response:
    """Hold every card against requirements: those that pass, ranked; those that fail; those nobody can judge."""
    started = time.perf_counter()
    async with state.workers.slot() as queue_ms:
        found = await state.workers.run(_select, kb, body, language)
    found.timings_ms["queue"] = round(queue_ms, 3)
    found.timings_ms["total"] = round((time.perf_counter() - started) * 1e3, 3)
    return Response(
        found.model_dump_json(),
        media_type="application/json",
        headers={"Server-Timing": server_timing(found.timings_ms)},
    )


def _select(kb: KnowledgeBase, body: SelectIn, asked: Language) -> SelectOut:
    snapshot = kb.snapshot()
    workload = body.workload.to_workload(sizer_of(snapshot.catalog)) if body.workload else None
    selection = snapshot.selector.select(body.to_request(workload))
    selection.require_understood()
    language = asked if body.language == "auto" else body.language
    if body.language == "auto" and body.question.strip():
        language = language_of(body.question)
    limit = body.limit or selection.interpretation.limit or DEFAULT_LIMIT
    return select_out(selection, limit=limit, explain=body.explain, language=language)
