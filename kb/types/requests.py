"""A question as it is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kb.types.search import Filters

MAX_QUESTION = 2000
"""Characters that a question may have at every door."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of a conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question with everything that may change its answer.

    Attributes:
        style: how an application wants answers worded; a chat model gets it beside our rules, never instead of them.
        temperature: of the chat model; `None` takes the setting's.
    """

    question: str
    history: tuple[Turn, ...] = ()
    language: Literal["auto", "zh", "en"] = "auto"
    mode: Literal["auto", "generate", "extract"] = "auto"
    filters: Filters = field(default_factory=Filters)
    top_k: int = 8
    max_tokens: int | None = None
    style: str = ""
    temperature: float | None = None
