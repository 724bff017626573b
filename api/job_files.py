"""Index jobs on the disk, so that a job is still known after a restart and to other processes of the service."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from api.schemas.jobs import FINISHED, JobIn, JobOut
from kb.errors import StorageError
from kb.storage import storage_errors, write_bytes_durably

_FOLDER: Final = "jobs"
_KEPT: Final = 100
_ID: Final = re.compile(r"job_[0-9a-f]{24}")

log = logging.getLogger("gpukb.jobs")


class JobRecord(BaseModel):
    """A job, and what the service must know of it besides.

    Attributes:
        process: of the service that runs it.
        asked: the request.
        idempotency_key: that came with it.
    """

    job: JobOut
    asked: JobIn
    process: int
    idempotency_key: str | None = None


class JobFiles:
    """The records of a data folder, one file each."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / _FOLDER

    def save(self, record: JobRecord) -> None:
        """Write a record; a disk that refuses costs the record, not the job."""
        try:
            with storage_errors(self._folder):
                self._folder.mkdir(parents=True, exist_ok=True)
            write_bytes_durably(self._path(record.job.id), record.model_dump_json().encode())
        except StorageError as error:
            log.warning("the state of %s cannot be kept: %s", record.job.id, error)

    def load(self, job_id: str) -> JobRecord | None:
        """A record; None if there is none. One whose service is gone has failed."""
        if not _ID.fullmatch(job_id):
            return None
        try:
            record = JobRecord.model_validate_json(self._path(job_id).read_bytes())
        except (OSError, ValidationError):
            return None
        if record.job.state not in FINISHED and not _is_alive(record.process):
            record.job.state = "failed"
            record.job.reason = "The service that ran it has stopped; the index in use stays as it was."
        return record

    def newest_first(self) -> list[JobRecord]:
        """All records."""
        records = [record for path in self._folder.glob("job_*.json") if (record := self.load(path.stem))]
        return sorted(records, key=lambda record: record.job.created, reverse=True)

    def prune(self) -> None:
        """Delete all but the newest."""
        for record in self.newest_first()[_KEPT:]:
            if record.job.state in FINISHED:
                self._path(record.job.id).unlink(missing_ok=True)

    def _path(self, job_id: str) -> Path:
        return self._folder / f"{job_id}.json"


def _is_alive(process: int) -> bool:
    """Whether another process of the service lives."""
    if process == os.getpid():  # this one knows its own jobs: the record is of a former life
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
