"""`GET /v1/index`: the index that is served."""

from __future__ import annotations

from anyio import to_thread
from fastapi import APIRouter

from api.deps import StateDep
from api.schemas.jobs import JobNote
from api.schemas.operations import EmbeddingOut, IndexOut
from kb.errors import IndexMissingError
from kb.index.build_record import record_of

router = APIRouter(tags=["Index"])


@router.get("/v1/index")
async def get_index(state: StateDep) -> IndexOut:
    """Tell what the served index holds and what made it."""
    knowledge = state.knowledge
    if knowledge.state == "loading":
        return _without_index("building", "The index is being opened.", state.jobs.running_id)
    if knowledge.error is not None:
        running = state.jobs.running_id
        is_empty = isinstance(knowledge.error, IndexMissingError)
        kind = "building" if is_empty and running else "empty" if is_empty else "error"
        return _without_index(kind, str(knowledge.error), running)
    kb = knowledge.current()
    generation = kb.generation
    manifest = generation.manifest
    record = await to_thread.run_sync(record_of, generation)
    stale = await to_thread.run_sync(state.staleness.of, generation)
    return IndexOut(
        generation=manifest.generation,
        built_at=manifest.built_at,
        state="ready",
        detail=None,
        documents=manifest.documents,
        chunks=manifest.chunks,
        embedding=EmbeddingOut(
            model=manifest.embedding.model,
            revision=manifest.embedding.revision,
            fingerprint=manifest.embedding.fingerprint,
            dim=manifest.embedding.dim,
            device=kb.device,
        ),
        stale_documents=stale,
        problems=[
            JobNote(doc=note["doc_id"], stage=note["stage"], message=note["reason"])
            for note in (*record.failed, *record.skipped)
        ],
        running_job=state.jobs.running_id,
    )


def _without_index(state: str, detail: str, running_job: str | None) -> IndexOut:
    return IndexOut.model_validate(
        {
            "generation": None,
            "built_at": None,
            "state": state,
            "detail": detail,
            "documents": 0,
            "chunks": 0,
            "embedding": None,
            "stale_documents": [],
            "problems": [],
            "running_job": running_job,
        }
    )
