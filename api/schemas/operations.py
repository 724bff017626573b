"""The index, the service itself, and whether it is ready."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from api.schemas.jobs import JobNote


class EmbeddingOut(BaseModel):
    """The model whose vectors the index holds."""

    model: str
    revision: str
    fingerprint: str
    dim: int
    device: str | None


class IndexOut(BaseModel):
    """The served index."""

    object: Literal["index"] = "index"
    generation: str | None
    built_at: str | None
    state: Literal["ready", "building", "empty", "error"]
    detail: str | None
    documents: int
    chunks: int
    embedding: EmbeddingOut | None
    stale_documents: list[str]
    problems: list[JobNote] = Field(description="Files of the corpus folder that are not in the index, and why.")
    running_job: str | None


class Check(BaseModel):
    """One part's health."""

    status: Literal["ok", "loading", "missing", "failed", "unreachable", "off", "unknown"]
    ms: float | None = None
    detail: str = ""


class ReadyOut(BaseModel):
    """Whether questions can be answered."""

    status: Literal["ready", "degraded", "not_ready"]
    checks: dict[Literal["index", "embedder", "llm"], Check]

    def without_details(self) -> ReadyOut:
        """The same without reasons, which may name folders and addresses."""
        checks = {name: Check(status=check.status) for name, check in self.checks.items()}
        return ReadyOut(status=self.status, checks=checks)


class InfoOut(BaseModel):
    """What this service is."""

    name: Literal["gpukb"] = "gpukb"
    version: str
    index: dict[str, Any]
    models: dict[str, str | None]
    device: str | None
    features: list[str]
