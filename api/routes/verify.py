"""`POST /v1/verify`: every figure of a text, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from api.answering import server_timing
from api.deps import JsonBody, KnowledgeBaseDep, StateDep
from api.schemas.verify import VerifyIn
from kb.wire.verify import VerificationOut, verification_out

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase

router = APIRouter(tags=["Ask"])


@router.post("/v1/verify", response_model=VerificationOut, dependencies=[JsonBody])
async def verify(body: VerifyIn, kb: KnowledgeBaseDep, state: StateDep) -> Response:
    """Check every number and named property of a text against the catalogue of cards."""
    async with state.workers.slot() as queue_ms:
        found = await state.workers.run(_verify, kb, body)
    found.timings_ms["queue"] = round(queue_ms, 3)
    return Response(
        found.model_dump_json(),
        media_type="application/json",
        headers={"Server-Timing": server_timing(found.timings_ms)},
    )


def _verify(kb: KnowledgeBase, body: VerifyIn) -> VerificationOut:
    language = None if body.language == "auto" else body.language
    return verification_out(kb.snapshot().checker, body.text, language)
