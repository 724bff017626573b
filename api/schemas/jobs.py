"""Index jobs: what is asked for, and how far one is."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from api.schemas.common import Flag, RequestModel
from kb.types import BuildStage

JobState = Literal["queued", "running", "succeeded", "failed", "cancelled"]
FINISHED: frozenset[JobState] = frozenset({"succeeded", "failed", "cancelled"})

DocPath = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]+$")]


class JobIn(RequestModel):
    """What to index."""

    mode: Literal["incremental", "full"] = "incremental"
    paths: Annotated[tuple[DocPath, ...], Field(max_length=1000)] = Field(
        default=(), description="Documents, or folders of them, to look at; empty: everything."
    )
    dry_run: Flag = False


class RollbackIn(RequestModel):
    """Where to go back to."""

    generation: Annotated[str, StringConstraints(pattern=r"^gen-\d{6,}-[0-9a-f]{4}$")] | None = None


class RollbackOut(BaseModel):
    """Which generation was served, and which one is now."""

    object: Literal["rollback"] = "rollback"
    generation_before: str | None
    generation_after: str


class StageOut(BaseModel):
    """How far a stage is."""

    name: BuildStage
    done: int
    total: int
    ms: float


class DocumentCounts(BaseModel):
    """What became of documents."""

    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0


class JobNote(BaseModel):
    """A file that is not in the index, and why."""

    doc: str
    stage: str
    message: str


class JobOut(BaseModel):
    """An index job."""

    id: str
    object: Literal["index_job"] = "index_job"
    state: JobState
    mode: Literal["incremental", "full"]
    paths: list[str]
    dry_run: bool
    created: str
    started_at: str | None = None
    finished_at: str | None = None
    stages: list[StageOut] = []
    documents: DocumentCounts = DocumentCounts()
    errors: list[JobNote] = Field(default=[], description="Documents that could not be read; the others are indexed.")
    skipped: list[JobNote] = Field(default=[], description="Files that are no documents.")
    generation_before: str | None
    generation_after: str | None = None
    is_unchanged: bool = Field(default=False, description="Nothing had changed, so nothing was written.")
    reason: str | None = Field(default=None, description="Why it failed.")
