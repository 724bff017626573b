"""The index jobs of one service: one at a time, others queued or refused, each in a child process of its own."""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final

import anyio
from anyio import to_thread

from api.job import Job
from api.job_files import JobFiles, JobRecord
from api.job_process import BuildProcess, build_process
from api.metrics import Metrics
from api.problems import ProblemError
from api.schemas.jobs import FINISHED, JobIn, JobOut, JobState
from api.sse import encode_event
from kb.config import Settings
from kb.errors import IndexCorruptError
from kb.index.root import IndexRoot

_JOBS_KEPT: Final = 50
_POLL_S: Final = 0.5

log = logging.getLogger("gpukb.jobs")


class Jobs:
    """Starts, follows and cancels index jobs.

    Args:
        settings: what to build from what.
        metrics: counts them.
        catch_up: awaited after a successful build, so that a job that has succeeded is served.
    """

    def __init__(self, settings: Settings, metrics: Metrics, catch_up: Callable[[], Awaitable[None]]) -> None:
        self._settings = settings
        self._metrics = metrics
        self._catch_up = catch_up
        self._root = IndexRoot(settings.data_dir)
        self._files = JobFiles(settings.data_dir)
        self._jobs: dict[str, Job] = {}
        self._asked: dict[str, JobIn] = {}
        self._keys: dict[str, str] = {}
        self._queue: deque[Job] = deque()
        self._running: Job | None = None
        self._process: BuildProcess | None = None
        self._wake = anyio.Event()

    @property
    def running_id(self) -> str | None:
        """The job that runs now or next; one that has ended is told as such before all is written down."""
        known = (self._running, *self._queue)
        return next((job.out.id for job in known if job is not None and not job.is_finished), None)

    async def start(self, asked: JobIn, idempotency_key: str | None = None) -> JobOut:
        """Start a job; the same key gives the same job.

        Raises:
            ProblemError: `index_job_running` with its id; `validation_failed` if the key came with another request.
        """
        if idempotency_key:
            known = await self._known_by(idempotency_key, asked)
            if known is not None:
                return known
        if self.running_id is not None:
            raise _busy(self.running_id)
        writer = await to_thread.run_sync(self._root.writer)
        if writer is not None:
            raise _busy(await to_thread.run_sync(self._foreign_job), writer)
        if self.running_id is not None:  # somebody else was faster
            raise _busy(self.running_id)
        return await self._enqueue(Job(asked, self._published()), asked, idempotency_key)

    async def follow_up(self, asked: JobIn) -> JobOut:
        """A job that sees what has just been done: the one that waits already, else a new one."""
        waiting = next((job for job in self._queue if self._asked[job.out.id] == asked), None)
        if waiting is not None:
            return waiting.out
        return await self._enqueue(Job(asked, self._published(), follows=True), asked, None)

    async def get(self, job_id: str) -> JobOut:
        """A job, also one of another process or of before a restart.

        Raises:
            ProblemError: `not_found`.
        """
        if job_id in self._jobs:
            return self._jobs[job_id].out
        record = await to_thread.run_sync(self._files.load, job_id)
        if record is None:
            raise ProblemError("not_found", f"There is no job {job_id}.", f"没有任务 {job_id}。")
        return record.job

    async def recent(self) -> list[JobOut]:
        """The jobs that are still known, newest first."""
        records = await to_thread.run_sync(self._files.newest_first)
        kept = {record.job.id: record.job for record in records}
        kept.update((job_id, job.out) for job_id, job in self._jobs.items())
        return sorted(kept.values(), key=lambda job: job.created, reverse=True)

    async def cancel(self, job_id: str) -> JobOut:
        """Ask a job to end; one that has ended stays as it is.

        Raises:
            ProblemError: `not_found`; `index_job_running` if another process runs it.
        """
        job = self._jobs.get(job_id)
        if job is None:
            found = await self.get(job_id)
            if found.state not in FINISHED:
                raise _busy(job_id, "of another server process")
            return found
        if not job.is_finished:
            job.is_cancelled = True
            if job is self._running and self._process is not None:
                self._process.interrupt()
            elif job in self._queue:
                self._queue.remove(job)
                await self._finish(job, "cancelled", None)
        return job.out

    async def events(self, job_id: str, last_id: int) -> AsyncIterator[bytes]:
        """Encoded events of a job after `last_id`; of a job of another process its state whenever it changes."""
        job = self._jobs.get(job_id)
        if job is not None:
            async for event in job.events_after(last_id):
                yield event
            return
        shown = ""
        while True:
            found = await self.get(job_id)
            state = found.model_dump_json()
            if state != shown:
                yield encode_event("done" if found.state in FINISHED else "job", state)
                shown = state
            if found.state in FINISHED:
                return
            await anyio.sleep(_POLL_S)

    async def run(self) -> None:
        """Run what is queued, one after the other, until cancelled; a build that runs then ends with it."""
        await to_thread.run_sync(self._files.prune)
        while True:
            while self._queue:
                await self._run(self._queue.popleft())
            self._wake = anyio.Event()
            await self._wake.wait()

    async def _run(self, job: Job) -> None:
        self._running = job
        started = time.perf_counter()
        try:
            job.start(self._published())
            await self._save(job)
            async with build_process(self._settings, job.out, wait=job.follows) as self._process:
                if job.is_cancelled:
                    self._process.interrupt()
                code = await self._process.run(partial(self._take, job))
                state, reason = job.end_of(code, self._process.last_words)
            if state == "succeeded" and not job.out.dry_run:
                await self._catch_up()
            await self._finish(job, state, reason)
        except OSError as error:
            await self._finish(job, "failed", f"The build could not be started: {error.strerror}.")
        finally:
            self._process = None
            self._running = None
            if not job.is_finished:  # the service stops
                with anyio.CancelScope(shield=True):
                    await self._finish(job, "failed", "The service was stopped; the index in use stays as it was.")
            self._metrics.index_job_duration.observe(time.perf_counter() - started)

    async def _take(self, job: Job, line: str) -> None:
        if job.take(line):
            await self._save(job)

    async def _finish(self, job: Job, state: JobState, reason: str | None) -> None:
        job.finish(state, reason)
        self._metrics.index_jobs.labels(state).inc()
        log.info("%s %s%s", job.out.id, state, f": {reason}" if reason else "")
        await self._save(job)

    async def _enqueue(self, job: Job, asked: JobIn, idempotency_key: str | None) -> JobOut:
        self._jobs[job.out.id] = job
        self._asked[job.out.id] = asked
        if idempotency_key:
            self._keys[idempotency_key] = job.out.id
        self._queue.append(job)
        self._forget_old()
        await self._save(job)
        self._wake.set()
        return job.out

    def _forget_old(self) -> None:
        finished = [job_id for job_id, job in self._jobs.items() if job.is_finished]
        for job_id in finished[: max(0, len(self._jobs) - _JOBS_KEPT)]:
            del self._jobs[job_id], self._asked[job_id]
            self._keys = {key: named for key, named in self._keys.items() if named != job_id}

    async def _known_by(self, key: str, asked: JobIn) -> JobOut | None:
        job_id = self._keys.get(key)
        if job_id is not None:
            found, job = self._asked[job_id], self._jobs[job_id].out
        else:
            records = await to_thread.run_sync(self._files.newest_first)
            record = next((record for record in records if record.idempotency_key == key), None)
            if record is None:
                return None
            found, job = record.asked, record.job
        if found != asked:
            raise ProblemError(
                "validation_failed",
                "This Idempotency-Key came with another request before.",
                "该 Idempotency-Key 已用于另一请求。",
                [{"loc": "Idempotency-Key", "msg": "used with another request"}],
            )
        return job

    def _foreign_job(self) -> str | None:
        return next((found.job.id for found in self._files.newest_first() if found.job.state not in FINISHED), None)

    def _record(self, job: Job) -> JobRecord:
        key = next((key for key, job_id in self._keys.items() if job_id == job.out.id), None)
        return JobRecord(job=job.out, asked=self._asked[job.out.id], process=os.getpid(), idempotency_key=key)

    async def _save(self, job: Job) -> None:
        await to_thread.run_sync(self._files.save, self._record(job))

    def _published(self) -> str | None:
        try:
            return self._root.current_name()
        except IndexCorruptError:
            return None


def _busy(job_id: str | None, writer: str | None = None) -> ProblemError:
    en = f"Index job {job_id} is running." if job_id else f"Another build ({writer}) is writing to the index."
    zh = f"索引任务 {job_id} 正在运行。" if job_id else f"另一个构建（{writer}）正在写入索引。"
    return ProblemError("index_job_running", en, zh, members={"job_id": job_id})
