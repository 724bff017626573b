"""Every setting, with its bounds and its meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, model_validator

from kb.config.folders import default_cache_dir, default_corpus_dir, default_data_dir
from kb.config.origins import origin_of
from kb.errors import RequestError

ENV_PREFIX = "GPUKB_"


def variable_of(name: str) -> str:
    """The environment variable of a setting."""
    return f"{ENV_PREFIX}{name.upper()}"


def _absolute(value: object) -> object:
    return Path(value).expanduser().absolute() if isinstance(value, str | Path) and str(value) else value


def _comma_separated(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _origins(value: object) -> object:
    names = _comma_separated(value)
    if not isinstance(names, tuple | list):
        return names
    try:
        return tuple(origin_of(str(name)) for name in names)
    except RequestError as error:
        raise ValueError(str(error)) from error


Folder = Annotated[Path, BeforeValidator(_absolute)]
Origins = Annotated[tuple[str, ...], BeforeValidator(_origins)]


class Settings(BaseModel):
    """Every setting of gpukb. Each one's description is also its help text and its line in the documentation."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, str_strip_whitespace=True)

    # ------------------------------------------------------------ folders
    corpus_dir: Folder = Field(default_factory=default_corpus_dir, description="Folder of the documents to index.")
    data_dir: Folder = Field(default_factory=default_data_dir, description="Folder that holds the index.")
    cache_dir: Folder = Field(
        default_factory=default_cache_dir, description="Folder for converted model files; safe to delete."
    )
    catalog: str = Field(
        default="builtin",
        min_length=1,
        description="Catalogue of cards: `builtin`, `none` (no card is known or called unknown), or a folder.",
    )
    scenarios: str = Field(
        default="builtin",
        min_length=1,
        description="What cards are selected for: `builtin`, or a file like `corpus/scenarios.yaml`.",
    )

    keep_generations: int = Field(
        default=3,
        ge=1,
        le=1000,
        description="Generations of the index that stay on the disk: for `gpukb index rollback`, and for citations of "
        "answers given before a rebuild.",
    )

    # ------------------------------------------------------------ embedding
    embedding_model: str = Field(
        default="bundled",
        min_length=1,
        description="`bundled` (multilingual-e5-small, on the CPU, no download), or a sentence-transformers model by "
        "name or path, or the name a remote server knows.",
    )
    embedding_revision: str | None = Field(default=None, description="Revision of that model, where it comes by name.")
    embedding_device: str = Field(
        default="auto",
        pattern=r"^(auto|cpu|cuda(:\d+)?|mps)$",
        description="Where the embedding model runs: `auto`, `cpu`, `cuda`, `cuda:N` or `mps`.",
    )
    embedding_threads: int = Field(
        default=0, ge=0, le=256, description="Threads of the bundled model; 0: one per core, at most 4."
    )
    embedding_base_url: str | None = Field(
        default=None, pattern=r"^https?://", description="Address of an OpenAI-compatible embedding server."
    )
    embedding_api_key: SecretStr | None = Field(default=None, description="Key for that server.")
    cross_embedding: Literal["use", "none"] = Field(
        default="use", description="Second encoder, which finds passages in the other language."
    )

    # ------------------------------------------------------------ answers
    top_k: int = Field(default=8, ge=1, le=50, description="Passages read for an answer.")
    llm_base_url: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="Address of an OpenAI-compatible chat model; without one, answers are extracted.",
    )
    llm_model: str | None = Field(default=None, description="Name of the chat model at that address.")
    llm_api_key: SecretStr | None = Field(default=None, description="Key for the chat model.")
    llm_timeout_s: float = Field(default=60.0, gt=0, le=3600, description="How long a chat model may take.")
    llm_temperature: float = Field(default=0.0, ge=0, le=2, description="Sampling temperature of the chat model.")

    # ------------------------------------------------------------ service
    host: str = Field(default="127.0.0.1", min_length=1, description="Address to listen on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to listen on; 0: any free one.")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s?#]+$",
        description="Address under which readers' browsers reach the service; citations in OpenAI-compatible answers "
        "lead there. Without it, the address that the client called.",
    )
    insecure: bool = Field(
        default=False, description="Serve on an address that others can reach although no keys are set up."
    )
    cors_origins: Origins = Field(
        default=(),
        description="Web pages that may call the API, comma separated: `https://a.example,https://b.example`.",
    )
    embed_origins: Origins = Field(
        default=(), description="Web pages that may show the chat page in a frame; they may call the API too."
    )
    link_hours: int = Field(
        default=24, ge=1, le=8760, description="How long a link to a cited passage opens without a key."
    )
    feedback_question_days: int = Field(
        default=0, ge=0, le=3650, description="How long a question is kept with its rating; 0: not at all."
    )
    max_concurrency: int = Field(default=8, ge=1, le=1024, description="Questions worked on at the same time.")
    max_waiting: int = Field(
        default=256, ge=0, le=100_000, description="Questions that may wait; beyond that a request gets 503."
    )
    max_body_bytes: int = Field(default=1_048_576, ge=1024, description="Largest request body.")
    max_document_bytes: int = Field(default=67_108_864, ge=1024, description="Largest document that is indexed.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="What is logged.")
    log_format: Literal["text", "json"] = Field(default="text", description="How it is logged.")

    @model_validator(mode="after")
    def _needs_each_other(self) -> Settings:
        if self.llm_base_url and not self.llm_model:
            raise ValueError("llm_base_url needs llm_model, the name of the chat model there")
        return self
