"""`/v1/index/jobs` and rollback: rebuilding the index while it serves."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Header, Response
from fastapi.responses import JSONResponse
from starlette.responses import Response as PlainResponse

from api.admin import AdminOnly
from api.deps import JsonBody, StateDep
from api.problems import ProblemError
from api.schemas.jobs import JobIn, JobOut, RollbackIn, RollbackOut
from api.sse import EVENT_STREAM, EventStream
from kb.errors import IndexLockedError, IndexMissingError
from kb.index.root import IndexRoot
from kb.wire.common import Listing

router = APIRouter(tags=["Index"], dependencies=[AdminOnly])


class JobList(Listing):
    """Index jobs."""

    data: list[JobOut]


def accepted(job: JobOut) -> Response:
    """202, with the place where the job is found."""
    return JSONResponse(job.model_dump(mode="json"), 202, {"Location": f"/v1/index/jobs/{job.id}"})


@router.post("/v1/index/jobs", status_code=202, response_model=JobOut, dependencies=[JsonBody])
async def start_job(
    body: JobIn,
    state: StateDep,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=255)] = None,
) -> Response:
    """Index what changed in the corpus folder; the index in use serves until the new one is complete."""
    return accepted(await state.jobs.start(body, idempotency_key))


@router.get("/v1/index/jobs")
async def list_jobs(state: StateDep) -> JobList:
    """List the jobs that are still known, newest first."""
    return JobList(data=await state.jobs.recent())


@router.get("/v1/index/jobs/{job_id}")
async def get_job(job_id: str, state: StateDep) -> JobOut:
    """Tell how far a job is."""
    return await state.jobs.get(job_id)


@router.get(
    "/v1/index/jobs/{job_id}/events",
    response_class=PlainResponse,
    responses={200: {"content": EVENT_STREAM}},
)
async def job_events(job_id: str, state: StateDep, last_event_id: Annotated[int, Header(ge=0)] = 0) -> PlainResponse:
    """Follow a job: `state`, `stage`, `note`, and `done` with the whole job at its end."""
    await state.jobs.get(job_id)
    return EventStream(state.jobs.events(job_id, last_event_id))


@router.delete("/v1/index/jobs/{job_id}")
async def cancel_job(job_id: str, state: StateDep) -> JobOut:
    """Ask a job to end; the index in use stays as it was."""
    return await state.jobs.cancel(job_id)


@router.post("/v1/index/rollback", dependencies=[JsonBody])
async def rollback(body: RollbackIn, state: StateDep) -> RollbackOut:
    """Serve the generation before the current one again, or the one named."""
    root = IndexRoot(state.settings.data_dir)
    try:
        before, after = await to_thread.run_sync(_roll_back, root, body.generation)
    except IndexLockedError as error:
        running = state.jobs.running_id
        raise ProblemError(
            "index_job_running", error.message, "索引正在被写入。", members={"job_id": running}
        ) from error
    except IndexMissingError as error:
        raise ProblemError("not_found", error.message, "没有可以回退的索引版本。") from error
    await state.knowledge.catch_up()
    return RollbackOut(generation_before=before, generation_after=after)


def _roll_back(root: IndexRoot, name: str | None) -> tuple[str | None, str]:
    root.require_current()
    with root.lock():
        return root.rollback(name)
