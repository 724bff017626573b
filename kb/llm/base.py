"""What a chat model must do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatModel(Protocol):
    """Writes text; safe to call from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as answers report it."""
        ...

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int | None = None, temperature: float | None = None
    ) -> Iterator[str]:
        """Pieces of the reply, as they come; without a temperature the model's own holds.

        Raises:
            LlmUnavailableError: if the endpoint cannot be reached or refuses.
            LlmTimeoutError: if it takes longer than allowed.
        """
        ...

    def check(self) -> None:
        """Ask the endpoint whether it is there, without generating.

        Raises:
            LlmUnavailableError: if it is not.
        """
        ...
