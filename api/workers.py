"""Runs the library's blocking work beside the event loop: so much at once, so much waiting, the rest refused."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
from anyio import to_thread
from prometheus_client import Gauge

from api.problems import ProblemError

T = TypeVar("T")
_END = object()


class Workers:
    """A bounded pool of worker threads with a bounded queue before it.

    Args:
        limit: pieces of work at the same time.
        max_waiting: how many may wait; one more is refused as `overloaded`.
        waiting: set to the number that waits.
    """

    def __init__(self, limit: int, max_waiting: int, waiting: Gauge) -> None:
        self._slots = anyio.Semaphore(limit)
        self._threads = anyio.CapacityLimiter(limit)
        self._max_waiting = max_waiting
        self._waiting = 0
        self._gauge = waiting

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a turn and hold it; gives the milliseconds waited.

        Raises:
            ProblemError: `overloaded`, at once, if too many wait already.
        """
        waited_ms = await self.acquire()
        try:
            yield waited_ms
        finally:
            self.release()

    async def acquire(self) -> float:
        """Take a slot that `release` gives back; as `slot`, for work that outlives a block of code."""
        try:
            self._slots.acquire_nowait()
        except anyio.WouldBlock:
            return await self._wait()
        return 0.0

    def release(self) -> None:
        """Give a slot back."""
        self._slots.release()

    async def _wait(self) -> float:
        if self._waiting >= self._max_waiting:
            raise ProblemError(
                "overloaded",
                f"{self._waiting} requests are waiting already; try again in a moment.",
                f"已有 {self._waiting} 个请求在等待，请稍后再试。",
            )
        started = time.perf_counter()
        self._count(1)
        try:
            await self._slots.acquire()
        finally:
            self._count(-1)
        return (time.perf_counter() - started) * 1e3

    def _count(self, change: int) -> None:
        self._waiting += change
        self._gauge.set(self._waiting)

    async def run(self, work: Callable[..., T], *args: Any) -> T:
        """Run blocking work in a thread; the caller holds a slot."""
        return await to_thread.run_sync(work, *args, limiter=self._threads)

    async def iterate(self, items: Iterator[T]) -> AsyncIterator[T]:
        """Items of a blocking iterator, each made in a thread; the caller holds a slot and closes the iterator."""
        while True:
            item = await to_thread.run_sync(next, items, _END, limiter=self._threads)
            if item is _END:
                return
            yield item  # type: ignore[misc]
