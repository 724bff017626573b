"""Any endpoint that speaks OpenAI's chat protocol (vLLM, SGLang, llama.cpp, Ollama, …), through LangChain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kb.errors import LlmTimeoutError, LlmUnavailableError
from kb.llm.base import Message

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

_CHECK_TIMEOUT_S = 2.0


class OpenAICompatibleChat:
    """A chat model behind an OpenAI-compatible endpoint.

    Args:
        base_url: of the endpoint, with its version path, for example `http://127.0.0.1:8001/v1`.
        model: the name that the endpoint knows it by.
        api_key: empty for servers that want none.
        timeout_s: for one request, first byte to last.
        temperature: 0 is the most repeatable.
    """

    def __init__(
        self, *, base_url: str, model: str, api_key: str = "", timeout_s: float = 60.0, temperature: float = 0.0
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._model = model
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._temperature = temperature

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    @cached_property
    def _client(self) -> ChatOpenAI:
        # Imported at first use: it takes a second, and answers without a chat model never need it.
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

        return ChatOpenAI(
            base_url=self._base_url,
            model=self._model,
            api_key=SecretStr(self._api_key or "none"),
            timeout=self._timeout_s,
            temperature=self._temperature,
            max_retries=1,
        )

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int | None = None, temperature: float | None = None
    ) -> Iterator[str]:
        """Pieces of the reply, as they come."""
        import openai

        given = {"max_tokens": max_tokens, "temperature": temperature}
        options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        try:
            for chunk in self._client.stream([(m.role, m.content) for m in messages], **options):
                if isinstance(chunk.content, str) and chunk.content:
                    yield chunk.content
        except openai.APITimeoutError as error:
            raise LlmTimeoutError(f"The chat model at {self._base_url} took over {self._timeout_s:g} s.") from error
        except openai.OpenAIError as error:
            raise self._unavailable(error) from error

    def check(self) -> None:
        """Ask for the endpoint's model list."""
        import openai

        try:
            self._client.root_client.with_options(timeout=_CHECK_TIMEOUT_S, max_retries=0).models.list()
        except openai.OpenAIError as error:
            raise self._unavailable(error) from error

    def _unavailable(self, error: Exception) -> LlmUnavailableError:
        return LlmUnavailableError(
            f"The chat model {self._model} at {self._base_url} does not answer ({type(error).__name__}).",
            "Check GPUKB_LLM_BASE_URL and that the server runs; answers go on without it.",
        )
