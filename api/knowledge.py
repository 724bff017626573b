"""The library behind the application: opened in the background, followed to new generations, closed at the end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import anyio
from anyio import to_thread

from api.metrics import Metrics
from api.problems import ProblemError
from kb.config import Settings
from kb.errors import IndexCorruptError, KbError
from kb.index.root import IndexRoot

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase

OpenKnowledgeBase = Callable[[Settings], "KnowledgeBase"]
State = Literal["loading", "ready", "failed"]

POLL_S = 1.0

log = logging.getLogger("gpukb.knowledge")


class Knowledge:
    """Holds the open `KnowledgeBase`, or the reason why there is none."""

    def __init__(
        self,
        settings: Settings,
        open_kb: OpenKnowledgeBase,
        metrics: Metrics,
        *,
        on_ready: Callable[[Knowledge], None] = lambda knowledge: None,
        poll_s: float | None = None,
    ) -> None:
        self.settings = settings
        self.error: KbError | None = None
        self._open_kb = open_kb
        self._root = IndexRoot(settings.data_dir)
        self._metrics = metrics
        self._on_ready = on_ready
        self._poll_s = POLL_S if poll_s is None else poll_s
        self._kb: KnowledgeBase | None = None
        self._opened_from = ""
        self._moving = anyio.Lock()

    @property
    def state(self) -> State:
        """Where the opening stands."""
        if self._kb is not None:
            return "ready"
        return "failed" if self.error else "loading"

    def current(self) -> KnowledgeBase:
        """The open knowledge base.

        Raises:
            ProblemError: while it is being opened.
            KbError: why it could not be opened.
        """
        if self._kb is not None:
            return self._kb
        if self.error is not None:
            raise self.error
        raise ProblemError(
            "index_not_ready",
            "The index and the model are being loaded; /readyz tells when they can be used.",
            "索引与模型正在加载，可在 /readyz 查看是否就绪。",
        )

    async def run(self) -> None:
        """Open it, then follow what is published, until cancelled."""
        while True:
            await self.catch_up()
            await anyio.sleep(self._poll_s)

    async def catch_up(self) -> None:
        """Open or move to what is published now, if that has changed."""
        async with self._moving:
            name = self._published()
            if self._kb is None and (self.error is None or name != self._opened_from):
                await self._open(name)
                self._on_ready(self)
            elif self._kb is not None and name and name != self._opened_from:
                await self._follow(name)

    async def _open(self, name: str) -> None:
        self._opened_from = name
        try:
            opened = await to_thread.run_sync(self._open_kb, self.settings)
        except KbError as error:
            self.error = error
            log.error("not ready: %s", error)
            return
        except Exception as error:  # whatever it is, /readyz must say that loading failed
            self.error = KbError(f"Loading failed: {type(error).__name__}: {error}")
            log.exception("loading failed")
            return
        self.error = None
        self._kb = opened
        self._metrics.show_index(opened.generation.manifest)
        log.info("ready: generation %s", opened.generation.name)

    async def _follow(self, name: str) -> None:
        """Swap to a generation that was published since; if it cannot be used the old one goes on serving."""
        self._opened_from = name
        assert_open = self._kb
        if assert_open is None:
            return
        try:
            await to_thread.run_sync(assert_open.refresh)
        except KbError as error:
            log.error("what was published cannot be used, the old generation goes on: %s", error)
            return
        self._metrics.show_index(assert_open.generation.manifest)
        log.info("now serving generation %s", assert_open.generation.name)

    def _published(self) -> str:
        try:
            return self._root.current_name() or ""
        except IndexCorruptError as error:
            # Opening says so in full; here it only matters that this is another state than before.
            return str(error)
        except OSError as error:
            return str(error)

    async def close(self) -> None:
        """Let go of files and threads."""
        opened, self._kb = self._kb, None
        if opened is not None:
            await to_thread.run_sync(opened.close)
