"""What well-known embedding models want before a text, as data in `models.yaml`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field


class KnownModel(BaseModel):
    """One row of the table.

    Attributes:
        match: pattern for the lower-case name without its owner, as `fnmatch` reads it.
        max_tokens: window, prefix and special tokens included.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    match: str
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = Field(default=512, ge=1)
    pooling: Literal["mean", "cls", "model"] = "mean"


def known_model(name: str) -> KnownModel | None:
    """The row for a model's name, with or without its owner; None if the table has none."""
    short = name.rstrip("/").rsplit("/", 1)[-1].lower()
    return next((row for row in _rows() if fnmatchcase(short, row.match)), None)


@cache
def _rows() -> tuple[KnownModel, ...]:
    content = files("kb.embeddings").joinpath("models.yaml").read_text(encoding="utf-8")
    return tuple(KnownModel.model_validate(row) for row in yaml.safe_load(content))
