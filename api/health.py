"""Whether each part can be used: index, embedding model, chat model."""

from __future__ import annotations

import time
from collections.abc import Callable

import anyio
from anyio import to_thread

from api.knowledge import Knowledge
from api.schemas.operations import Check, ReadyOut
from kb.errors import EmbeddingError, IndexMissingError, KbError, LlmError

_LLM_CHECK_VALID_S = 10.0


class Health:
    """Looks at the parts; the chat model at most once every ten seconds.

    Args:
        check_llm: asks the chat model's endpoint whether it is there; `None` where no chat model is set.
    """

    def __init__(self, knowledge: Knowledge, check_llm: Callable[[], None] | None) -> None:
        self._knowledge = knowledge
        self._check_llm = check_llm
        self._llm = Check(status="off", detail="No chat model is set; answers are extracted.")
        self._llm_checked = float("-inf")
        self._lock = anyio.Lock()

    async def ready(self) -> ReadyOut:
        """The state of every part. Without its chat model the service is degraded, not down."""
        index, embedder = self._index_and_embedder()
        llm = await self._llm_check()
        ready = index.status == "ok" and embedder.status == "ok"
        degraded = llm.status == "unreachable"
        return ReadyOut(
            status="not_ready" if not ready else "degraded" if degraded else "ready",
            checks={"index": index, "embedder": embedder, "llm": llm},
        )

    def _index_and_embedder(self) -> tuple[Check, Check]:
        knowledge = self._knowledge
        if knowledge.state == "loading":
            return Check(status="loading", detail="being opened"), Check(status="loading", detail="being loaded")
        error = knowledge.error
        if error is not None:
            return _failed(error)
        kb = knowledge.current()
        return Check(status="ok", detail=kb.generation.name), Check(status="ok", detail=kb.device)

    async def _llm_check(self) -> Check:
        if self._check_llm is None:
            return self._llm
        async with self._lock:
            if time.monotonic() - self._llm_checked > _LLM_CHECK_VALID_S:
                self._llm = await self._ask_llm(self._check_llm)
                self._llm_checked = time.monotonic()
            return self._llm

    @staticmethod
    async def _ask_llm(check: Callable[[], None]) -> Check:
        started = time.perf_counter()
        try:
            await to_thread.run_sync(check)
        except LlmError as error:
            return Check(status="unreachable", ms=_ms_since(started), detail=str(error))
        return Check(status="ok", ms=_ms_since(started))


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1e3, 1)


def _failed(error: KbError) -> tuple[Check, Check]:
    """What an opening error says of index and embedder; the part behind the failed one was not tried."""
    unknown = Check(status="unknown", detail="not tried")
    if isinstance(error, EmbeddingError):
        return unknown, Check(status="failed", detail=str(error))
    status = Check(status="missing" if isinstance(error, IndexMissingError) else "failed", detail=str(error))
    return status, unknown
