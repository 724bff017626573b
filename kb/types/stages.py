"""The stages of an answer, in the order in which they run; durations are milliseconds."""

from __future__ import annotations

from typing import Literal, get_args

Stage = Literal[
    "queue",
    "resolve",
    "embed",
    "dense",
    "sparse",
    "fuse",
    "rerank",
    "compose",
    "first_token",
    "generate",
    "verify",
    "total",
]
STAGES: tuple[Stage, ...] = get_args(Stage)
