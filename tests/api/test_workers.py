"""Bounded work: so much at once, so much waiting, the rest refused."""

from __future__ import annotations

import threading

import anyio
import pytest
from prometheus_client import CollectorRegistry, Gauge

from api.problems import ProblemError
from api.workers import Workers

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def gauge() -> Gauge:
    return Gauge("waiting", "", registry=CollectorRegistry())


async def test_work_runs_in_a_thread(gauge: Gauge) -> None:
    workers = Workers(1, 0, gauge)
    async with workers.slot() as waited_ms:
        assert await workers.run(threading.get_ident) != threading.get_ident()
    assert waited_ms == 0.0


async def test_beyond_the_queue_work_is_refused_at_once(gauge: Gauge) -> None:
    workers = Workers(limit=1, max_waiting=1, waiting=gauge)
    waited: list[float] = []

    async def wait_for_a_slot() -> None:
        async with workers.slot() as waited_ms:
            waited.append(waited_ms)

    async with anyio.create_task_group() as tasks:
        await workers.acquire()
        tasks.start_soon(wait_for_a_slot)
        await anyio.sleep(0.02)
        assert gauge.collect()[0].samples[0].value == 1
        with pytest.raises(ProblemError) as refused:
            await workers.acquire()
        workers.release()
    assert refused.value.code == "overloaded"
    assert waited[0] >= 15
    assert gauge.collect()[0].samples[0].value == 0


async def test_one_that_stops_waiting_gives_its_place_free(gauge: Gauge) -> None:
    workers = Workers(limit=1, max_waiting=1, waiting=gauge)
    await workers.acquire()
    with anyio.move_on_after(0.01):
        await workers.acquire()
    workers.release()
    async with workers.slot() as waited_ms:
        assert waited_ms == 0.0


async def test_items_of_a_blocking_iterator(gauge: Gauge) -> None:
    workers = Workers(1, 0, gauge)
    assert [item async for item in workers.iterate(iter([1, 2, 3]))] == [1, 2, 3]
