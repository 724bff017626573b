"""`POST /v1/size`: what a workload needs, and how fast cards can run it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fastapi import APIRouter

from api.deps import JsonBody, KnowledgeBaseDep, LanguageDep
from api.schemas.size import SizeIn
from kb.sizing import Sizer
from kb.wire.size import size_out
from kb.wire.sizing import SizeOut

if TYPE_CHECKING:
    from kb.specs.catalog import Catalog

router = APIRouter(tags=["Cards"])


@router.post("/v1/size", dependencies=[JsonBody])
def size(body: SizeIn, kb: KnowledgeBaseDep, language: LanguageDep) -> SizeOut:
    """Size a workload: memory part by part, cards and layout, speed within bounds, energy and price."""
    sizer = sizer_of(kb.catalog)
    estimate = sizer.size(body.asked.to_workload(sizer), body.gpus, body.cards)
    return size_out(estimate, language if body.language == "auto" else body.language)


@lru_cache(maxsize=2)
def sizer_of(catalog: Catalog) -> Sizer:
    """One for each catalogue that is served; reading models and names takes some ten milliseconds."""
    return Sizer(catalog)
